import { CoordError } from '../../core/errors.ts';
import { exits } from '../../core/exits.ts';
import { phaseOf } from '../../core/lease.ts';
import { decisionContext } from '../../loop/operate.ts';
import { publishRemoteView, remoteViewPrefix } from '../../remote/view.ts';
import type { Verb } from '../verb.ts';

export const sync: Verb = {
  words: ['sync'],
  group: 'machines',
  about: 'ask the remote now, and show what is there',
  more: 'Plain git sees it under refs/coord-remote/.',
  flags: [],
  examples: [
    ['coord sync', 'what others have done since'],
    ['git for-each-ref refs/coord-remote', 'then look at it with plain git'],
  ],
  run: async (call) => {
    const world = call.world();
    const remoteLog = await world.store.remoteLog();
    if (remoteLog === null)
      throw new CoordError(
        'bad_remote',
        'no remote has the log: it is in this repository',
        'coord remote set <name>',
      );
    const before = await remoteLog.copied();
    const at = await world.store.ask();
    await remoteLog.mendView();
    const shown = await publishRemoteView(
      world.repository,
      remoteLog.remoteRef.location.remote,
      () => at,
    );
    const c = decisionContext(world, at);
    // Whoever is looked at here for the first time is timed from now.
    const live = [...at.state.leases.values()].filter(
      (lease) => phaseOf(lease, c.now, c.graceMs) !== 'expired',
    );
    const news = Math.max(0, at.seq - before.seq);
    const { remote, ref } = remoteLog.remoteRef.location;
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
              `note: refs under ${remoteViewPrefix(remote)} could not be written; nothing rests on them`,
            ],
          }),
    };
  },
};
