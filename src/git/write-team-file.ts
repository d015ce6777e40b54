/** Changes of the team's file, whose form its team may have chosen. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { applyEdits, modify } from 'jsonc-parser';
import { CoordError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import type { Setting } from '../core/setting.ts';
import { teamFile, teamFrom, teamKey } from '../core/team.ts';
import { regularText } from './regular-file.ts';
import type { Repository } from './repository.ts';
import { forgetTeam } from './team-file.ts';

/** Keeps what else stands there, and how it is written. Null takes the setting out. */
export function setInTeamFile(
  repository: Repository,
  setting: Setting<unknown>,
  values: readonly string[] | null,
): void {
  const [value = ''] = values ?? [];
  const written = values === null ? undefined : setting.isMany === true ? values : value;
  writeTeam(repository, { [teamKey(setting)]: written });
}

/** With `undefined` a key goes. */
export function writeTeam(
  repository: Repository,
  changes: Readonly<Record<string, unknown>>,
): void {
  const file = join(repository.top, teamFile);
  const before = regularText(file, limits.projectFileBytes);
  if (before !== null && teamFrom(before).problems.some(({ key }) => key === null))
    throw new CoordError(
      'not_writable',
      `'${teamFile}' is no JSON object, and is not written over`,
      'mend it by hand',
    );
  let text = before ?? '{}\n';
  const format = { insertSpaces: true, tabSize: 2, eol: '\n' };
  for (const [key, value] of Object.entries(changes))
    text = applyEdits(text, modify(text, [key], value, { formattingOptions: format }));
  writeFileSync(file, text);
  forgetTeam(repository);
}
