/**
 * The records of the state as JSON: which keys in which order, and what has to hold for a line to
 * be one. Readers return null for anything else; they never repair and never guess.
 */
import type { Agent, AgentKind } from './agent.ts';
import {
  clockOf,
  type Fields,
  isFields,
  isTexts,
  isWhole,
  readName,
  readStamp,
  readTime,
} from './fields.ts';
import { formats } from './format.ts';
import { isId } from './ids.ts';
import { formatTime, type Stamp } from './instant.ts';
import type { AgentName, Resource } from './lease.ts';
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
  'readsAt',
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
    ...(agent.reads === undefined
      ? {}
      : { reads: agent.reads, readsAt: formatTime(agent.active.at) }),
    ...agent.unknown,
  };
}

export function readAgent(value: unknown): Agent | null {
  const name = readName(value);
  if (name === null || !isFields(value)) return null;
  const { kind, session, host, reads, readsAt, lastActiveAt } = value;
  const startedAt = readTime(value['startedAt']);
  const active = readStamp(lastActiveAt, value['clock']);
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
        // An older coord that came after copies both and moves the time: what it reads is unknown.
        ...(isWhole(reads) && readsAt === lastActiveAt ? { reads } : {}),
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
