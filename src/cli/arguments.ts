/**
 * The quick reader of arguments. It takes what is plainly right and leaves everything else (a flag
 * it does not know, a missing value, a call for help) to yargs, which explains; so the two can
 * never give one command two meanings.
 */
import { type Flag, globalFlags, isSwitchedOn, type Parsed, type Verb } from './verb.ts';

export type { Parsed } from './verb.ts';

export function readArguments(
  argv: readonly string[],
  verbs: readonly Verb[],
  env: NodeJS.ProcessEnv,
): Parsed | null {
  const words = argv.filter((_, i) => i < 12);
  const verb = findVerb(words, verbs);
  if (verb === null) return null;
  const known = [...verb.flags, ...globalFlags];
  const flags = new Map<string, string | true | readonly string[]>();
  const free: string[] = [];
  let command: readonly string[] = [];
  for (let i = 0; i < argv.length; i += 1) {
    const word = argv[i] ?? '';
    if (word === '--') {
      if (verb.command === true) command = argv.slice(i + 1);
      else free.push(...argv.slice(i + 1));
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      free.push(word);
      continue;
    }
    const [name, inline] = splitFlag(word);
    const flag = known.find((candidate) =>
      word.startsWith('--') ? candidate.name === name : candidate.short === name,
    );
    if (flag === undefined) return null;
    if (flag.value === undefined) {
      if (inline !== undefined) return null;
      flags.set(flag.name, true);
      continue;
    }
    const value = inline ?? argv[(i += 1)];
    if (value === undefined || (inline === undefined && value.startsWith('-'))) return null;
    if (flag.choices?.includes(value) === false) return null;
    flags.set(
      flag.name,
      flag.many === true
        ? [...((flags.get(flag.name) as readonly string[] | undefined) ?? []), value]
        : value,
    );
  }
  const positionals = free.slice(verb.words.length);
  const { least = 0, most = 0 } = verb.positional ?? {};
  if (
    positionals.length < least ||
    positionals.length > most ||
    (verb.command === true && command.length === 0)
  )
    return null;
  return { verb, positionals, command, flags: withEnvironment(flags, known, env) };
}

/** The words before the first flag or after it, as far as they name a verb. */
export function findVerb(argv: readonly string[], verbs: readonly Verb[]): Verb | null {
  const free = freeWords(argv, 2);
  return verbs.find(({ words }) => words.every((word, i) => free[i] === word)) ?? null;
}

/** The first few that are no flags, nor values of those that every verb has. */
export function freeWords(argv: readonly string[], most: number): readonly string[] {
  return looselyRead(argv).free.slice(0, most);
}

/** The flags of every verb in a line that may not be understood, and what the environment says. */
export function globalFlagsIn(argv: readonly string[], env: NodeJS.ProcessEnv): Parsed['flags'] {
  return withEnvironment(looselyRead(argv).flags, globalFlags, env);
}

function looselyRead(argv: readonly string[]): {
  readonly free: readonly string[];
  readonly flags: ReadonlyMap<string, string | true>;
} {
  const free: string[] = [];
  const flags = new Map<string, string | true>();
  for (let i = 0; i < argv.length; i += 1) {
    const word = argv[i] ?? '';
    if (word === '--') break;
    if (!word.startsWith('-')) free.push(word);
    else {
      const [name, inline] = splitFlag(word);
      const flag = globalFlags.find((candidate) =>
        word.startsWith('--') ? candidate.name === name : candidate.short === name,
      );
      if (flag === undefined) continue;
      if (flag.value === undefined) flags.set(flag.name, true);
      else flags.set(flag.name, inline ?? argv[(i += 1)] ?? '');
    }
  }
  return { free, flags };
}

function splitFlag(word: string): readonly [string, string | undefined] {
  const bare = word.replace(/^--?/, '');
  const equals = bare.indexOf('=');
  return word.startsWith('--') && equals > 0
    ? [bare.slice(0, equals), bare.slice(equals + 1)]
    : [bare, undefined];
}

/** Every global flag has a twin in the environment; what is said on the command line wins. */
export function withEnvironment(
  flags: ReadonlyMap<string, string | true | readonly string[]>,
  known: readonly Flag[],
  env: NodeJS.ProcessEnv,
): ReadonlyMap<string, string | true | readonly string[]> {
  const all = new Map(flags);
  for (const flag of known) {
    const value = flag.env === undefined ? undefined : env[flag.env];
    if (value === undefined || value === '' || all.has(flag.name)) continue;
    if (flag.value !== undefined)
      all.set(flag.name, flag.many === true ? value.split('\n') : value);
    else if (isSwitchedOn(value)) all.set(flag.name, true);
  }
  return all;
}
