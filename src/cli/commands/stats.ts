import { parseDuration } from '../../core/instant.ts';
import { statsReport } from '../../show/stats.ts';
import { text, type Verb } from '../verb.ts';

export const stats: Verb = {
  words: ['stats'],
  about: 'how much agents wait for each other, and what to do about it',
  flags: [{ name: 'since', value: 'time', about: 'how far back: 24h unless asked' }],
  examples: [['coord stats --since 24h', 'tries, waits, lock times, and warnings with what to do next']],
  run: async (call) => {
    const windowMs = parseDuration(text(call, 'since') ?? '24h', '--since');
    const world = call.world();
    const entries = await world.store.history(await world.store.observe(), 0);
    return statsReport(entries, windowMs, world.clock.now().at);
  },
};
