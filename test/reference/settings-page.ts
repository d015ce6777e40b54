/** docs/reference/settings.md: every setting, from the table beside their defaults. */
import { settingByKey } from '../../src/core/settings.ts';
import { code, fence, page, table } from './markdown.ts';

export function settingsPage(): string {
  return page('Settings', [
    `Settings are git config: for a repository, for a user (\`--global\`), for one command (\`-c\`, also before the verb: \`git -c\` for \`git coord\`). ${settingByKey.size} keys; git takes them in any case. \`coord doctor\` lists each with its value and where it comes from, and names what is no setting.`,
    fence('sh', [
      'git config coord.grace 30s',
      'coord -c coord.grace=30s reserve src/auth.ts',
      'COORD_CONFIG=coord.grace=30s coord reserve src/auth.ts',
    ]),
    table(
      ['key', 'default', 'takes', 'means'],
      [...settingByKey.values()].map(({ name, usual, means, takes, caps }) => [
        code(name),
        usual === '' ? 'nothing' : code(usual),
        takes,
        `${means}${caps === undefined ? '' : ` Cap: ${caps}.`}`,
      ]),
    ),
    'A value that a key cannot have ends every command that reads the settings with `bad_setting` and exit 64; only `coord doctor` goes on and says so.',
  ]);
}
