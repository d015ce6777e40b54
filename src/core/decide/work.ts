/**
 * A bead from its claim to its end: the next that is ready, done, given up after a failure, opened
 * again. What becomes of it is in the same operation as the end of its claim.
 */
import { nameOf } from '../agent.ts';
import { newBead, type ReadyBead, ranked } from '../bead.ts';
import type { Oid } from '../ids.ts';
import type { Lease } from '../lease.ts';
import { limits } from '../limits.ts';
import type { State } from '../state.ts';
import { decideAcquire } from './acquire.ts';
import type { Acquired, Acquisition } from './acquisition.ts';
import { type Decision, type DecisionContext, isActive, refused } from './decision.ts';
import { type Caller, enrol } from './enrol.ts';
import { isStalled } from './renew.ts';

export type Claim = Lease & { readonly kind: 'claim' };

/** Who works on a bead now. */
export function claimOf(state: State, bead: string, c: DecisionContext): Claim | null {
  return (
    [...state.leases.values()].find(
      (lease): lease is Claim =>
        lease.kind === 'claim' && lease.bead === bead && isActive(lease, c),
    ) ?? null
  );
}

/** Ready, and neither done, parked nor claimed; and those whose claim has stalled. */
export function offered(
  ready: readonly ReadyBead[],
  tags: readonly string[],
  agent: string,
  state: State,
  c: DecisionContext,
): { readonly free: readonly ReadyBead[]; readonly stalled: readonly ReadyBead[] } {
  const records = state.beads.records;
  const open = ranked(
    ready.filter(({ id }) => (records.get(id)?.status ?? 'open') === 'open'),
    tags,
    agent,
    records,
  );
  const stalled = open.filter(({ id }) => {
    const claim = claimOf(state, id, c);
    return claim !== null && claim.agent.name !== agent && isStalled(claim, state, c);
  });
  return { free: open.filter(({ id }) => claimOf(state, id, c) === null), stalled };
}

export interface ClaimNext extends Omit<Acquisition, 'want'> {
  readonly ready: readonly ReadyBead[];
  readonly tags: readonly string[];
}

/**
 * The first that suits, in one step with finding that nobody has it; a stalled one where nothing
 * else is left.
 */
export function decideClaimNext(
  { ready, tags, ...request }: ClaimNext,
  state: State,
  c: DecisionContext,
): Decision<Acquired> {
  const { free, stalled } = offered(ready, tags, request.caller.name, state, c);
  const [bead] = [...free, ...stalled];
  if (bead === undefined) return refused({ kind: 'nothing_ready' });
  return decideAcquire(
    { ...request, want: { kind: 'claim', bead: bead.id }, take: free.length === 0 },
    state,
    c,
  );
}

/** What the gate said of a commit, and what is to be done about its bead. */
export function decideGated(
  caller: Caller,
  verdict: {
    readonly bead: string | null;
    readonly commit: Oid;
    readonly missing: readonly string[];
  },
  state: State,
  c: DecisionContext,
): Decision<{ readonly recorded: boolean }> {
  const enrolled = enrol(state, caller, c);
  if (enrolled.kind !== 'enrolled') return refused(enrolled);
  const who = nameOf(enrolled.agent);
  const { bead, commit } = verdict;
  const missing = verdict.missing.slice(0, 20);
  const known =
    bead === null
      ? null
      : (state.beads.records.get(bead) ??
        (claimOf(state, bead, c) === null ? null : newBead(bead, who, c.now.at)));
  // Asked again and again, as in a pipeline, it says so once; and nothing of beads that nobody has
  // claimed.
  if (
    known === null ||
    (known.followUp.length === missing.length &&
      known.followUp.every((word, i) => word === missing[i]))
  )
    return { kind: 'same', result: { recorded: known !== null } };
  const beads = state.beads.with([{ ...known, followUp: missing }], limits.beadsKept);
  return {
    kind: 'change',
    actor: who,
    state: { ...enrolled.state, beads },
    events: [
      ...enrolled.events,
      {
        event: 'gated',
        agent: who,
        bead,
        commit,
        verdict: missing.length === 0 ? 'passed' : 'failed',
        missing,
      },
    ],
    result: { recorded: true },
  };
}
