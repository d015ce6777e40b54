import { sweepDrafts } from '../../draft/published.ts';
import { orphanedStages, retireStage } from '../../draft/stage-end.ts';
import { sweep as sweepLeftovers } from '../../loop/hold.ts';
import { renderSwept } from '../../render/leases.ts';
import { duration, isOn, type Verb } from '../verb.ts';

export const sweep: Verb = {
  words: ['sweep'],
  group: 'seeing',
  about: 'clear away what has expired or is gone',
  more: 'These are leases that have expired, waits whose process is gone, and agents not seen for a day.',
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
    return renderSwept(swept, [...kept, ...unwritten]);
  },
};
