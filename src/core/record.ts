/**
 * The records of the state as JSON: which keys in which order, and what has to hold for a line to
 * be one. Readers return null for anything else; they never repair and never guess.
 */
import type { Agent, AgentKind } from './agent.ts';
import { formats } from './format.ts';
import { isId } from './ids.ts';
import { formatTime, parseTime, type Stamp } from './instant.ts';
import {
  type AgentName,
  type EditMark,
  expiresAt,
  type Lease,
  type Mode,
  type Protection,
  protectionBy,
  type Resource,
  type Wait,
} from './lease.ts';
import { type Carried, carry } from './unknown.ts';

/**
 * One agent has asked another for a lease: for this very grant of it, and nothing that comes after.
 */
export interface Request extends Carried {
  readonly id: string;
  readonly lease: string;
  readonly token: number;
  readonly what: Resource;
  readonly from: AgentName;
  readonly to: AgentName;
  readonly reason: string;
  readonly urgent: boolean;
  readonly asked: Stamp;
  /** Its holder has promised it for then. */
  readonly deferred: {
    readonly stamp: Stamp;
    readonly etaMs: number;
    readonly reason: string;
  } | null;
}

/** A log of a remote: its name here, and the ref over there. */
export interface RemoteLocation {
  readonly remote: string;
  readonly ref: string;
}

/** Where the present chain begins, and what it stands on. */
export interface Meta extends Carried {
  /** The format of the log, and the coord that it needs where that is not the first. */
  readonly version: number;
  readonly needs?: string;
  readonly rootSeq: number;
  readonly rootAt: number;
  /**
   * The tip that the root was made from, and the hash of the state it carried; null for the first.
   */
  readonly previous: string | null;
  readonly stateHash: string | null;
  /** The log of a remote is the truth, and this one only says so. */
  readonly moved?: RemoteLocation;
  /**
   * Only of a new root that is being written: `seq:at:nonce` of recent operations that stand on
   * older ones.
   */
  readonly nonces?: readonly string[];
}

export type RecordReader<T> = (value: unknown) => T | null;

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function readTime(value: unknown): number {
  return typeof value === 'string' ? parseTime(value) : Number.NaN;
}

function readStamp(at: unknown, clock: unknown): Stamp | null {
  const time = readTime(at);
  if (!isFields(clock) || Number.isNaN(time)) return null;
  const { domain, uptimeMs } = clock;
  return typeof domain === 'string' && isWhole(uptimeMs) ? { at: time, domain, uptimeMs } : null;
}

function clockOf(stamp: Stamp): Fields {
  return { domain: stamp.domain, uptimeMs: stamp.uptimeMs };
}

