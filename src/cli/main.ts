/**
 * Every verb, with help, and an answer to every mistake. yargs explains what the definitions say;
 * what the quick reader understands it never sees.
 */

import type { Argv } from 'yargs';
import { closest } from '../core/closest.ts';
import { CoordError } from '../core/errors.ts';
import { exits } from '../core/exits.ts';
import { gitVersion } from '../git/repository.ts';
import type { Report } from '../render/report.ts';
import { allVerbs } from './all-verbs.ts';
import {
  findVerb,
  freeWords,
  globalFlagsIn,
  type Parsed,
  readArguments,
  withEnvironment,
} from './arguments.ts';
import { asksHelp, fullWidth, helpText } from './help.ts';
import { version } from './installed.ts';
import { aliases, tried } from './mistakes.ts';
import { columnsOf } from './output.ts';
import { failureReport, forEval, outputFor, runVerb } from './run-verb.ts';
import { familiesOf, globalFlags, type Verb } from './verb.ts';
import { addFlags, addVerb, usageError } from './yargs-parser.ts';

export async function main(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const words = meant(argv);
  const parsed = asksHelp(words) ? null : readArguments(words, allVerbs, env);
  if (parsed !== null) return runVerb(parsed, env);
  try {
    const understood = await explain(words, env);
    if (understood.kind === 'command') return await runVerb(understood.parsed, env);
    show(words, env, {
      ok: true,
      exit: exits.done,
      result: 'help',
      facts: { text: understood.text },
      says: understood.text.split('\n'),
      isHelp: true,
    });
  } catch (error) {
    show(
      words,
      env,
      forEval(words.includes('--shell'), failureReport(error, verbIn(words), null, env)),
    );
  }
}

/** `coord help reserve`, and the words that are short for others. */
function meant(argv: readonly string[]): readonly string[] {
  const [first = '', ...rest] = argv;
  if (first === 'help') return [...rest, '--help'];
  return Object.hasOwn(aliases, first) ? [...(aliases[first] ?? []), ...rest] : argv;
}

function show(words: readonly string[], env: NodeJS.ProcessEnv, report: Report): void {
  const flags = new Map([...globalFlagsIn(words, env), ['limit', ''] as const]);
  outputFor({ positionals: [], command: [], flags }, env).show(verbIn(words), report);
  process.exitCode = report.exit;
}

function verbIn(words: readonly string[]): Verb | null {
  return findVerb(words, allVerbs);
}

type Explained =
  | { readonly kind: 'command'; readonly parsed: Parsed }
  | { readonly kind: 'help'; readonly text: string };

/**
 * Help, or the error that a mistake is; a spelling that only yargs understands (`-qC dir`) comes
 * back as arguments.
 */
export async function explain(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<Explained> {
  let understood: Parsed | null = null as Parsed | null;
  if (asksVersion(argv)) return { kind: 'help', text: versions(env) };
  rejectUnknownVerb(argv);
  rejectUnknownFlag(argv);
  if (asksHelp(argv)) return { kind: 'help', text: helpText(argv, columnsOf(1) ?? fullWidth) };
  const parser = await build((parsed) => {
    understood = {
      ...parsed,
      flags: withEnvironment(parsed.flags, [...parsed.verb.flags, ...globalFlags], env),
    };
  });
  await parser.parseAsync([...argv]);
  if (understood !== null) return { kind: 'command', parsed: understood };
  throw usageError('there is no verb');
}

function versions(env: NodeJS.ProcessEnv): string {
  const git = gitVersion(env);
  return `coord ${version()} (node ${process.versions.node}, ${git === null ? 'no git' : `git ${git}`})`;
}

function asksVersion(argv: readonly string[]): boolean {
  const isVersion = (word: string): boolean => /^(-[vV]|--version)$/.test(word);
  return argv.some(isVersion) && argv.every((word) => isVersion(word) || word === '--json');
}

function rejectUnknownVerb(argv: readonly string[]): void {
  const [first] = freeWords(argv, 1);
  if (first === undefined || allVerbs.some(({ words }) => words[0] === first)) return;
  const meant = Object.hasOwn(tried, first) ? tried[first] : undefined;
  const near =
    meant ??
    closest(
      first,
      allVerbs.map(({ words }) => words[0] ?? ''),
    );
  throw new CoordError(
    'unknown_verb',
    `there is no verb '${first}'`,
    near === null ? 'coord --help lists them' : `did you mean: coord ${near}`,
  );
}

function rejectUnknownFlag(argv: readonly string[]): void {
  const known = [...(verbIn(argv)?.flags ?? []), ...globalFlags]
    .map(({ name }) => name)
    .concat('help', 'version');
  for (const word of argv.slice(0, argv.includes('--') ? argv.indexOf('--') : argv.length)) {
    const [, name] = /^--(?:no-)?([^=]+)/.exec(word) ?? [];
    if (name === undefined || known.includes(name) || known.includes(`no-${name}`)) continue;
    const near = closest(name, known);
    throw new CoordError(
      'usage',
      `there is no flag '--${name}' here`,
      near === null
        ? `coord ${verbIn(argv)?.words.join(' ') ?? '<verb>'} --help lists them`
        : `did you mean: --${near}`,
    );
  }
}

/** Loaded for mistakes and rare spellings alone. */
async function build(found: (parsed: Parsed) => void): Promise<Argv> {
  const { default: yargs } = await import('yargs');
  const parser = yargs()
    .scriptName('coord')
    .parserConfiguration({
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'boolean-negation': false,
      'populate--': true,
    })
    .version(false)
    .help(false)
    .strict()
    .exitProcess(false)
    .fail((message: string | null, error?: Error) => {
      throw error instanceof CoordError ? error : usageError(message ?? error?.message ?? '');
    });
  addFlags(parser, globalFlags);
  for (const verb of allVerbs.filter(({ words }) => words.length === 1))
    addVerb(parser, verb, found);
  for (const [family, verbs] of familiesOf(allVerbs)) {
    parser.command(family, verbs.map(({ words }) => words[1]).join(', '), (inner) => {
      for (const verb of verbs) addVerb(inner, verb, found);
      return inner.demandCommand(
        1,
        `say what to do: ${verbs.map(({ words }) => words.join(' ')).join(', ')}`,
      );
    });
  }
  return parser;
}
