/** The verbs as yargs knows them, for rare spellings, and to say what is wrong with a wrong one. */

import type { Argv } from 'yargs';
import { CoordError } from '../core/errors.ts';
import { usageOf } from './described.ts';
import { type Flag, globalFlags, type Parsed, type Verb } from './verb.ts';

export function addVerb(parser: Argv, verb: Verb, found: (parsed: Parsed) => void): void {
  const { positional, words } = verb;
  const key = positional?.name.replaceAll(' ', '-') ?? '';
  const many = positional !== undefined && positional.most > 1 ? '..' : '';
  const slot = positional === undefined ? '' : ` [${key}${many}]`;
  // What stands behind `--` counts as positional too, which yargs does not see: we count ourselves.
  parser.command(
    `${words.at(-1) ?? ''}${slot}`,
    verb.about,
    (inner) => {
      addFlags(inner, verb.flags);
      if (positional !== undefined)
        inner.positional(key, { type: 'string', ...(many === '' ? {} : { array: true as const }) });
      return inner;
    },
    (argv) => {
      const free =
        key === ''
          ? []
          : [argv[key]].flat().filter((value): value is string => typeof value === 'string');
      const after = (argv['--'] as string[] | undefined) ?? [];
      const command = verb.command === true ? after : [];
      const positionals = verb.command === true ? free : [...free, ...after];
      const { least = 0, most = 0, name = '' } = positional ?? {};
      if (positionals.length < least)
        throw new CoordError('usage', `no ${name} is given`, usageOf(verb));
      if (positionals.length > most)
        throw new CoordError(
          'usage',
          `'${positionals[most] ?? ''}' is one word too many`,
          usageOf(verb),
        );
      if (verb.command === true && command.length === 0)
        throw new CoordError(
          'usage',
          'no command is given',
          `coord ${words.join(' ')} -- <command>`,
        );
      const flags = new Map(
        [...verb.flags, ...globalFlags].flatMap((flag) => flagValue(flag, argv[flag.name])),
      );
      found({ verb, positionals, command, flags });
    },
  );
}

function flagValue(
  flag: Flag,
  value: unknown,
): readonly (readonly [string, string | true | readonly string[]])[] {
  if (flag.value === undefined)
    return value === true || (Array.isArray(value) && value.at(-1) === true)
      ? [[flag.name, true]]
      : [];
  if (flag.many === true)
    return Array.isArray(value) && value.length > 0 ? [[flag.name, value.map(String)]] : [];
  // Said twice, the last one counts.
  const last: unknown = Array.isArray(value) ? value.at(-1) : value;
  return typeof last === 'string' ? [[flag.name, last]] : [];
}

export function addFlags(parser: Argv, flags: readonly Flag[]): void {
  for (const flag of flags) {
    parser.option(flag.name, {
      requiresArg: flag.value !== undefined,
      ...(flag.short === undefined ? {} : { alias: flag.short }),
      ...(flag.choices === undefined ? {} : { choices: flag.choices }),
      ...(flag.value === undefined
        ? { type: 'boolean' as const }
        : flag.many === true
          ? { type: 'string' as const, array: true as const, nargs: 1 }
          : { type: 'string' as const }),
    });
  }
}

/** yargs' own sentence, as ours are written. */
export function usageError(message: string): CoordError {
  const lines = message
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const said = ((lines[0]?.endsWith(':') === true ? lines.slice(0, 2).join(' ') : lines[0]) ?? '')
    .replace(/^[A-Z]/, (letter) => letter.toLowerCase())
    .replace(/\.$/, '');
  return new CoordError('usage', said, 'coord <verb> --help shows how');
}
