import { nameOf } from '../../core/agent.ts';
import { parseDuration, parseTime } from '../../core/instant.ts';
import type { LoggedEntry, Observation } from '../../log/log-store.ts';
import type { World } from '../../loop/world.ts';
import { statsReport } from '../../show/stats.ts';
import { text, type Verb } from '../verb.ts';

export const stats: Verb = {
  words: ['stats'],
  group: 'seeing',
  about: 'show how much agents wait for each other',
  more: 'It says what to do about it as well.',
  flags: [{ name: 'since', value: 'time', about: 'how far back: 24h unless asked', usual: '24h' }],
  examples: [
    ['coord stats --since 24h', 'tries, waits, lock times, and warnings with what to do next'],
  ],
  run: async (call) => {
    const windowMs = parseDuration(text(call, 'since') ?? '24h', '--since');
    const world = call.world();
    const at = await world.store.observe();
    const entries = [...(await world.store.history(at, 0)), ...waiting(world, at)];
    const begun = entries
      .flatMap(({ events }) => events)
      .filter(({ event, kind }) => event === 'started' && kind === 'person');
    const persons = [...at.state.agents.values()]
      .filter(({ kind }) => kind === 'person')
      .map(({ id }) => id);
    return statsReport(entries, {
      windowMs,
      nowMs: world.clock.now().at,
      isSequential: world.settings.mode === 'sequential',
      persons: new Set([...persons, ...begun.map(({ agent }) => agent.id)]),
    });
  },
};

/** What waits for a writer of the log counts as well. */
function waiting({ tally }: World, at: Observation): readonly LoggedEntry[] {
  return tally
    .pending([...at.state.agents.values()].map(nameOf))
    .map((event) => ({
      oid: '',
      seq: at.seq,
      at: parseTime(String(event['at'])),
      agent: event.agent,
      nonce: '',
      events: [event],
    }));
}
