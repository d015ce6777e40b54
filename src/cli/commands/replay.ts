/** What each policy would have made wait in the history of a repository, coord or not. */
import { resolve } from 'node:path';
import { CoordError } from '../../core/errors.ts';
import { exits } from '../../core/exits.ts';
import { parseDuration } from '../../core/instant.ts';
import { limits } from '../../core/limits.ts';
import { type Call, text, type Verb, whole } from '../verb.ts';

const mostByDefault = 500;

/** As git takes it: a date, or so long ago. */
function sinceOf(call: Call): string | undefined {
  const said = text(call, 'since');
  if (said === undefined) return undefined;
  if (!/^\d{4}-\d\d-\d\d$/.test(said))
    return `${Math.ceil(parseDuration(said, '--since') / 1_000)}.seconds.ago`;
  if (Number.isNaN(Date.parse(said)))
    throw new CoordError('usage', `--since '${said}' is not a date`, 'write it as 2026-01-31');
  return `${said}T00:00:00Z`;
}

function mostOf(call: Call): number {
  const most = whole(call, 'limit') ?? mostByDefault;
  if (most > 0) return most;
  throw new CoordError('usage', '--limit 0 leaves no merges to replay');
}

export const replay: Verb = {
  words: ['replay'],
  group: 'programs',
  about: 'show what sharing files would have cost in a history',
  more: 'It reads the merges: whom each policy would have made wait, and what collides.',
  positional: {
    name: 'repository',
    least: 0,
    most: 1,
    about: 'its folder, with or without coord: this one unless named; nothing is written there',
  },
  flags: [
    {
      name: 'limit',
      value: 'merges',
      about: 'look at most at so many, newest first',
      usual: String(mostByDefault),
    },
    {
      name: 'since',
      value: 'time',
      about: 'only merges since a date, or so long: 2026-01-31, 90d',
      usual: 'all',
    },
  ],
  examples: [
    ['coord replay', 'file-sharing pairs of the newest 500 merges, by policy'],
    ['coord replay ../shop --since 90d', 'another repository, which need not have coord'],
  ],
  run: async (call) => {
    const folder = resolve(call.cwd, call.positionals[0] ?? '.');
    const since = sinceOf(call);
    const most = mostOf(call);
    const { replay: replayed } = await import('../../study/replay.ts');
    const { replayLines, replayNotes } = await import('../../study/replay-table.ts');
    const signal = call.signal();
    const until = performance.now() + limits.replayMs;
    const found = await replayed({
      folder,
      env: call.env,
      most,
      ...(since === undefined ? {} : { since }),
      goOn: async (looked, merges) => {
        call.progress(`${looked} of ${merges} merges`);
        // A signal is heard in between.
        await new Promise(setImmediate);
        return !signal.aborted && performance.now() < until;
      },
    });
    call.progress('');
    if (signal.aborted)
      return { ok: false, exit: exits.interrupted, result: 'interrupted', facts: {}, says: [] };
    return {
      ok: true,
      exit: exits.done,
      result: 'replayed',
      facts: { repository: folder, ...found },
      says: replayLines(found),
      notes: replayNotes(found),
    };
  },
};
