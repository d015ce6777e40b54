/** `coord commit`: what is staged, in line with everybody else who commits. */

import { CoordError } from '../../core/errors.ts';
import { exits } from '../../core/exits.ts';
import { baseOf } from '../../draft/stage-base.ts';
import { headOf } from '../../git/head.ts';
import { afterRefusedCommit } from '../../guard/next-steps.ts';
import { commitInLine } from '../../guard/queued-commit.ts';
import { decisionContext } from '../../loop/operate.ts';
import { refusalText } from '../../render/guard.ts';
import type { Report } from '../../render/report.ts';
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
    const done = await commitInLine(world, { message, env: call.env });
    const refused = (
      result: string,
      notes: readonly string[],
      facts: Report['facts'] = {},
    ): Report => ({ ok: false, exit: exits.refused, result, facts, says: [], notes });
    switch (done.kind) {
      case 'committed':
        return {
          ok: true,
          exit: exits.done,
          result: 'committed',
          facts: { commit: done.oid, paths: done.paths, tries: done.tries },
          says: [
            `committed ${done.oid.slice(0, 10)}: ${done.paths.slice(0, 8).join(' ')}${done.paths.length > 8 ? ` and ${done.paths.length - 8} more` : ''}`,
          ],
        };
      case 'nothing':
        return refused('nothing', ['coord: nothing is staged', '  next: git add <path>']);
      case 'hook':
        return refused(
          'hook',
          [
            `coord: the hook ${done.name} refused`,
            ...done.said.split('\n').map((line) => `  ${line}`),
          ],
          { hook: done.name },
        );
      case 'refused':
        return refused(
          'refused',
          refusalText(
            done.problems,
            {
              repository: world.repository,
              base: baseOf(world.repository, done.caller.stage),
              head: headOf(world.repository).oid,
              state: done.at.state,
              c: decisionContext(world, done.at),
              isAgent: done.caller.who.isAgent,
            },
            afterRefusedCommit(world.repository, done.problems, done.staged, null),
          ),
          {
            problems: done.problems.map(({ kind, ...problem }) => ({
              kind,
              ...('path' in problem ? { path: problem.path } : {}),
            })),
          },
        );
    }
  },
};
