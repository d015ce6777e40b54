/** Leases and waits as JSON: which keys in which order, and what has to hold for a line to be one. */

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
import { isId } from './ids.ts';
import { formatTime } from './instant.ts';
import {
  type AgentName,
  type EditMark,
  expiresAt,
  type Hold,
  type Lease,
  type Protection,
  protectionBy,
  type Resource,
  type Wait,
} from './lease.ts';
import { carry } from './unknown.ts';

const heldKeys = [
  'id',
  'kind',
  'agent',
  'patterns',
  'bead',
  'name',
  'mode',
  'workTree',
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
type Held = Resource & Hold & { id: string; agent: AgentName; reason: string; ttlMs: number };

const workTreeId = /^[0-9a-z]{8,64}$/;

/**
 * Lines are written as held alone, with the work tree that they are in: a coord that does not know
 * of them takes them for that and lets nobody in beside them.
 *
 * Each form is one literal, without spreads: every command reads every lease, and copies cost half
 * of that.
 */
function readHeld(fields: Fields): Held | null {
  const agent = readName(fields['agent']);
  const { id, mode, workTree, reason, ttl, kind, patterns, bead, name } = fields;
  if (agent === null || typeof id !== 'string' || !isId(id) || typeof reason !== 'string')
    return null;
  if (typeof ttl !== 'number' || !(ttl > 0)) return null;
  const ttlMs = Math.round(ttl * 1_000);
  if (mode !== 'exclusive' && mode !== 'shared') return null;
  if (kind === 'reservation') {
    if (!isTexts(patterns) || patterns.length === 0) return null;
    return mode === 'exclusive' && typeof workTree === 'string' && workTreeId.test(workTree)
      ? { kind, patterns, id, agent, mode: 'lines', workTree, reason, ttlMs }
      : { kind, patterns, id, agent, mode, reason, ttlMs };
  }
  if (kind === 'claim')
    return typeof bead === 'string' ? { kind, bead, id, agent, mode, reason, ttlMs } : null;
  return kind === 'lock' && typeof name === 'string'
    ? { kind, name, id, agent, mode, reason, ttlMs }
    : null;
}

function heldFields(held: Held): Fields {
  const { id, kind, agent, mode, workTree, reason, ttlMs } = held;
  const what =
    kind === 'reservation'
      ? { patterns: held.patterns }
      : kind === 'claim'
        ? { bead: held.bead }
        : { name: held.name };
  const how = mode === 'lines' ? { mode: 'exclusive', workTree } : { mode };
  return { id, kind, agent, ...what, ...how, reason, ttl: ttlMs / 1_000 };
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