function readName(value: unknown): AgentName | null {
  if (!isFields(value)) return null;
  const { id, name } = value;
  return typeof id === 'string' && isId(id) && typeof name === 'string' ? { id, name } : null;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

const heldKeys = [
  'id',
  'kind',
  'agent',
  'patterns',
  'bead',
  'name',
  'mode',
  'reason',
  'ttl',
  'renewedAt',
  'clock',
];
const leaseKeys: ReadonlySet<string> = new Set([
  ...heldKeys,
  'token',
  'acquiredAt',
  'expiresAt',
  'steady',
  'protection',
  'base',
  'begun',
  'edited',
]);
const waitKeys: ReadonlySet<string> = new Set([...heldKeys, 'since', 'startedAt', 'startClock']);
const agentKeys: ReadonlySet<string> = new Set([
  'id',
  'name',
  'kind',
  'session',
  'host',
  'startedAt',
  'lastActiveAt',
  'clock',
  'reads',
]);
const requestKeys: ReadonlySet<string> = new Set([
  'id',
  'lease',
  'token',
  'kind',
  'patterns',
  'bead',
  'name',
  'from',
  'to',
  'reason',
  'urgent',
  'askedAt',
  'clock',
  'deferred',
]);
const metaKeys: ReadonlySet<string> = new Set([
  'id',
  'version',
  'needs',
  'rootSeq',
  'rootAt',
  'previous',
  'stateHash',
  'moved',
]);

type Held = Resource & { id: string; agent: AgentName; mode: Mode; reason: string; ttlMs: number };

/**
 * Each form is one literal, without spreads: every command reads every lease, and copies cost half
 * of that.
 */
function readHeld(fields: Fields): Held | null {
  const agent = readName(fields['agent']);
  const { id, mode, reason, ttl, kind, patterns, bead, name } = fields;
  if (agent === null || typeof id !== 'string' || !isId(id) || typeof reason !== 'string')
    return null;
  if ((mode !== 'exclusive' && mode !== 'shared') || typeof ttl !== 'number' || !(ttl > 0))
    return null;
  const ttlMs = Math.round(ttl * 1_000);
  if (kind === 'reservation')
    return isTexts(patterns) && patterns.length > 0
      ? { kind, patterns, id, agent, mode, reason, ttlMs }
      : null;
  if (kind === 'claim')
    return typeof bead === 'string' ? { kind, bead, id, agent, mode, reason, ttlMs } : null;
  return kind === 'lock' && typeof name === 'string'
    ? { kind, name, id, agent, mode, reason, ttlMs }
    : null;
}

function heldFields(held: Held): Fields {
  const { id, kind, agent, mode, reason, ttlMs } = held;
  const what =
    kind === 'reservation'
      ? { patterns: held.patterns }
      : kind === 'claim'
        ? { bead: held.bead }
        : { name: held.name };
  return { id, kind, agent, ...what, mode, reason, ttl: ttlMs / 1_000 };
}

export function encodeLease(lease: Lease): Fields {
  return {
    ...heldFields(lease),
    token: lease.token,
    acquiredAt: formatTime(lease.acquiredAt),
    renewedAt: formatTime(lease.renewed.at),
    expiresAt: formatTime(expiresAt(lease)),
    clock: clockOf(lease.renewed),
    ...(lease.steady ? { steady: true } : {}),
    ...(lease.protection === undefined ? {} : { protection: protectionFields(lease.protection) }),
    ...(lease.base === undefined ? {} : { base: lease.base }),
    ...(lease.begun === undefined
      ? {}
      : { begun: { ...lease.begun, at: formatTime(lease.begun.at) } }),
    ...(lease.edited === null
      ? {}
      : {
          edited: {
            at: formatTime(lease.edited.stamp.at),
            clock: clockOf(lease.edited.stamp),
            directories: lease.edited.directories,
          },
        }),
    ...lease.unknown,
  };
}

export function readLease(value: unknown): Lease | null {
  if (!isFields(value)) return null;
  const held = readHeld(value);
  const renewed = readStamp(value['renewedAt'], value['clock']);
  const acquiredAt = readTime(value['acquiredAt']);
  const token = value['token'];
  const edited = value['edited'] === undefined ? null : readEdited(value['edited']);
  if (
    held === null ||
    renewed === null ||
    Number.isNaN(acquiredAt) ||
    !isWhole(token) ||
    edited === undefined
  )
    return null;
  return Object.assign(held, {
    token,
    acquiredAt,
    renewed,
    steady: value['steady'] === true,
    edited,
    ...readProtection(value['protection']),
    ...(typeof value['base'] === 'string' ? { base: value['base'] } : {}),
    ...readBegun(value['begun']),
    ...carry(value, leaseKeys),
  });
}

function protectionFields({ graceMs, stalledMs, breakMs }: Protection): Fields {
  return { grace: graceMs / 1_000, stalledAfter: stalledMs / 1_000, breakAfter: breakMs / 1_000 };
}

/** Never more than a holder can ask for, whatever is written there. */
function readProtection(value: unknown): { readonly protection?: Protection } {
  if (!isFields(value)) return {};
  const { grace, stalledAfter, breakAfter } = value;
  if (
    typeof grace !== 'number' ||
    typeof stalledAfter !== 'number' ||
    typeof breakAfter !== 'number'
  )
    return {};
  const [graceMs = 0, stalledMs = 0, breakMs = 0] = [grace, stalledAfter, breakAfter].map(
    (seconds) => Math.max(0, Math.round(seconds * 1_000)),
  );
  return protectionBy({ graceMs, stalledMs, breakMs });
}

function readBegun(value: unknown): { readonly begun?: NonNullable<Lease['begun']> } {
  if (!isFields(value)) return {};
  const { token, agents } = value;
  const at = readTime(value['at']);
  return isWhole(token) && isTexts(agents) && !Number.isNaN(at)
    ? { begun: { token, at, agents } }
    : {};
}

function readEdited(value: unknown): EditMark | undefined {
  if (!isFields(value)) return undefined;
  const stamp = readStamp(value['at'], value['clock']);
  const { directories } = value;
  return stamp !== null && isTexts(directories) ? { stamp, directories } : undefined;
}

export function encodeWait(wait: Wait): Fields {
  return {
    ...heldFields(wait),
    since: wait.since,
    startedAt: formatTime(wait.started.at),
    startClock: clockOf(wait.started),
    renewedAt: formatTime(wait.renewed.at),
    clock: clockOf(wait.renewed),
    ...wait.unknown,
  };
}

export function readWait(value: unknown): Wait | null {
  if (!isFields(value)) return null;
  const held = readHeld(value);
  const started = readStamp(value['startedAt'], value['startClock']);
  const renewed = readStamp(value['renewedAt'], value['clock']);
  const { since } = value;
  return held === null || started === null || renewed === null || !isWhole(since)
    ? null
    : Object.assign(held, { since, started, renewed, ...carry(value, waitKeys) });
}

const agentKinds: readonly unknown[] = ['agent', 'subagent', 'person'] satisfies AgentKind[];

export const knownKinds: ReadonlySet<unknown> = new Set([
  'reservation',
  'claim',
  'lock',
  ...agentKinds,
]);

export function encodeAgent(agent: Agent): Fields {
  return {
    id: agent.id,
    name: agent.name,
    kind: agent.kind,
    session: agent.session,
    host: agent.host,
    startedAt: formatTime(agent.startedAt),
    lastActiveAt: formatTime(agent.active.at),
    clock: clockOf(agent.active),
    ...(agent.reads === undefined ? {} : { reads: agent.reads }),
    ...agent.unknown,
  };
}

export function readAgent(value: unknown): Agent | null {
  const name = readName(value);
  if (name === null || !isFields(value)) return null;
  const { kind, session, host, reads } = value;
  const startedAt = readTime(value['startedAt']);
  const active = readStamp(value['lastActiveAt'], value['clock']);
  if (
    !agentKinds.includes(kind) ||
    (session !== null && typeof session !== 'string') ||
    typeof host !== 'string'
  )
    return null;
  return Number.isNaN(startedAt) || active === null
    ? null
    : {
        ...name,
        kind: kind as AgentKind,
        session,
        host,
        startedAt,
        active,
        ...(isWhole(reads) ? { reads } : {}),
        ...carry(value, agentKeys),
      };
}

export function encodeRequest(request: Request): Fields {
  const { id, lease, token, what, from, to, reason, urgent, asked, deferred } = request;
  return {
    id,
    lease,
    token,
    ...what,
    from,
    to,
    reason,
    urgent,
    askedAt: formatTime(asked.at),
    clock: clockOf(asked),
    ...(deferred === null
      ? {}
      : {
          deferred: {
            at: formatTime(deferred.stamp.at),
            clock: clockOf(deferred.stamp),
            eta: deferred.etaMs / 1_000,
            reason: deferred.reason,
          },
        }),
    ...request.unknown,
  };
}

export function readRequest(value: unknown): Request | null {
  if (!isFields(value)) return null;
  const { id, lease, token, reason, urgent, kind, patterns, bead, name } = value;
  const [from, to, asked] = [
    readName(value['from']),
    readName(value['to']),
    readStamp(value['askedAt'], value['clock']),
  ];
  const deferred = value['deferred'] === undefined ? null : readDeferred(value['deferred']);
  const what: Resource | null =
    kind === 'reservation' && isTexts(patterns)
      ? { kind, patterns }
      : kind === 'claim' && typeof bead === 'string'
        ? { kind, bead }
        : kind === 'lock' && typeof name === 'string'
          ? { kind, name }
          : null;
  if (
    typeof id !== 'string' ||
    !isId(id) ||
    typeof lease !== 'string' ||
    !isWhole(token) ||
    typeof reason !== 'string' ||
    typeof urgent !== 'boolean'
  )
    return null;
  return from === null || to === null || asked === null || what === null || deferred === undefined
    ? null
    : {
        id,
        lease,
        token,
        what,
        from,
        to,
        reason,
        urgent,
        asked,
        deferred,
        ...carry(value, requestKeys),
      };
}

function readDeferred(value: unknown): Request['deferred'] | undefined {
  if (!isFields(value)) return undefined;
  const stamp = readStamp(value['at'], value['clock']);
  const { eta, reason } = value;
  return stamp !== null && typeof eta === 'number' && typeof reason === 'string'
    ? { stamp, etaMs: eta * 1_000, reason }
    : undefined;
}

export function readMeta(head: unknown): Meta | null {
  if (!isFields(head)) return null;
  const { version, needs, rootSeq, rootAt, previous, stateHash } = head;
  if (!isWhole(version) || version < formats.first || !isWhole(rootSeq) || !isWhole(rootAt))
    return null;
  if (
    (previous !== null && typeof previous !== 'string') ||
    (stateHash !== null && typeof stateHash !== 'string')
  )
    return null;
  const moved = readMoved(head['moved']);
  const meta = {
    version,
    ...(typeof needs === 'string' ? { needs } : {}),
    rootSeq,
    rootAt,
    previous,
    stateHash,
    ...carry(head, metaKeys),
  } as const;
  return moved === null ? meta : { ...meta, moved };
}

function readMoved(value: unknown): RemoteLocation | null {
  if (!isFields(value)) return null;
  const { remote, ref } = value;
  return typeof remote === 'string' && typeof ref === 'string' ? { remote, ref } : null;
}
