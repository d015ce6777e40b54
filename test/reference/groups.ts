/** What a reader wants of all verbs: their groups under their titles, and their exit codes. */
import { groupTitles } from '../../src/cli/described.ts';
import { exitMeanings, exits } from '../../src/core/exits.ts';
import { type VerbSchema, verbSchemas } from './schemas.ts';

export interface VerbGroup {
  readonly title: string;
  readonly about: string;
  readonly verbs: readonly VerbSchema[];
}

export function verbGroups(): readonly VerbGroup[] {
  return Object.entries(groupTitles).map(([group, [title, about]]) => ({
    title,
    about,
    verbs: verbSchemas.filter(({ verb }) => verb.group === group),
  }));
}

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
