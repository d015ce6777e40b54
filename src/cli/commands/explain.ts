import { nameOf } from '../../core/agent.ts';
import { CoordError } from '../../core/errors.ts';
import { explainCode, explainRefusal, toldBy } from '../../show/explain.ts';
import type { Verb } from '../verb.ts';

export const explain: Verb = {
  words: ['explain'],
  group: 'seeing',
  about: 'say why something was refused, or what a code means',
  more: 'A refusal is named by the id that it printed.',
  positional: {
    name: 'id or code',
    least: 1,
    most: 1,
    about: 'such as r3kx9a2p, held or log_newer',
  },
  flags: [],
  examples: [
    ['coord explain r3kx9a2p', 'who was refused what, when, and who held it'],
    ['coord explain log_newer', 'what this code means'],
  ],
  run: async (call) => {
    const [asked = ''] = call.positionals;
    const known = explainCode(asked);
    if (known !== null) return known;
    const world = call.world();
    const at = await world.store.glimpse();
    const told = toldBy(
      await world.store.history(at, 0),
      world.tally.pending([...at.state.agents.values()].map(nameOf)),
    );
    const report = explainRefusal(asked, told);
    if (report !== null) return report;
    throw new CoordError(
      'usage',
      `neither a code nor the id of a refusal that the log still has: '${asked}'`,
      'coord log',
    );
  },
};
