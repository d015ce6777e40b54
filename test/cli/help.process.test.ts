/** Every verb says what it does, at the width of the terminal. */
import { describe, expect, test } from 'vitest';
import { allVerbs } from '../../src/cli/all-verbs.ts';
import { helpText } from '../../src/cli/help.ts';
import { familiesOf, globalFlags } from '../../src/cli/verb.ts';
import { at, repository } from '../support/repository.ts';

const asked = [
  [],
  ...allVerbs.map(({ words }) => words),
  ...[...familiesOf(allVerbs)].map(([family]) => [family]),
];

/** A word that is longer than the line cannot be broken, nor can an example. */
const isBreakable = (line: string): boolean => !/^ {2}(coord|git|eval|source|[A-Z_]+=)/.test(line);

describe('help', () => {
  test('every verb answers --help with its usage, examples and exit 0 [SYN-C2, ARC-C4, L1]', () => {
    const repo = repository();
    for (const words of [['reserve'], ['session', 'start'], ['run'], ['session'], []]) {
      const help = repo.text(null, ...words, '--help');
      expect({ words, code: help.code }, help.stderr).toEqual({ words, code: 0 });
      expect(help.stdout).toBe(`${helpText([...words], 100)}\n`);
    }
  });

  test.for(
    allVerbs.map((verb) => [verb.words.join(' '), verb] as const),
  )('that of %s has its flags before those of every verb, and examples', ([, verb]) => {
    const text = helpText(verb.words, 100);
    expect(text).toMatch(new RegExp(`^coord ${verb.words.join(' ')} \\[options\\]`));
    for (const { name } of verb.flags)
      expect(text.indexOf(`--${name}`)).toBeLessThan(text.indexOf('Options of every verb'));
    for (const [line] of verb.examples) expect(text).toContain(`  ${line}\n`);
  });

  test.for([60, 80, 100])('no line of it is wider than %i columns', (columns) => {
    const wide = asked.flatMap((words) =>
      helpText(words, columns)
        .split('\n')
        .filter((line) => isBreakable(line) && line.length > columns),
    );
    expect(wide).toEqual([]);
  });

  test('is not wider than a page on a wide terminal', () => {
    expect(helpText([], 200)).toBe(helpText([], 100));
  });

  test('the list has each verb on one line at 80 columns, under its group, without those for programs', () => {
    const lines = helpText([], 80).split('\n');
    for (const { words, about, isForPeople } of allVerbs)
      expect(
        lines.filter((line) => line.startsWith(`  ${words.join(' ')} `) && line.endsWith(about)),
      ).toHaveLength(isForPeople === false ? 0 : 1);
    for (const { name } of globalFlags) expect(lines.join('\n')).toContain(`--${name}`);
  });

  test('status and who, which show how it is, stand in one group', () => {
    const group = (name: string): string | undefined =>
      helpText([], 80)
        .split('\n\n')
        .find((part) => part.includes(`\n  ${name} `))
        ?.split('\n')[0];
    expect([group('status'), group('who')]).toEqual(['Seeing:', 'Seeing:']);
  });

  test.for([
    ['help', 'reserve'],
    ['reserve', '-h'],
    ['-C', '.', 'reserve', '--help'],
    ['reserve', 'a', '--help'],
  ])('%j asks for that of reserve', (argv) => {
    expect(repository().text(null, ...argv).stdout).toBe(`${helpText(['reserve'], 100)}\n`);
  });

  test.for([
    [['--color', 'always', '--help'], {}],
    [['reserve', '--help', '--color=always'], {}],
    [['help', 'reserve'], { COORD_COLOR: 'always' }],
  ] as const)('%j with %j is painted', ([argv, env]) => {
    const { top, env: usual } = repository();
    const { stdout } = at(top, { ...usual, ...env }).text(null, ...argv);
    expect(stdout).toContain('\u001b[1m');
    expect(stdout.replace(/\u001b\[\d+m/g, '')).toMatch(/^coord .*\n\n/);
  });

  test('and a mistake are as --color and --quiet say', () => {
    const repo = repository();
    expect(repo.text(null, '--color', 'always', 'reserv').stderr).toContain('\u001b[31m');
    expect(repo.text(null, '-q', 'reserv')).toMatchObject({ code: 64, stdout: '', stderr: '' });
    expect(repo.text(null, '-q', '--help').stdout).toBe(`${helpText([], 100)}\n`);
  });

  test('behind -- it is the command that is asked for help', () => {
    const ran = repository().text(null, 'run', '--lock', 'x', '--', 'git', '--help');
    expect(ran.stdout).toContain('usage: git');
  });
});

describe('words that people try', () => {
  test('ls is status, and version and -v say the version', () => {
    const repo = repository();
    expect(repo.text(null, 'ls')).toMatchObject({ code: 0, stdout: 'no leases\nno agents\n' });
    const { stdout } = repo.text(null, '--version');
    expect(stdout).toMatch(/^coord \d+\.\d+\.\d+ \(node \d+\.\d+\.\d+, git \d+\.\d+/);
    expect(repo.text(null, 'version').stdout).toBe(stdout);
    expect(repo.text(null, '-v').stdout).toBe(stdout);
  });
});
