/** `coord commit`: what is staged, in line with everybody else who commits. */

import { CoordError } from '../../core/errors.ts';
import { commitInLine } from '../../guard/queued-commit.ts';
import { renderCommitted } from '../../render/commit.ts';
import { texts, type Verb } from '../verb.ts';

export const commit: Verb = {
  words: ['commit'],
  group: 'commits',
  isTold: false,
  about:
    'commit what is staged, first come first served, in one step with a look at the log: nobody who lost a lease gets past it',
  flags: [
    {
      name: 'message',
      short: 'm',
      value: 'text',
      many: true,
      about: 'the message; said twice, two paragraphs',
    },
  ],
  examples: [['coord commit -m "fix login"', 'instead of git commit, where many commit at once']],
  run: async (call) => {
    const message = texts(call, 'message').join('\n\n');
    if (message.trim() === '')
      throw new CoordError('usage', 'no message is given', 'coord commit -m <message>');
    const world = call.world();
    return renderCommitted(world, await commitInLine(world, { message, env: call.env }));
  },
};
