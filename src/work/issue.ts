/** What a tracker keeps of a bead, and what coord asks of a tracker. */
import type { BeadRecord, ReadyBead } from '../core/bead.ts';

export type TrackedStatus = 'open' | 'in_progress' | 'closed' | 'other';

export interface TrackedBead extends ReadyBead {
  readonly blockedBy: readonly string[];
  readonly status: TrackedStatus;
  readonly assignee: string | null;
}

export interface Tracker {
  readonly kind: 'bd' | 'file' | 'none';
  /**
   * What could be begun now, and what agents have begun: coord knows which of them still work on
   * it.
   */
  ready(
    records: ReadonlyMap<string, BeadRecord>,
    agents: ReadonlySet<string>,
  ): readonly ReadyBead[];
  find(bead: string): TrackedBead | null;
  /** Other beads that have to be done first. */
  waitsFor(issue: TrackedBead, records: ReadonlyMap<string, BeadRecord>): readonly string[];
  /**
   * After coord's own claim: why the tracker will not have it, or null. `formerly` are agents whose
   * claim has ended.
   */
  claim(bead: string, actor: string, formerly: readonly string[]): string | null;
  close(bead: string, actor: string, reason: string): void;
  reopen(bead: string, actor: string): void;
}

export type Issue = TrackedBead;

/** An issue as bd writes it, in its file as in its answers. */
export function readIssue(value: unknown): Issue | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const {
    id,
    title,
    status,
    priority,
    labels,
    created_at: created,
    assignee,
    dependencies,
  } = value as Readonly<Record<string, unknown>>;
  if (typeof id !== 'string' || id === '') return null;
  const known: readonly TrackedStatus[] = ['open', 'in_progress', 'closed'];
  return {
    id,
    title: typeof title === 'string' ? title : '',
    status: known.find((word) => word === (status ?? 'open')) ?? 'other',
    priority: typeof priority === 'number' ? priority : 2,
    labels: Array.isArray(labels)
      ? labels.filter((label): label is string => typeof label === 'string')
      : [],
    createdAt: typeof created === 'string' ? created : '',
    assignee: typeof assignee === 'string' && assignee !== '' ? assignee : null,
    blockedBy: Array.isArray(dependencies) ? dependencies.flatMap(blockerIn) : [],
  };
}

function blockerIn(value: unknown): readonly string[] {
  const { depends_on_id: on, type } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return typeof on === 'string' && (type === undefined || type === 'blocks') ? [on] : [];
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
