import { statusReport, statusLine, whoReport } from '../../show/status.ts';
import { circumstances } from '../../operate.ts';
import { keyOf } from '../../git/paths.ts';
import { isOn, limitFlag, whole, type Verb } from '../verb.ts';

export const status: Verb = {
  words: ['status'],
  about: 'who is here, who holds what, who waits',
  flags: [limitFlag, { name: 'line', about: 'all of it on one line, for a prompt' }],
  examples: [
    ['coord status', 'the whole picture'],
    ['coord status --line', 'for a prompt'],
    ["git for-each-ref refs/coord --format='%(refname:lstrip=2)  %(authorname)  %(contents:subject)'", 'the same with plain git'],
  ],
  run: async (call) => {
    const world = call.world();
    const at = await world.store.observe();
    const c = circumstances(world, at);
    return isOn(call, 'line') ? statusLine(at.state, c) : statusReport(at, c, whole(call, 'limit'));
  },
};

export const who: Verb = {
  words: ['who'],
  about: 'each agent with its beads, locks and paths, last active first; of some paths only their holders',
  positional: { name: 'path', least: 0, most: Number.POSITIVE_INFINITY, about: 'only who holds something of these' },
  flags: [limitFlag],
  examples: [['coord who', 'everybody'], ['coord who src/api', 'whom to ask about src/api']],
  run: async (call) => {
    const world = call.world();
    const at = await world.store.observe();
    const paths = call.positionals.map((arg) => keyOf({ repository: world.repository, cwd: call.cwd }, arg, false));
    return whoReport(at.state, circumstances(world, at), paths, whole(call, 'limit'));
  },
};
