/** What a reader wants of the verbs that no definition says: their groups, and their exit codes. */
import type { Verb } from '../../src/cli/verb.ts';
import { exits } from '../../src/core/exits.ts';
import { verbSchemas } from './schemas.ts';

const groups: readonly (readonly [title: string, about: string, verbs: readonly string[]])[] = [
  [
    'Setting up',
    'Hooks of git and of harnesses, and whether all is in order.',
    ['install', 'uninstall', 'doctor', 'demo', 'completion', 'shell'],
  ],
  [
    'Sessions',
    'Who acts.',
    ['session start', 'session adopt', 'session end', 'session list', 'whoami'],
  ],
  ['Reservations', 'Who may edit what.', ['reserve', 'check', 'renew', 'release']],
  ['Locks', 'One at a time, by name.', ['run', 'lock', 'unlock']],
  ['Work', 'Beads: units of work.', ['next', 'claim', 'done', 'unclaim', 'who']],
  ['Evidence', 'What was tested, and the gate that reads it.', ['verify', 'gate']],
  [
    'Between agents',
    'Asking, answering, handing over, and the last resort.',
    ['ask', 'answer', 'inbox', 'transfer', 'break', 'pause'],
  ],
  ['Seeing', 'What is and what was.', ['status', 'log', 'explain', 'stats', 'sweep']],
  [
    'Commits and saved work',
    'The private index, and what can come back.',
    [
      'commit',
      'stage status',
      'stage refresh',
      'rescue list',
      'rescue show',
      'rescue diff',
      'rescue restore',
      'rescue save',
    ],
  ],
  [
    'Many machines',
    'The log on a remote.',
    ['remote set', 'remote off', 'remote probe', 'sync', 'push'],
  ],
  [
    'For programs and for study',
    'What hooks and harnesses run, and a model.',
    ['hook', 'mcp', 'statusline', 'simulate'],
  ],
];

export interface VerbGroup {
  readonly title: string;
  readonly about: string;
  readonly verbs: readonly (typeof verbSchemas)[number][];
}

export function verbGroups(): readonly VerbGroup[] {
  const grouped = new Set(groups.flatMap(([, , verbs]) => verbs));
  const lost = verbSchemas.filter(({ words }) => !grouped.has(words));
  if (lost.length > 0)
    throw new Error(
      `in no group: ${lost.map(({ words }) => words).join(', ')}: test/reference/groups.ts`,
    );
  return groups.map(([title, about, verbs]) => ({
    title,
    about,
    verbs: verbs.map((words) => {
      const found = verbSchemas.find((one) => one.words === words);
      if (found === undefined)
        throw new Error(`there is no verb '${words}': test/reference/groups.ts`);
      return found;
    }),
  }));
}

export const exitMeanings: readonly (readonly [code: number, means: string])[] = [
  [exits.done, 'done, granted, free'],
  [exits.refused, 'refused: held by another, not yours, gate not passed'],
  [exits.usage, 'usage: bad flag, bad pattern, bad id'],
  [exits.unavailable, 'unavailable: not a repository, git or the remote failed'],
  [exits.bug, 'a bug in coord'],
  [exits.tryAgain, 'try again: busy, wait timed out, outcome unknown'],
  [exits.interrupted, 'interrupted'],
];

/** What the codes of a verb mean besides, where that differs. */
const special: Readonly<Record<string, string>> = {
  run: "the command's own is passed on; 75 if it succeeded and the lock was lost meanwhile; 126 or 127 if it cannot be started",
  verify:
    "the command's own is passed on; 75 if it succeeded and files changed or the lock was lost meanwhile; 126 or 127 if it cannot be started",
  check: '1 only if another holds it',
  doctor: '1 only if something needs mending',
  'remote probe': '69 if the server is not fit for a log',
  'stage refresh': '75 if the index is locked',
  hook: 'of a git hook 1 means no; of a harness it is always 0, and the answer is in what is printed',
  mcp: '0 at the end of its input',
};

const waits: ReadonlySet<string> = new Set([
  'reserve',
  'claim',
  'lock',
  'run',
  'verify',
  'push',
  'log',
]);
const neverOne: ReadonlySet<string> = new Set(['remote probe']);

/** The codes that this verb can end with. */
export function exitCodesOf({ words, refused }: (typeof verbSchemas)[number]): readonly number[] {
  return exitMeanings
    .map(([code]) => code)
    .filter(
      (code) =>
        (code !== exits.refused || (refused.length > 0 && !neverOne.has(words))) &&
        (code !== exits.interrupted || waits.has(words)),
    );
}

export function passesOn(words: string): boolean {
  return words === 'run' || words === 'verify';
}

export function exitNote(words: string): string | undefined {
  return Object.hasOwn(special, words) ? special[words] : undefined;
}

/** As the help has it. */
export function usageOf({ words, positional, command }: Verb): string {
  const flags = '[options]';
  const name = `${positional?.name.replaceAll(' ', '-') ?? ''}${(positional?.most ?? 1) > 1 ? '..' : ''}`;
  const slot = positional === undefined ? [] : [positional.least > 0 ? `<${name}>` : `[${name}]`];
  const rest = command === true ? ['-- <command> [arguments]'] : slot;
  return ['coord', ...words, flags, ...rest].join(' ');
}
