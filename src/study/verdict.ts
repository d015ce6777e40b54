/**
 * Is what an agent was told true of the log that came of it? A grant stands in the log as the
 * agent's own; a refusal names what stood in the way, and it did, in the very state that the answer
 * is from.
 */

import { clash, type Stand } from '../core/check-log.ts';
import type { Lease, Mode, Resource } from '../core/lease.ts';
import { overlaps } from '../core/overlap.ts';
import type { Granted } from '../loop/acquire.ts';
import type { Outcome } from '../loop/operation.ts';

export interface Asked {
  readonly agent: string;
  readonly workTree?: string | undefined;
  readonly want: Resource;
  readonly mode: Mode;
  /** Sent before under the same nonce: the answer is what still stands of it. */
  readonly again?: boolean;
}

/** What is wrong with the answer to this request; empty if it is true. */
export function untruths(
  asked: Asked,
  outcome: Outcome<Granted>,
  log: readonly Stand[],
): readonly string[] {
  const at = log.findIndex(({ entry }) => entry.seq === outcome.at.seq);
  if (outcome.at.seq > 0 && at < 0)
    return [`${asked.agent} was answered from place ${outcome.at.seq}, which is not in the log`];
  const until = log.slice(0, at + 1);
  return outcome.kind === 'done'
    ? falseGrant(asked, outcome.result.leases, until)
    : falseRefusal(asked, outcome, until);
}

function falseGrant(
  asked: Asked,
  leases: readonly Lease[],
  until: readonly Stand[],
): readonly string[] {
  const problems: string[] = [];
  for (const lease of leases) {
    const stood = until.some(({ entry, state }) => {
      const logged = state.leases.get(lease.id);
      return (
        logged !== undefined &&
        logged.agent.name === asked.agent &&
        logged.token === lease.token &&
        entry.agent.name === asked.agent &&
        entry.events.some((event) => event.lease === lease.id)
      );
    });
    if (!stood)
      problems.push(`${asked.agent} was granted lease ${lease.id}, which is not in the log`);
  }
  if (asked.again !== true && !covers(leases, asked))
    problems.push(
      `${asked.agent} was granted ${leases.map(({ id }) => id).join(' ')}, which is not all that it asked for`,
    );
  return problems;
}

function covers(leases: readonly Lease[], { want, mode }: Asked): boolean {
  const strong = leases.filter((lease) => lease.mode === mode || lease.mode === 'exclusive');
  switch (want.kind) {
    case 'reservation':
      return want.patterns.every((pattern) =>
        strong.some(
          (lease) =>
            lease.kind === 'reservation' && lease.patterns.some((held) => overlaps(held, pattern)),
        ),
      );
    case 'claim':
      return strong.some((lease) => lease.kind === 'claim' && lease.bead === want.bead);
    case 'lock':
      return strong.some((lease) => lease.kind === 'lock' && lease.name === want.name);
  }
}

function falseRefusal(
  asked: Asked,
  { refusal }: Extract<Outcome<Granted>, { kind: 'refused' }>,
  until: readonly Stand[],
): readonly string[] {
  if (!('blockers' in refusal)) return [];
  // Who ran out of patience is told what it waited for, which may be gone by the time it has left
  // the line.
  const seen = refusal.kind === 'timeout' ? until : until.slice(-1);
  const problems: string[] = [];
  for (const blocker of refusal.blockers) {
    const stood =
      seen.some(({ state }) => state.leases.has(blocker.id)) &&
      clash(blocker, wish(asked, blocker));
    if (!stood)
      problems.push(
        `${asked.agent} was refused over lease ${blocker.id}, which was not in its way`,
      );
  }
  if ('ahead' in refusal) {
    for (const wait of refusal.ahead)
      if (!seen.some(({ state }) => state.waits.has(wait.id)))
        problems.push(`${asked.agent} was refused over wait ${wait.id}, which was not there`);
    if (refusal.blockers.length + refusal.ahead.length === 0)
      problems.push(`${asked.agent} was refused, and nothing stood in its way`);
  }
  if (refusal.kind === 'deadlock') problems.push(...openCircle(asked, refusal.cycle, until.at(-1)));
  return problems;
}

function wish({ want, mode, workTree, agent }: Asked, like: Lease): Lease {
  const { workTree: _, ...rest } = like;
  const where = mode === 'lines' && workTree !== undefined ? { workTree } : {};
  return { ...rest, ...want, mode, ...where, agent: { id: '', name: agent } };
}

/** Each one in the circle waits, for the next one; the last one for the first. */
function openCircle(
  { agent }: Asked,
  cycle: Extract<
    Extract<Outcome<Granted>, { kind: 'refused' }>['refusal'],
    { kind: 'deadlock' }
  >['cycle'],
  last: Stand | undefined,
): readonly string[] {
  const waiting = new Set([...(last?.state.waits.values() ?? [])].map((wait) => wait.agent.name));
  const closed =
    cycle.length > 1 &&
    cycle.every(
      (edge, i) =>
        edge.heldBy.id === cycle[(i + 1) % cycle.length]?.agent.id &&
        (i === 0 || waiting.has(edge.agent.name)),
    );
  return closed && cycle[0]?.agent.name === agent
    ? []
    : [`${agent} was told of a circle of waits that is none`];
}
