/** docs/man: coord(1) and git-coord(1) as roff, from the same data as the pages. */

import { aboutOf, defaultOf, flagAbout, flagName, usageOf } from '../../src/cli/described.ts';
import { version } from '../../src/cli/installed.ts';
import { type Flag, globalFlags } from '../../src/cli/verb.ts';
import { exitMeanings } from '../../src/core/exits.ts';
import type { Setting } from '../../src/core/setting.ts';
import { settingByKey } from '../../src/core/settings.ts';
import { exitCodesOf, verbGroups } from './groups.ts';
import type { VerbSchema } from './schemas.ts';

/** Plain text of one line: nothing in it is roff's. */
export function roff(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replaceAll('`', '\\(ga');
  return /^\./.test(escaped) ? `\\&${escaped}` : escaped;
}

const bold = (text: string): string => `\\fB${roff(text)}\\fR`;
const sentence = (text: string): string => `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}.`;

function item(term: string, ...about: readonly string[]): readonly string[] {
  return ['.TP', term, ...about];
}

function flagItem(flag: Flag): readonly string[] {
  const env = flag.env === undefined ? '' : ` Environment: ${flag.env}.`;
  const usual = flag.value === undefined ? '' : ` Default: ${defaultOf(flag)}.`;
  return item(bold(flagName(flag)), roff(`${flagAbout(flag)}.${usual}${env}`));
}

function verbPart(entry: VerbSchema): readonly string[] {
  const { verb } = entry;
  const { positional } = verb;
  return [
    `.SS ${bold(usageOf(verb))}`,
    roff(aboutOf(verb)),
    ...(positional === undefined
      ? []
      : item(
          `\\fI${roff(positional.name.replaceAll(' ', '-'))}\\fR`,
          roff(`${positional.about}.`),
        )),
    ...verb.flags.flatMap(flagItem),
    '.PP',
    'Examples:',
    ...verb.examples.flatMap(([line, about]) => item(bold(line), roff(about))),
    '.PP',
    roff(
      `Exit codes: ${exitCodesOf(entry).join(', ')}${verb.exits === undefined ? '' : `; ${verb.exits}`}.`,
    ),
  ];
}

function settingItem({ name, usual, means, takes, caps }: Setting<unknown>): readonly string[] {
  return item(
    bold(name),
    roff(
      `${means} Takes ${takes}. Default: ${usual === '' ? 'nothing' : usual}.${caps === undefined ? '' : ` Cap: ${caps}.`}`,
    ),
  );
}

function opening(name: string, about: string): readonly string[] {
  return [
    '.\\" Written by npm run reference from the code; a change belongs there.',
    `.TH ${name.toUpperCase()} 1 "" "coord ${version()}" "coord"`,
    '.nh',
    '.SH NAME',
    `${roff(name)} \\- ${roff(about)}`,
    '.SH SYNOPSIS',
    `${bold(name.replace('-', ' '))} \\fIverb\\fR [\\fIoptions\\fR] [\\fIarguments\\fR]`,
  ];
}

const about = 'coordination for coding agents that share a git repository, kept in git itself';

export function coordManual(): string {
  return `${[
    ...opening('coord', about),
    '.SH DESCRIPTION',
    roff(
      'Agents and persons that work in one repository reserve files, claim work and take locks; git hooks hold every commit to that. All of it is a log of commits under refs/coord/log, which plain git shows.',
    ),
    '.PP',
    roff('The same program answers to git coord.'),
    '.SH OPTIONS OF EVERY VERB',
    ...globalFlags.flatMap(flagItem),
    ...verbGroups().flatMap(({ title, about: what, verbs }) => [
      `.SH ${roff(title.toUpperCase())}`,
      roff(what),
      ...verbs.flatMap(verbPart),
    ]),
    '.SH SETTINGS',
    roff('Keys of git config; coord doctor shows which apply and where they come from.'),
    ...[...settingByKey.values()].flatMap(settingItem),
    '.SH EXIT STATUS',
    ...exitMeanings.flatMap(([code, means]) => item(bold(String(code)), roff(sentence(means)))),
    '.SH ENVIRONMENT',
    ...item(
      bold('COORD_TRACE'),
      roff('A file that gets a line of JSON for every command, hook and git child.'),
    ),
    '.SH SEE ALSO',
    `${bold('git-coord')}(1), ${bold('git')}(1), ${bold('git-notes')}(1), ${bold('githooks')}(5)`,
  ].join('\n')}\n`;
}

/** What `git help coord` shows: the verbs, and where the rest stands. */
export function gitCoordManual(): string {
  return `${[
    ...opening('git-coord', about),
    '.SH DESCRIPTION',
    `The same program as ${bold('coord')}(1), called by git: each verb takes the same options.`,
    '.PP',
    roff('git takes the option -c itself, before the word coord.'),
    ...verbGroups().flatMap(({ title, verbs }) => [
      `.SS ${roff(title)}`,
      ...verbs.flatMap(({ words, verb }) => item(bold(`git coord ${words}`), roff(aboutOf(verb)))),
    ]),
    '.SH EXIT STATUS',
    `As of ${bold('coord')}(1).`,
    '.SH SEE ALSO',
    `${bold('coord')}(1), ${bold('git')}(1)`,
  ].join('\n')}\n`;
}
