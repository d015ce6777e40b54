/** What a reader wants of all verbs: their groups under their titles, and their exit codes. */
import type { Group, Verb } from '../../src/cli/verb.ts';
import { exits } from '../../src/core/exits.ts';
import { type VerbSchema, verbSchemas } from './schemas.ts';

const titles: Readonly<Record<Group, readonly [title: string, about: string]>> = {
  setup: ['Setting up', 'Hooks of git and of harnesses, and whether all is in order.'],
  sessions: ['Sessions', 'Who acts.'],
  reservations: ['Reservations', 'Who may edit what.'],
  locks: ['Locks', 'One at a time, by name.'],
  work: ['Work', 'Beads: units of work.'],
  evidence: ['Evidence', 'What was tested, and the gate that reads it.'],
  between: ['Between agents', 'Asking, answering, handing over, and the last resort.'],
  seeing: ['Seeing', 'What is and what was.'],
  commits: ['Commits and saved work', 'The private index, and what can come back.'],
  machines: ['Many machines', 'The log on a remote.'],
  programs: ['For programs and for study', 'What hooks and harnesses run, and a model.'],
};

export interface VerbGroup {
  readonly title: string;
  readonly about: string;
  readonly verbs: readonly VerbSchema[];
}

export function verbGroups(): readonly VerbGroup[] {
  return Object.entries(titles).map(([group, [title, about]]) => ({
    title,
    about,
    verbs: verbSchemas.filter(({ verb }) => verb.group === group),
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

/** The codes that this verb can end with. */
export function exitCodesOf({ verb, refused, neverOne }: VerbSchema): readonly number[] {
  return exitMeanings
    .map(([code]) => code)
    .filter(
      (code) =>
        (code !== exits.refused || (refused.length > 0 && neverOne !== true)) &&
        (code !== exits.interrupted || verb.waits === true),
    );
}

/** As the help has it. */
export function usageOf({ words, positional, command }: Verb): string {
  const flags = '[options]';
  const name = `${positional?.name.replaceAll(' ', '-') ?? ''}${(positional?.most ?? 1) > 1 ? '..' : ''}`;
  const slot = positional === undefined ? [] : [positional.least > 0 ? `<${name}>` : `[${name}]`];
  const rest = command === true ? ['-- <command> [arguments]'] : slot;
  return ['coord', ...words, flags, ...rest].join(' ');
}
