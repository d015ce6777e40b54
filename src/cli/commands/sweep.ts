import type { RealWorld } from '../../agent/world.ts';
import { harmless } from '../../core/harmless.ts';
import { limits } from '../../core/limits.ts';
import { sweepDrafts } from '../../draft/published.ts';
import { forget, keptOfGone, pastKeeping } from '../../draft/quarantine.ts';
import { orphanedStages, retireStage } from '../../draft/stage-end.ts';
import { workTreeFolders } from '../../git/head.ts';
import { tidyLocal } from '../../git/local.ts';
import { keepDeletedBranches } from '../../guard/deleted-branches.ts';
import type { Observation } from '../../log/log-store.ts';
import { sweep as sweepLeftovers } from '../../loop/hold.ts';
import { renderSwept } from '../../render/leases.ts';
import { settledTrees } from '../../work/worktree/remove.ts';
import { duration, isOn, type Verb } from '../verb.ts';

/** What agents long gone were told of collisions. */
function tidyTold({ repository, clock }: RealWorld): void {
  const before = clock.now().at - limits.quarantineAgeMs;
  tidyLocal(repository.commonDir, 'conflicts-told', /./, before);
  for (const gitDir of workTreeFolders(repository))
    tidyLocal(gitDir, 'conflicts-seen', /./, before);
}

/** What was kept of work trees and branches that are gone, past its time or too much. */
function dropPast(world: RealWorld, at: Observation): readonly string[] {
  keepDeletedBranches(world, at);
  const { repository, clock } = world;
  const gone = keptOfGone(repository, settledTrees(repository));
  const past = pastKeeping(repository, gone, clock.now().at);
  forget(repository, past);
  return past.map(
    ({ id, path, branch, commit }) =>
      `note: dropped what was kept of ${harmless(path ?? branch ?? id)}; for two weeks git may still have it: git branch kept-${commit.slice(0, 8)} ${commit}`,
  );
}

export const sweep: Verb = {
  words: ['sweep'],
  group: 'seeing',
  about: 'clear away what has expired or is gone',
  more: 'These are leases that have expired, waits whose process is gone, agents not seen for a day, and what was kept of work trees a month ago.',
  flags: [
    { name: 'dry-run', about: 'only say what would go' },
    { name: 'older-than', value: 'time', about: 'only what ran out that long ago', usual: '0s' },
  ],
  examples: [
    ['coord sweep --dry-run', 'what would go'],
    ['coord sweep --older-than 1h', 'leave what ran out just now'],
  ],
  run: async (call) => {
    const world = call.world();
    const swept = await sweepLeftovers(
      world,
      duration(call, 'older-than') ?? 0,
      isOn(call, 'dry-run'),
    );
    if (isOn(call, 'dry-run')) return renderSwept(swept);
    const at = await world.store.observe();
    sweepDrafts(world.repository, at);
    tidyTold(world);
    const dropped = dropPast(world, at);
    const kept = orphanedStages(world.repository, (id) => at.state.agents.has(id))
      .map((id) => retireStage(world.repository, id))
      .filter((retired) => typeof retired !== 'string')
      .map(
        ({ kept: id }) =>
          `note: what was staged and not committed can come back: coord rescue show ${id}`,
      );
    const failed = await world.local.mendView(await world.local.observe());
    const unwritten =
      failed.length === 0
        ? []
        : [
            `note: the view could not be written: ${failed.join(', ')}; nothing rests on it, coord doctor --fix mends it`,
          ];
    return renderSwept(swept, [...dropped, ...kept, ...unwritten]);
  },
};
