/**
 * The quick reader of arguments and yargs give one command one meaning; help and mistakes are
 * yargs' alone.
 */
import { describe, expect, test } from 'vitest';
import { allVerbs } from '../../src/cli/all-verbs.ts';
import { type Parsed, readArguments } from '../../src/cli/arguments.ts';
import { explain } from '../../src/cli/main.ts';
import { closest } from '../../src/core/closest.ts';
import { seeded } from '../support/world.ts';

const seed = Number(process.env['COORD_SEED'] ?? 7);

function plain(parsed: Parsed | null): unknown {
  return parsed === null
    ? null
    : {
        verb: parsed.verb.words.join(' '),
        positionals: parsed.positionals,
        command: parsed.command,
        flags: Object.fromEntries(parsed.flags),
      };
}

const lines: readonly (readonly string[])[] = [
  ['reserve', 'a', 'b', '--ttl', '5m', '--shared'],
  ['--json', 'reserve', 'a', '--reason=two words'],
  ['reserve', '--agent', 'ann', '--', '-odd', '--json'],
  ['-C', 'sub', 'check', 'x'],
  ['check', 'x', '-c', 'coord.ttl=1m', '-c', 'coord.grace=2m'],
  ['session', 'start', 'ann', '--shell'],
  ['session', 'list', '--limit', '3'],
  ['run', '--lock', 'test', '--', 'npm', 'test', '--', '--json'],
  ['release', '--all'],
  ['renew', '00000001', '--edited', 'a', '--edited', 'b'],
  ['log', '--since', '12'],
  ['transfer', '12345678', '--to', 'bob'],
  ['sweep', '--dry-run', '--older-than', '1h'],
  ['whoami'],
  ['reserve', '123', '1e3', '0x10', 'true'],
];

async function explained(line: readonly string[]): Promise<Parsed | null> {
  const understood = await explain(line, {});
  return understood.kind === 'command' ? understood.parsed : null;
}

describe('arguments', () => {
  test.for(
    lines.map((line) => [line.join(' '), line] as const),
  )('%s means the same to both', async ([, line]) => {
    const quick = readArguments(line, allVerbs, {});
    expect(quick).not.toBeNull();
    expect(plain(quick)).toEqual(plain(await explained(line)));
  });

  test(`so do 400 generated command lines that the quick reader takes (seed ${seed})`, async () => {
    const next = seeded(seed);
    const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)] as T;
    let taken = 0;
    for (let i = 0; i < 400; i += 1) {
      const verb = pick(allVerbs.filter(({ command }) => command !== true));
      const flags = Array.from({ length: Math.floor(next() * 3) }, () =>
        pick([...verb.flags, { name: 'json' }, { name: 'agent', value: 'x' }]),
      ).flatMap((flag) =>
        'value' in flag && flag.value !== undefined
          ? next() < 0.5
            ? [`--${flag.name}`, 'v1']
            : [`--${flag.name}=v2`]
          : [`--${flag.name}`],
      );
      const free = Array.from({ length: Math.floor(next() * 3) }, () =>
        pick(['a', 'src/**', '12', 'x y', 'ä']),
      );
      const line =
        next() < 0.5 ? [...verb.words, ...free, ...flags] : [...verb.words, ...flags, ...free];
      const quick = readArguments(line, allVerbs, {});
      if (quick === null) continue;
      taken += 1;
      expect(plain(await explained(line)), line.join(' ')).toEqual(plain(quick));
    }
    expect(taken).toBeGreaterThan(100);
  });

  test.for([
    ['reserve'],
    ['reserve', 'a', '--nope'],
    ['reserve', 'a', '--ttl'],
    ['nonsense'],
    ['session'],
    ['run', '--lock', 'x'],
    ['status', 'extra'],
  ])('%j is left to yargs, which refuses it', async (line) => {
    expect(readArguments(line, allVerbs, {})).toBeNull();
    await expect(explain(line, {})).rejects.toThrow();
  });

  test.for([
    [['--', 'reserve', 'a'], 'there is no verb'],
    [['--', 'word'], 'there is no verb'],
    [['--'], 'there is no verb'],
    [['-C', 'reserv', 'word'], "there is no verb 'word'"],
    [['--agent=ann', 'word', '--', 'reserve'], "there is no verb 'word'"],
  ] as const)('%j has no verb: what is behind -- is none', async ([line, says]) => {
    await expect(explain(line, {})).rejects.toThrow(says);
  });

  test('every global flag has a twin in the environment, and the command line wins', () => {
    const env = {
      COORD_AGENT: 'env',
      COORD_JSON: '1',
      COORD_WAIT: '5s',
      COORD_CONFIG: 'coord.ttl=1m',
      COORD_DIRECTORY: '/x',
      COORD_QUIET: '1',
      COORD_COLOR: 'never',
    };
    const parsed = readArguments(['reserve', 'a', '--agent', 'said'], allVerbs, env);
    expect(Object.fromEntries(parsed?.flags ?? [])).toEqual({
      agent: 'said',
      json: true,
      wait: '5s',
      config: ['coord.ttl=1m'],
      directory: '/x',
      quiet: true,
      color: 'never',
    });
  });

  test.for([
    ['reserv', 'reserve'],
    ['stauts', 'status'],
    ['realease', 'release'],
    ['xyzzy', null],
  ] as const)('%s was meant to be %s', ([typed, meant]) => {
    expect(
      closest(
        typed,
        allVerbs.map(({ words }) => words[0] ?? ''),
      ),
    ).toBe(meant);
  });
});
