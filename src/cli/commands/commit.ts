/** `coord commit`: what is staged, in line with everybody else who commits. */

import type { RealWorld } from '../../agent/world.ts';
import { CoordError } from '../../core/errors.ts';
import { writtenMessage } from '../../git/editor.ts';
import { commitInLine } from '../../guard/queued-commit.ts';
import { renderCommitted } from '../../render/commit.ts';
import { type Call, isOn, texts, type Verb } from '../verb.ts';

/** An editor is for somebody who sits before it, or for who names one. */
function messageOf(call: Call, { repository }: RealWorld): string {
  const said = texts(call, 'message');
  const canWrite = process.stdin.isTTY || (call.env['GIT_EDITOR'] ?? '') !== '';
  const message =
    said.length > 0 || !canWrite ? said.join('\n\n') : writtenMessage(repository, call.env);
  if (message === null || message.trim() === '')
    throw new CoordError('usage', 'no message is given', 'coord commit -m <message>');
  return message;
}

export const commit: Verb = {
  words: ['commit'],
  group: 'commits',
  isTold: false,
  about: 'commit what is staged, first come first served',
  more: 'It looks at the log in the same step: nobody who lost a lease gets past it.',
  flags: [
    {
      name: 'message',
      short: 'm',
      value: 'text',
      many: true,
      about: "the message; said twice, two paragraphs; without it git's editor is opened",
    },
    {
      name: 'all',
      short: 'a',
      about: 'stage all files first that git knows, without what others hold or have in them',
    },
  ],
  examples: [
    ['coord commit -m "fix login"', 'instead of git commit, where many commit at once'],
    ['coord commit -a -m "fix login"', 'your own lines of all changed files'],
  ],
  run: async (call) => {
    const world = call.world();
    const message = messageOf(call, world);
    const takes = isOn(call, 'all') ? 'all' : [];
    return renderCommitted(world, await commitInLine(world, { message, takes, env: call.env }));
  },
};
