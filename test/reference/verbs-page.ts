/** docs/reference/verbs.md: every verb with its usage, flags, examples and exit codes. */

import { aboutOf, defaultOf, flagAbout, flagName, usageOf } from '../../src/cli/described.ts';
import { type Flag, globalFlags, type Verb } from '../../src/cli/verb.ts';
import { exitMeanings } from '../../src/core/exits.ts';
import { exitCodesOf, verbGroups } from './groups.ts';
import { anchor, code, fence, page, table } from './markdown.ts';
import type { VerbSchema } from './schemas.ts';

function flagTable(flags: readonly Flag[]): readonly string[] {
  const withEnv = flags.some(({ env }) => env !== undefined);
  return table(
    ['flag', ...(withEnv ? ['environment'] : []), 'default', 'about'],
    flags.map((flag) => [
      code(flagName(flag)),
      ...(withEnv ? [code(flag.env ?? '')] : []),
      defaultOf(flag),
      flagAbout(flag),
    ]),
  );
}

function argument({ positional }: Verb): string {
  if (positional === undefined) return '';
  const { name, about, least, most } = positional;
  const how = least === 0 ? ' (may be left out)' : most > least ? ' (one or more)' : '';
  return `${code(name.replaceAll(' ', '-'))}: ${about}${how}.`;
}

function section(entry: VerbSchema): string {
  const { verb, words, file } = entry;
  const codes = exitCodesOf(entry).map(String).join(', ');
  return [
    [`### coord ${words}`],
    [aboutOf(verb)],
    fence('', [usageOf(verb)]),
    [argument(verb)],
    flagTable(verb.flags),
    fence(
      'sh',
      verb.examples.flatMap(([line, about]) => [`# ${about}`, line]),
    ),
    [
      `Exit codes: ${codes}${verb.exits === undefined ? '' : `; ${verb.exits}`}. JSON: [${file}.json](../../schema/${file}.json), [in words](json.md#${anchor(`coord ${words}`)}).`,
    ],
  ]
    .map((part) => part.join('\n'))
    .filter((part) => part !== '')
    .join('\n\n');
}

export function verbsPage(): string {
  const groups = verbGroups();
  const count = groups.reduce((sum, { verbs }) => sum + verbs.length, 0);
  return page('Verbs', [
    `\`coord <verb>\`, also \`git coord <verb>\`: ${count} verbs.`,
    groups.flatMap(({ title, verbs }) => [
      `- [${title}](#${anchor(title)}): ${verbs
        .map(({ words }) => `[${words}](#${anchor(`coord ${words}`)})`)
        .join(', ')}`,
    ]),
    '## Flags of every verb',
    flagTable(globalFlags),
    'What stands on the command line wins over the environment. A switch in the environment is on unless it says `0`, `false`, `no`, `off` or nothing. A word that begins with a dash stands after `--`.',
    '## Exit codes',
    table(
      ['code', 'means'],
      exitMeanings.map(([number, means]) => [String(number), means]),
    ),
    'Never 2, which every harness reads from a hook as "block".',
    ...groups.flatMap(({ title, about, verbs }) => [`## ${title}`, about, ...verbs.map(section)]),
  ]);
}
