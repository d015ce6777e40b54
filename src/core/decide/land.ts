/**
 * Work that goes to the branch everybody shares, on record in the same step that moves the branch.
 */
import type { AgentName, Lease } from '../lease.ts';
import type { State } from '../state.ts';
import { type Decision, type DecisionContext, isActive, refused } from './decision.ts';

export interface Landing {
  readonly by: AgentName;
  readonly branch: string;
  readonly commit: string;
  /** Where the branch was, or null where it is new. */
  readonly from: string | null;
  /**
   * Which of these leases, all of which stand, are in the way, and which are what the work was done
   * under.
   */
  judge(leases: readonly Lease[]): {
    readonly blockers: readonly Lease[];
    readonly own: readonly Lease[];
  };
}

export interface Landed {
  readonly tokens: readonly number[];
}

export function decideLand(
  { by, branch, commit, from, judge }: Landing,
  state: State,
  c: DecisionContext,
): Decision<Landed> {
  const { blockers, own } = judge([...state.leases.values()].filter((lease) => isActive(lease, c)));
  if (blockers.length > 0) return refused({ kind: 'held', blockers, ahead: [], retryInMs: 0 });
  const tokens = own.map(({ token }) => token).sort((a, b) => a - b);
  return {
    kind: 'change',
    actor: by,
    state,
    events: [
      { event: 'landed', agent: by, branch, commit, from, tokens, leases: own.map(({ id }) => id) },
    ],
    result: { tokens },
  };
}
