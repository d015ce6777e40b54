/**
 * The one loop that everything goes through:
 *
 *   observe the log -> decide (pure) -> swap if unchanged -> else again
 *
 * Nothing is reported before the log has been read again and this operation's own nonce found in
 * it: neither git's "yes" nor its "no" is proof. A refusal is never turned into a grant by a
 * fallback, and a failure is never reported as a refusal.
 */

import { nameOf } from '../core/agent.ts';
import type { Decide, DecisionContext } from '../core/decide/decision.ts';
import { agentNamed } from '../core/decide/enrol.ts';
import { CoordError } from '../core/errors.ts';
import { unregistered } from '../core/hash.ts';
import type { AgentName } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import type { Observation } from '../log/log-store.ts';
import { Attempts } from './attempts.ts';
import type { OperateOptions, Outcome } from './operation.ts';
import type { World } from './world.ts';

/**
 * Runs one decision to its end. Throws CoordError where the world failed or the outcome is unknown.
 */
export async function operate<R>(
  world: World,
  decide: Decide<R>,
  options: OperateOptions<R> = {},
): Promise<Outcome<R>> {
  const attempts = new Attempts<R>(world, options);
  const startedMs = world.clock.now().uptimeMs;
  try {
    for (let lost = 0; lost < limits.swapAttempts; ) {
      const seen = await world.store.observePending();
      if (seen.advisorySince !== undefined && options.isAdvisable !== true)
        throw new CoordError(
          'arbiter_unreachable',
          `remote '${seen.remote ?? ''}' cannot be reached, and this cannot be advice`,
          'try again; what is held stays held until its time is over',
        );
      const earlier = await attempts.alreadyDone(seen);
      if (earlier !== null) return earlier;
      const c = decisionContext(world, seen, options.afterSeq);
      const decision = decide(seen.state, c);
      if (decision.kind !== 'change') {
        if (seen.remote !== undefined)
          world.store.cloneAgents?.(seen, actorOf(world, seen).id, c.now);
        // A no, or that there is nothing to do, is only said of what was so. What one holds may be
        // a moment old.
        if (await world.store.confirm(seen, decision.kind === 'refused' ? startedMs : null))
          return decision.kind === 'same'
            ? { ...decision, kind: 'done', at: seen }
            : { ...decision, at: seen };
        lost += 1;
        continue;
      }
      if (!(await attempts.hasTurn(lost > 0))) continue;
      const outcome = await attempts.swap(seen, c, decision);
      if (outcome !== null) return outcome;
      lost += 1;
    }
    throw new CoordError(
      'busy',
      `the log moved ${limits.swapAttempts} times in a row`,
      'try again',
    );
  } finally {
    attempts.end();
  }
}

export function decisionContext(world: World, seen: Observation, afterSeq = 0): DecisionContext {
  return {
    now: world.clock.now(),
    seq: Math.max(seen.seq, afterSeq) + 1,
    graceMs: world.settings.graceMs,
    stalledMs: world.settings.stalledMs,
    breakMs: world.settings.breakMs,
    folding: world.settings.folding,
    isRemote: seen.remote !== undefined,
    ...(seen.advisorySince === undefined ? {} : { advisorySince: seen.advisorySince }),
    workTree: () => world.workTree?.(),
    newId: () => world.random.id(),
  };
}

/** Whoever is calling, as on record; for operations that do not register anybody. */
export function actorOf(world: World, { state }: Observation): AgentName {
  const { name } = world.caller();
  const known = agentNamed(state, name);
  return known === null ? unregistered(name) : nameOf(known);
}
