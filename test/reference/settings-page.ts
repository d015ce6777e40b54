/** docs/reference/settings.md: every setting, from the table beside their defaults. */
import { settingByKey } from '../../src/core/settings.ts';
import { code, fence, page, table } from './markdown.ts';

/** With `and` before the last. */
function ownNames(): string {
  const names = [...settingByKey.values()].flatMap(({ name, isOwn }) =>
    isOwn === true ? code(name) : [],
  );
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
}

export function settingsPage(): string {
  return page('Settings', [
    `Settings are git config: for a repository, for a user (\`--global\`), for one command (\`-c\`, also before the verb: \`git -c\` for \`git coord\`). ${settingByKey.size} keys; git takes them in any case. \`coord config\` lists each with its value and where it comes from, and \`coord doctor\` names what is no setting.`,
    fence('sh', [
      'git config coord.grace 30s',
      'coord config grace 30s',
      'coord config --team grace 30s',
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
    `A team's settings stand in \`.coord.json\` at the top of its repository, under their names without \`coord.\`, beside the \`gate\`: \`{"ttl": "20m", "union": ["CHANGELOG.md"]}\`. git config goes before it, in a repository, of a user or of a machine. ${ownNames()} are for each user to say and do not count there. Nothing in the file is run, and what is wrong in it is named by \`coord doctor\` and counts for nothing. [schema/team.json](../../schema/team.json) is its JSON Schema, for an editor; \`$schema\` may name it.`,
    'A value that a key cannot have ends every command that reads the settings with `bad_setting` and exit 64; only `coord doctor` goes on and says so.',
  ]);
}
