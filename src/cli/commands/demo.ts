import { join } from 'node:path';
import { exits } from '../../core/exits.ts';
import { showDemo } from '../../show/demo.ts';
import { installed } from '../installed.ts';
import type { Verb } from '../verb.ts';

export const demo: Verb = {
  words: ['demo'],
  group: 'setup',
  about: 'show coord at work in 20 seconds',
  more: 'It uses a throw-away repository: a race, a refusal, waiting, expiry, plain git.',
  flags: [],
  examples: [['coord demo', 'nothing of yours is touched']],
  run: async (call) => {
    const lines: string[] = [];
    await showDemo(join(installed(), 'dist', 'coord.cjs'), call.env, (line) => {
      lines.push(line);
      if (!call.json) call.emit({}, line);
    });
    return {
      ok: true,
      exit: exits.done,
      result: 'shown',
      facts: { lines },
      says: [],
      ...(call.json ? {} : { silent: true }),
    };
  },
};
