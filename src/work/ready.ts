/** What could be begun now, best first for whoever asks. */
import type { RealWorld } from '../agent/world.ts';
import type { BeadRecord, ReadyBead } from '../core/bead.ts';
import { claimOf, offered } from '../core/decide/work.ts';
import type { AgentName } from '../core/lease.ts';
import { type Seen, seen } from '../loop/outcome.ts';
import { agentsKnown } from './claim.ts';
import type { Tracker } from './issue.ts';

export interface ReadyBeads extends Seen {
  readonly tracker: Tracker['kind'];
  readonly free: readonly ReadyBead[];
  readonly stalled: readonly { readonly bead: ReadyBead; readonly agent: AgentName }[];
  /** They wait for a person. */
  readonly parked: readonly BeadRecord[];
}

export async function readyBeads(
  world: RealWorld,
  tracker: Tracker,
  tags: readonly string[],
): Promise<ReadyBeads> {
  const as = seen(world, await world.store.observe());
  const { state } = as.at;
  const ready = tracker.ready(state.beads.records, agentsKnown(as.at));
  const { free, stalled } = offered(ready, tags, world.caller().name, state, as.ctx);
  return {
    ...as,
    tracker: tracker.kind,
    free,
    stalled: stalled.map((bead) => ({
      bead,
      agent: claimOf(state, bead.id, as.ctx)?.agent ?? { id: '', name: '' },
    })),
    parked: [...state.beads.records.values()].filter(({ status }) => status === 'parked'),
  };
}
