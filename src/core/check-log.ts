/**
 * What has to hold in every prefix of a log, judged from its entries and states alone, by no code
 * that decides: no two conflicting leases stand beside each other; tokens only grow; nothing that
 * is gone comes back; places are gap-free and nonces are used once; and whatever changed is told by
 * an event.
 *
 * No clock is read here. A lease that has run out may be granted away, but then it has to be gone:
 * an observer under another clock could not tell that it has run out.
 */

import type { Entry } from './entry.ts';
import { type Event, leasesOf } from './event.ts';
import { shorten } from './harmless.ts';
import { areKin } from './ids.ts';
import { describe, type Lease, type Wait, whyUnfit } from './lease.ts';
import { limits } from './limits.ts';
import { collide, exactSpelling } from './overlap.ts';
import { emptyState, type State } from './state.ts';

/** One operation with the state after it. */
export interface Stand {
  readonly entry: Entry;
  readonly state: State;
}

/** All problems of a log, in words; none if it is as it should be. */
export function checkLog(log: readonly Stand[]): readonly string[] {
  const checker = new LogChecker();
  return log.flatMap((stand) => checker.add(stand));
}

/** The same, entry by entry, for a log that is still growing. */
export class LogChecker {
  #before: State = emptyState(0);
  #seq: number | null = null;
  #newestToken = 0;
  readonly #gone = new Set<string>();
  readonly #nonces = new Set<string>();

  /** Goes on from here, which was judged before. */
  static from({ entry, state }: Stand): LogChecker {
    const checker = new LogChecker();
    checker.#before = state;
    checker.#seq = entry.seq;
    checker.#newestToken = Math.max(0, ...[...state.leases.values()].map(({ token }) => token));
    return checker;
  }

  add({ entry, state }: Stand): readonly string[] {
    // What came from another log brings its tokens along, and numbers go on from the larger of
    // both.
    const isCarried = entry.events.some(({ event }) => event === 'moved' || event === 'repaired');
    const problems = [
      ...this.#checkPlace(entry, isCarried),
      ...conflicts(this.#before, state),
      ...(isCarried ? [] : this.#checkTokens(entry, state)),
      ...(isCarried ? [] : this.#checkRevival(state)),
      ...unexplained(this.#before, state, entry.events),
      ...beyondBounds(entry, this.#before, state),
    ];
    for (const id of this.#before.leases.keys()) if (!state.leases.has(id)) this.#gone.add(id);
    this.#before = state;
    return problems.map((problem) => `at ${entry.seq}: ${problem}`);
  }

  #checkPlace({ seq, nonce }: Entry, isCarried: boolean): readonly string[] {
    const problems: string[] = [];
    if (this.#seq !== null && (isCarried ? seq <= this.#seq : seq !== this.#seq + 1))
      problems.push(`it follows ${this.#seq}`);
    if (this.#seq !== null && seq > this.#seq + limits.seqAhead)
      problems.push(`it is too far from ${this.#seq}`);
    if (this.#nonces.has(nonce)) problems.push(`its nonce ${nonce} has been used before`);
    this.#seq = seq;
    this.#nonces.add(nonce);
    return problems;
  }

  /**
   * A token that is new to a lease or to its holder is its place in the log, so newer than every
   * token before.
   */
  #checkTokens({ seq }: Entry, state: State): readonly string[] {
    const granted = [...state.leases.values()].filter(({ id, token, agent }) => {
      const before = this.#before.leases.get(id);
      return before?.token !== token || before.agent.id !== agent.id;
    });
    const problems = granted
      .filter(({ token }) => token <= this.#newestToken || token !== seq)
      .map(({ id, token }) => `lease ${id} got token ${token}, after token ${this.#newestToken}`);
    this.#newestToken = Math.max(this.#newestToken, ...granted.map(({ token }) => token));
    return problems;
  }

  #checkRevival(state: State): readonly string[] {
    return [...state.leases.keys()]
      .filter((id) => this.#gone.has(id))
      .map((id) => `lease ${id} had ended and is back`);
  }
}

/**
 * Pairs of leases that must not stand beside each other, where one of them is not as it was before.
 */
function conflicts(before: State, state: State): readonly string[] {
  const leases = [...state.leases.values()];
  const isNew = leases.map((lease) => !isAsItWas(before.leases.get(lease.id), lease));
  return leases.flatMap((a, i) =>
    leases
      .filter((b, j) => (isNew[i] === true ? j > i || isNew[j] !== true : false) && clash(a, b))
      .map((b) => `${show(a)} stands beside ${show(b)}`),
  );
}

function isAsItWas(before: Lease | undefined, lease: Lease): boolean {
  return (
    before !== undefined &&
    before.token === lease.token &&
    before.mode === lease.mode &&
    before.workTree === lease.workTree &&
    before.agent.id === lease.agent.id &&
    describe(before) === describe(lease)
  );
}

/** Written here anew, so that the checker does not share the decision's mistakes. */
export function clash(a: Lease | Wait, b: Lease | Wait): boolean {
  const isOneTree = a.workTree !== undefined && a.workTree === b.workTree;
  if (a.mode === b.mode && (a.mode === 'shared' || (a.mode === 'lines' && isOneTree))) return false;
  if (a.kind === 'claim')
    return b.kind === 'claim' && a.bead === b.bead && a.agent.name !== b.agent.name;
  if (areKin(a.agent.name, b.agent.name)) return false;
  if (a.kind === 'lock') return b.kind === 'lock' && a.name === b.name;
  return (
    b.kind === 'reservation' &&
    a.patterns.some((mine) => b.patterns.some((other) => collide(mine, other, exactSpelling)))
  );
}

function beyondBounds({ seq }: Entry, before: State, state: State): readonly string[] {
  const leases = [...state.leases.values()];
  const changed = leases.filter((lease) => before.leases.get(lease.id) !== lease);
  return [
    ...leases
      .filter(({ token }) => token > seq)
      .map((lease) => `${show(lease)} has token ${lease.token}, which is yet to come`),
    ...changed.flatMap((lease) => {
      const why = whyUnfit(lease);
      return why === null ? [] : [`${show(lease)} breaks a limit: ${why}`];
    }),
  ];
}

function show(lease: Lease): string {
  const what =
    lease.kind === 'reservation'
      ? shorten(lease.patterns.join(' '), 400)
      : lease.kind === 'claim'
        ? lease.bead
        : lease.name;
  return `${lease.mode} ${lease.kind} '${what}' of ${lease.agent.name} (lease ${lease.id})`;
}

function unexplained(before: State, after: State, events: readonly Event[]): readonly string[] {
  const told = (id: string, ...names: readonly Event['event'][]): boolean =>
    events.some((event) => names.includes(event.event) && leasesOf(event).includes(id));
  const problems: string[] = [];
  for (const [id, lease] of before.leases) {
    const now = after.leases.get(id);
    if (
      now === undefined &&
      !told(id, 'released', 'expired', 'broken', 'taken', 'done', 'failed', 'moved')
    )
      problems.push(`${show(lease)} is gone without a word`);
    if (now !== undefined && now.agent.id !== lease.agent.id && !told(id, 'transferred'))
      problems.push(`${show(lease)} has changed hands without a word`);
  }
  for (const [id, lease] of after.leases) {
    if (!before.leases.has(id) && !told(id, 'acquired', 'moved', 'repaired'))
      problems.push(`${show(lease)} is there without a word`);
  }
  for (const event of events.filter((other) => other.event === 'broken')) {
    if (before.leases.get(event.lease ?? '') === undefined || !event['reason'])
      problems.push(`something was broken that did not stand, or for no reason`);
  }
  return problems;
}
