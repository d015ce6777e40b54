/**
 * Every verb, with help, and an answer to every mistake. yargs explains what the definitions say;
 * what the quick reader understands it never sees.
 */

import type { Argv } from 'yargs';
import { closest } from '../core/closest.ts';
import { CoordError } from '../core/errors.ts';
import { exits } from '../core/exits.ts';
import type { Report } from '../render/report.ts';
import { allVerbs } from './all-verbs.ts';
import { findVerb, type Parsed, readArguments, withEnvironment } from './arguments.ts';
import { fullWidth, helpAsked, writtenHelp } from './help.ts';
import { version } from './installed.ts';
import { tried } from './mistakes.ts';
import { failureReport, forEval, outputFor, runVerb } from './run-verb.ts';
import { familiesOf, globalFlags, isSwitchedOn, type Verb } from './verb.ts';
import { addFlags, addVerb, usageError } from './yargs-parser.ts';

const exitCodes =
  'Exit codes: 0 done, granted, free; 1 refused; 64 usage; 69 unavailable; 70 a bug in coord; 75 try again; 130 interrupted.';

export async function main(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const words = argv[0] === 'help' ? [...argv.slice(1), '--help'] : argv;
  const parsed =
    words.includes('--help') || words.includes('-h') ? null : readArguments(words, allVerbs, env);
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
    });
  } catch (error) {
    show(
      words,
      env,
      forEval(words.includes('--shell'), failureReport(error, verbIn(words), null, env)),
    );
  }
}

function show(words: readonly string[], env: NodeJS.ProcessEnv, report: Report): void {
  const json = words.includes('--json') || isSwitchedOn(env['COORD_JSON']);
  outputFor(
    {
      positionals: [],
      command: [],
      flags: new Map<string, string | true>([
        ['limit', ''],
        ...(json ? [['json', true] as const] : []),
      ]),
    },
    env,
  ).show(verbIn(words), report);
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
export async function explain(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  columns: number = process.stdout.columns ?? fullWidth,
): Promise<Explained> {
  let understood: Parsed | null = null as Parsed | null;
  if (asksVersion(argv)) return { kind: 'help', text: version() };
  rejectUnknownVerb(argv);
  rejectUnknownFlag(argv);
  const written = writtenHelp(helpAsked(argv), columns);
  if (written !== null) return { kind: 'help', text: written };
  const parser = await build(columns, (parsed) => {
    understood = {
      ...parsed,
      flags: withEnvironment(parsed.flags, [...parsed.verb.flags, ...globalFlags], env),
    };
  });
  if (argv.every((word) => word === '--json'))
    return { kind: 'help', text: await parser.getHelp() };
  let text = '';
  await parser.parseAsync(
    [...argv],
    {},
    (_error: Error | undefined | null, _argv: unknown, output: string) => {
      text = output;
    },
  );
  return understood === null ? { kind: 'help', text } : { kind: 'command', parsed: understood };
}

function asksVersion(argv: readonly string[]): boolean {
  const isVersion = (word: string): boolean => /^(-[vV]|--version)$/.test(word);
  return argv.some(isVersion) && argv.every((word) => isVersion(word) || word === '--json');
}

function rejectUnknownVerb(argv: readonly string[]): void {
  const at = argv.findIndex(
    (word, i) =>
      !word.startsWith('-') &&
      !globalFlags.some(
        ({ value, name, short }) =>
          value !== undefined &&
          (argv[i - 1] === `--${name}` || argv[i - 1] === `-${short ?? '-'}`),
      ),
  );
  const first = argv[at];
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

/** Loaded for help and mistakes alone. */
async function build(columns: number, found: (parsed: Parsed) => void): Promise<Argv> {
  const { default: yargs } = await import('yargs');
  const parser = yargs()
    .scriptName('coord')
    .usage(
      '$0 <verb>\n\nCoordination for coding agents that share a git repository, kept in git itself.',
    )
    .parserConfiguration({
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'boolean-negation': false,
      'populate--': true,
    })
    .version(version())
    .help()
    .alias('help', 'h')
    .strict()
    .exitProcess(false)
    .wrap(Math.min(fullWidth, columns))
    .epilogue(exitCodes)
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
