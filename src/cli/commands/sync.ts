import { CoordError } from '../../core/errors.ts';
import { phaseOf } from '../../core/lease.ts';
import { circumstances } from '../../loop/operate.ts';
import { farPrefix, publishFarView } from '../../remote/far-view.ts';
import { exits } from '../../render/report.ts';
import type { Verb } from '../verb.ts';

export const sync: Verb = {
  words: ['sync'],
  about: 'ask the remote now, and show what is there under refs/coord-remote/',
  flags: [],
  examples: [
    ['coord sync', 'what others have done since'],
    ['git for-each-ref refs/coord-remote', 'then look at it with plain git'],
  ],
  run: async (call) => {
    const world = call.world();
    const far = await world.store.far();
    if (far === null)
      throw new CoordError(
        'bad_remote',
        'no remote has the log: it is in this repository',
        'coord remote set <name>',
      );
    const before = await far.copied();
    const at = await world.store.ask();
    await far.mendView();
    const shown = await publishFarView(world.repository, far.arbiter.moved.remote, () => at);
    const c = circumstances(world, at);
    // Whoever is looked at here for the first time is timed from now.
    const live = [...at.state.leases.values()].filter(
      (lease) => phaseOf(lease, c.now, c.graceMs) !== 'expired',
    );
    const news = Math.max(0, at.seq - before.seq);
    const { remote, ref } = far.arbiter.moved;
    return {
      ok: true,
      exit: exits.done,
      result: 'synced',
      facts: { remote, ref, tip: at.tip, seq: at.seq, news, leases: live.length },
      says: [
        `${remote} is at operation ${at.seq}${news === 0 ? ', nothing new' : `, ${news} new`}; ${live.length} ${live.length === 1 ? 'lease is' : 'leases are'} held`,
      ],
      ...(shown
        ? {}
        : {
            notes: [
              `note: refs under ${farPrefix(remote)} could not be written; nothing rests on them`,
            ],
          }),
    };
  },
};
