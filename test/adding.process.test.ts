/**
 * Adding is easy: a verb and a harness are one file each and their line in a list, a setting is one
 * entry. A copy of the program gets one of each, is built, and all the rest follows from that.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { dirSync } from 'tmp-promise';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hermetic, type Ran, repository, said, type TestRepository } from './support/repository.ts';

const root = resolve(import.meta.dirname, '..');
const { name: home } = dirSync({ prefix: 'coord-test-', unsafeCleanup: true });
const copy = join(home, 'coord');
const program = join(copy, 'dist/coord.cjs');

const read = (path: string): string => readFileSync(join(copy, path), 'utf8');

/** Once, before the first place where this stands. */
function insert(path: string, before: string, added: string): void {
  const text = read(path);
  if (!text.includes(before)) throw new Error(`${path} has no '${before}'`);
  writeFileSync(
    join(copy, path),
    text.replace(before, () => `${added}${before}`),
  );
}

function inCopy(command: string, ...args: string[]): string {
  return execFileSync(command, args, {
    cwd: copy,
    env: hermetic(home),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** A file, its import where the list is, and its place in that. */
function addFile(path: string, list: string, from: string, entry: readonly [string, string]): void {
  const name = basename(path, '.ts');
  cpSync(join(root, 'fixtures/adding', `${name}.ts`), join(copy, path));
  insert(list, 'import ', `import { ${name} } from '${from}';\n`);
  insert(list, ...entry);
}

function add(): void {
  const setting = [
    "  readonly greeting: Setting<'hello' | 'welcome'> = choice(['hello', 'welcome'], {",
    "    name: 'coord.greeting',",
    "    usual: 'hello',",
    "    means: 'How agents are greeted.',",
    '  });\n',
  ];
  insert('src/core/settings.ts', '  readonly sign:', setting.join('\n'));
  addFile('src/cli/commands/greet.ts', 'src/cli/all-verbs.ts', './commands/greet.ts', [
    '  install,\n',
    '  greet,\n',
  ]);
  addFile('src/adapter/rover.ts', 'src/adapter/harnesses.ts', './rover.ts', ['];', '  rover,\n']);
}

beforeAll(() => {
  for (const path of [
    'src',
    'hooks',
    'test/agents',
    'test/reference',
    'fixtures/agent-programs.json',
    'package.json',
    'tsconfig.json',
  ])
    cpSync(join(root, path), join(copy, path), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  inCopy('git', 'init', '-q');
  inCopy('git', 'add', 'src');
  add();
  inCopy('npm', 'run', '--silent', 'build');
  inCopy('npm', 'run', '--silent', 'reference');
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

const run = (repo: TestRepository, ...args: string[]): Ran =>
  said(repo.top, repo.env, args, [], program);

test('three additions are two files, two lists and an entry', () => {
  inCopy('git', 'add', '--intent-to-add', 'src');
  const changed = (...args: string[]): readonly string[] =>
    inCopy('git', 'diff', ...args)
      .trim()
      .split('\n');
  expect(changed('--name-only', '--diff-filter=A')).toEqual([
    'src/adapter/rover.ts',
    'src/cli/commands/greet.ts',
  ]);
  expect(changed('--numstat', '--diff-filter=a')).toEqual([
    '2\t0\tsrc/adapter/harnesses.ts',
    '2\t0\tsrc/cli/all-verbs.ts',
    '5\t0\tsrc/core/settings.ts',
  ]);
});

describe('the verb', () => {
  test('is read, run and printed, as text and as JSON', () => {
    const repo = repository();
    expect(run(repo, 'greet', 'ann', '--from', 'bob', '--json')).toMatchObject({
      code: 0,
      json: { schema: 'coord.greet/1', ok: true, result: 'greeted', agent: 'ann', from: 'bob' },
    });
    expect(run(repo, 'greet', 'ann').stdout).toBe('hello, ann\n');
    expect(run(repo, 'greet', '--json').json['error']).toMatchObject({ code: 'usage' });
  });

  test('is in the help, the completion, the answer to a mistake and the reference', () => {
    const repo = repository();
    expect(run(repo, '--help').stdout).toMatch(/^ {2}greet +say something kind/m);
    expect(run(repo, 'greet', '--help').stdout).toContain('in whose name');
    for (const shell of ['bash', 'fish'])
      expect(run(repo, 'completion', shell).stdout).toMatch(/\bgreet\b[^]*\bfrom\b/);
    expect(run(repo, 'gret').stderr).toContain('did you mean: coord greet');
    expect(read('docs/reference/verbs.md')).toContain('### coord greet\n');
    expect(read('docs/reference/verbs.md')).toContain(
      '| `--from <name>` | nobody | in whose name |',
    );
    expect(read('docs/man/coord.1')).toContain('Say something kind to another agent.');
    expect(JSON.parse(read('schema/greet.json'))).toMatchObject({ title: 'coord greet --json' });
  });
});

describe('the setting', () => {
  const greeting = (repo: TestRepository, ...args: string[]): unknown =>
    run(repo, ...args, 'greet', 'ann', '--json').json['greeting'];

  test('has its default, is set by git and by -c, and refuses what it does not take', () => {
    const repo = repository();
    expect(greeting(repo)).toBe('hello');
    expect(greeting(repo, '-c', 'coord.greeting=welcome')).toBe('welcome');
    repo.git('config', 'coord.greeting', 'welcome');
    expect(greeting(repo)).toBe('welcome');
    expect(
      run(repo, '-c', 'coord.greeting=hi', 'greet', 'ann', '--json').json['error'],
    ).toMatchObject({ code: 'bad_setting', hint: 'choose from hello, welcome' });
  });

  test('is in the reference and the manual', () => {
    expect(read('docs/reference/settings.md')).toContain(
      '| `coord.greeting` | `hello` | hello, welcome | How agents are greeted. |',
    );
    expect(read('docs/man/coord.1')).toContain('.TP\n\\fBcoord.greeting');
  });
});

describe('the harness', () => {
  const edit = (repo: TestRepository, tour: string, node = process.execPath): string => {
    const file = join(repo.top, 'a');
    const { stdout, stderr } = spawnSync(join(copy, 'hooks/agent-hook'), ['rover', 'before-edit'], {
      cwd: repo.top,
      env: { ...repo.env, COORD_NODE: node },
      input: JSON.stringify({ tour_id: tour, cwd: repo.top, file_path: file }),
      encoding: 'utf8',
    });
    return stdout + stderr;
  };

  test('is in the help of install, in its choices and in the reference', () => {
    const repo = repository();
    expect(run(repo, 'install', '--help').stdout).toMatch(/copilot,\s+rover,\s+all\s+or\s+none/);
    expect(run(repo, 'install', '--harness', 'x', '--json').json['error'].hint).toContain('rover');
    expect(read('docs/reference/harnesses.md')).toContain('| Rover | `rover` | `.rover`');
  });

  test('is installed, tried by doctor beside the setting, and taken away', () => {
    const repo = repository();
    repo.write('.rover/mine');
    expect(run(repo, 'install', '--json').json['harnesses']).toEqual(['rover']);
    const { checks, settings } = run(repo, 'doctor', '--json').json;
    expect(checks).toContainEqual(expect.objectContaining({ check: 'rover', standing: 'ok' }));
    expect(settings).toContainEqual({ key: 'coord.greeting', value: 'hello', origin: 'default' });
    expect(run(repo, 'uninstall', '--json').code).toBe(0);
    expect(repo.git('status', '--porcelain', '-uall')).toBe('?? .rover/mine\n');
  });

  test('its sessions are agents, and a second edit starts no coord', () => {
    const repo = repository();
    repo.write('a');
    expect(edit(repo, 'tour-0123456789abcdef')).toBe('');
    expect(edit(repo, 'tour-0123456789abcdef', '/bin/false')).toBe('');
    expect(JSON.parse(edit(repo, 'tour-fedcba9876543210'))).toMatchObject({
      verdict: 'deny',
      why: expect.stringContaining('rover-89abcdef'),
    });
    const env = { ...repo.env, ROVER_TOUR_ID: 'tour-0123456789abcdef' };
    const name = (extra: Readonly<Record<string, string>>): unknown =>
      said(repo.top, { ...repo.env, ...extra }, ['whoami', '--json'], [], program).json['agent']
        .name;
    expect(name(env)).toBe('rover-89abcdef');
    expect(name({ ROVER: '1' })).toMatch(/^rover\.[0-9a-f]{4}$/);
  });
});
