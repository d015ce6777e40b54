/**
 * Beads, units of work, as far as coord itself keeps track of them: that one is done, how often it
 * has failed, and what the last one who failed left for the next. Everything else is its tracker's.
 */

import { shorten } from './harmless.ts';
import { isId, type Oid } from './ids.ts';
import { formatTime, parseTime } from './instant.ts';
import { type AgentName, describe, type Lease } from './lease.ts';
import { limits } from './limits.ts';
import { type Carried, carry } from './unknown.ts';

/** The paths that somebody held besides, for whoever is next. */
export function heldAlong(own: readonly Lease[]): readonly string[] {
  const paths = own.filter(({ kind }) => kind === 'reservation').slice(0, limits.toldAlong);
  return paths.map((lease) => shorten(describe(lease), limits.toldAlongChars));
}

/** What an agent that failed, or left it, learned. */
export interface FailureNote {
  readonly by: AgentName;
  readonly reason: string;
  readonly cause: string;
  /** The end of its log, and where all of it is. */
  readonly tail: string;
  readonly log: string;
  readonly commit: Oid | null;
  /** What it held besides. */
  readonly held: readonly string[];
  readonly next: string;
}

/** A claim that has ended, as its evidence is measured by it. */
export interface PastClaim {
  readonly token: number;
  readonly base: Oid | null;
  readonly acquiredAt: number;
  readonly endedAt: number;
  /** Who has worked on it, one after the other. */
  readonly agents: readonly string[];
}

export interface BeadRecord extends Carried {
  /** The bead's own. */
  readonly id: string;
  /** `parked` waits for a person. */
  readonly status: 'open' | 'done' | 'parked';
  readonly failures: number;
  readonly at: number;
  readonly by: AgentName;
  readonly labels: readonly string[];
  readonly claim: PastClaim | null;
  readonly commit: Oid | null;
  readonly note: FailureNote | null;
  /** What the gate missed when it was last asked. */
  readonly followUp: readonly string[];
}

export function newBead(id: string, by: AgentName, at: number): BeadRecord {
  return {
    id,
    status: 'open',
    failures: 0,
    at,
    by,
    labels: [],
    claim: null,
    commit: null,
    note: null,
    followUp: [],
  };
}

export function encodeBead(bead: BeadRecord): unknown {
  const { claim, note, at, unknown, ...rest } = bead;
  return {
    ...rest,
    ...unknown,
    at: formatTime(at),
    ...(claim === null
      ? {}
      : {
          claim: {
            ...claim,
            acquiredAt: formatTime(claim.acquiredAt),
            endedAt: formatTime(claim.endedAt),
          },
        }),
    ...(note === null ? {} : { note }),
  };
}

const beadKeys: ReadonlySet<string> = new Set([
  'id',
  'status',
  'failures',
  'at',
  'by',
  'labels',
  'claim',
  'commit',
  'note',
  'followUp',
]);

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readBy(value: unknown): AgentName | null {
  return isFields(value) &&
    typeof value['id'] === 'string' &&
    isId(value['id']) &&
    typeof value['name'] === 'string'
    ? { id: value['id'], name: value['name'] }
    : null;
}

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

function isOidOrNull(value: unknown): value is Oid | null {
  return value === null || (typeof value === 'string' && /^[0-9a-f]{40,64}$/.test(value));
}

export function readBead(value: unknown): BeadRecord | null {
  if (!isFields(value)) return null;
  const { id, status, failures, labels, commit, followUp } = value;
  const by = readBy(value['by']);
  const at = typeof value['at'] === 'string' ? parseTime(value['at']) : Number.NaN;
  const [claim, note] = [readClaim(value['claim']), readNote(value['note'])];
  if (
    typeof id !== 'string' ||
    (status !== 'open' && status !== 'done' && status !== 'parked') ||
    typeof failures !== 'number' ||
    Number.isNaN(at)
  )
    return null;
  if (by === null || !areTexts(labels) || !areTexts(followUp) || !isOidOrNull(commit)) return null;
  return claim === undefined || note === undefined
    ? null
    : {
        id,
        status,
        failures,
        at,
        by,
        labels,
        claim,
        commit,
        note,
        followUp,
        ...carry(value, beadKeys),
      };
}

function readClaim(value: unknown): PastClaim | null | undefined {
  if (value === undefined) return null;
  if (!isFields(value) || typeof value['token'] !== 'number' || !isOidOrNull(value['base']))
    return undefined;
  const timeOf = (said: unknown): number =>
    typeof said === 'string' ? parseTime(said) : Number.NaN;
  const [acquiredAt, endedAt] = [timeOf(value['acquiredAt']), timeOf(value['endedAt'])];
  const { token, base, agents } = value;
  return Number.isNaN(acquiredAt + endedAt) || !areTexts(agents)
    ? undefined
    : { token, base, acquiredAt, endedAt, agents };
}

function readNote(value: unknown): FailureNote | null | undefined {
  if (value === undefined) return null;
  if (!isFields(value)) return undefined;
  const { reason, cause, tail, log, commit, held, next } = value;
  const by = readBy(value['by']);
  if (by === null) return undefined;
  if (
    typeof reason !== 'string' ||
    typeof cause !== 'string' ||
    typeof tail !== 'string' ||
    typeof log !== 'string' ||
    typeof next !== 'string'
  )
    return undefined;
  return isOidOrNull(commit) && areTexts(held)
    ? { by, reason, cause, tail, log, commit, held, next }
    : undefined;
}

/** A bead that its tracker calls ready. */
export interface ReadyBead {
  readonly id: string;
  readonly title: string;
  /** 0 is the most urgent. */
  readonly priority: number;
  readonly labels: readonly string[];
  readonly createdAt: string;
}

const needs = /^(?:needs|requires):(.+)$/;

/** A label `needs:gpu` wants an agent with the tag gpu. */
function fits({ labels }: ReadyBead, tags: readonly string[]): boolean {
  return labels.every(
    (label) => tags.includes(needs.exec(label)?.[1] ?? label) || !needs.test(label),
  );
}

/**
 * Most urgent first; of equals what suits the agent by its tags and by what it has finished before;
 * then the oldest.
 */
export function ranked(
  ready: readonly ReadyBead[],
  tags: readonly string[],
  agent: string,
  records: ReadonlyMap<string, BeadRecord>,
): readonly ReadyBead[] {
  const finished = new Map<string, number>();
  for (const { status, by, labels } of records.values()) {
    if (status === 'done' && by.name === agent)
      for (const label of labels) finished.set(label, (finished.get(label) ?? 0) + 1);
  }
  const score = ({ id, labels }: ReadyBead): number => {
    const record = records.get(id);
    const hasFailed = record !== undefined && record.failures > 0 && record.note?.by.name === agent;
    return labels.reduce(
      (sum, label) =>
        sum +
        (tags.includes(label) || tags.includes(needs.exec(label)?.[1] ?? '') ? 4 : 0) +
        Math.min(3, finished.get(label) ?? 0),
      hasFailed ? -100 : 0,
    );
  };
  return ready
    .filter((bead) => fits(bead, tags))
    .toSorted(
      (a, b) =>
        a.priority - b.priority ||
        score(b) - score(a) ||
        (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : a.id < b.id ? -1 : 1),
    );
}
