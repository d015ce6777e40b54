/** Help, drawn from the definitions of the verbs at the width of the terminal. */
import { exitSentence } from '../core/exits.ts';
import { wrapped } from '../render/wrap.ts';
import { allVerbs } from './all-verbs.ts';
import { findVerb, freeWords } from './arguments.ts';
import {
  aboutOf,
  argumentName,
  defaultOf,
  flagAbout,
  flagName,
  groupTitles,
  usageOf,
} from './described.ts';
import { type Flag, familiesOf, globalFlags, type Verb } from './verb.ts';

/** A page is not wider, however wide the terminal is. */
export const fullWidth = 100;

/** True where help is asked for, or nothing is said; behind `--` it is the command's own. */
export function asksHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const own = end < 0 ? argv : argv.slice(0, end);
  if (own.some((word) => word === '--help' || word === '-h')) return true;
  return end < 0 && freeWords(own, 1).length === 0;
}

/** Of the verb or family that is named, or of coord. */
export function helpText(argv: readonly string[], columns: number): string {
  const width = Math.min(fullWidth, columns);
  const [first = ''] = freeWords(argv, 1);
  const verb = findVerb(argv, allVerbs);
  const family = familiesOf(allVerbs).get(first);
  const lines =
    verb !== null
      ? helpOfVerb(verb, width)
      : family !== undefined
        ? helpOfFamily(first, family, width)
        : helpOfAll(width);
  return lines.join('\n');
}

function helpOfAll(width: number): readonly string[] {
  const column = Math.max(...allVerbs.map(({ words }) => words.join(' ').length));
  return [
    'coord <verb> [options]',
    '',
    ...wrapped(
      'Coordination for coding agents and people who share a git repository, kept in git itself.',
      width,
    ),
    ...Object.entries(groupTitles).flatMap(([group, [title]]) => [
      '',
      `${title}:`,
      ...allVerbs
        .filter((verb) => verb.group === group && verb.isForPeople !== false)
        .flatMap((verb) => twoColumns(verb.words.join(' '), verb.about, column, width)),
    ]),
    '',
    'Options of every verb:',
    ...flagLines(globalFlags, width),
    ...twoColumns('-h, --help', 'show help', flagColumn(globalFlags), width),
    ...twoColumns('-v, --version', 'show the version', flagColumn(globalFlags), width),
    '',
    ...wrapped('coord <verb> --help shows the options of a verb, and examples.', width),
    ...wrapped(exitSentence(), width),
  ];
}

function helpOfFamily(family: string, verbs: readonly Verb[], width: number): readonly string[] {
  const column = Math.max(...verbs.map(({ words }) => words.join(' ').length));
  return [
    `coord ${family} <verb> [options]`,
    '',
    ...verbs.flatMap((verb) => twoColumns(verb.words.join(' '), verb.about, column, width)),
    '',
    ...wrapped(`coord ${family} <verb> --help shows its options, and examples.`, width),
  ];
}

function helpOfVerb(verb: Verb, width: number): readonly string[] {
  const { positional, flags, examples, exits } = verb;
  const own = flags.length === 0 ? [] : ['', 'Options:', ...flagLines(flags, width)];
  return [
    usageOf(verb),
    '',
    ...wrapped(aboutOf(verb), width),
    ...(positional === undefined
      ? []
      : [
          '',
          'Argument:',
          ...twoColumns(
            argumentName(positional),
            positional.about,
            argumentName(positional).length,
            width,
          ),
        ]),
    ...own,
    '',
    'Examples:',
    ...examples.flatMap(([line, about]) => [`  ${line}`, ...wrapped(about, width, '      ')]),
    '',
    ...wrapped(
      `Options of every verb: ${globalFlags.map(({ name }) => `--${name}`).join(', ')}; see coord --help.`,
      width,
    ),
    ...(exits === undefined ? [] : wrapped(`Exit codes: ${exits}.`, width)),
  ];
}

/** A name that is longer has its words on the next line. */
function flagColumn(flags: readonly Flag[]): number {
  return Math.min(24, Math.max(...flags.map((flag) => flagName(flag).length)));
}

function flagLines(flags: readonly Flag[], width: number): readonly string[] {
  return flags.flatMap((flag) => {
    const usual =
      flag.value === undefined || flag.usual === undefined ? '' : ` (default: ${defaultOf(flag)})`;
    const env = flag.env === undefined ? '' : ` [${flag.env}]`;
    return twoColumns(flagName(flag), `${flagAbout(flag)}${usual}${env}`, flagColumn(flags), width);
  });
}

function twoColumns(name: string, about: string, column: number, width: number): readonly string[] {
  const [first = '', ...rest] = wrapped(about, width, ' '.repeat(column + 4));
  return name.length > column
    ? [`  ${name}`, first, ...rest]
    : [`  ${name.padEnd(column)}  ${first.trimStart()}`, ...rest];
}
