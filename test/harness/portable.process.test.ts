/**
 * Tracked files of harnesses work on every machine: they hold no place of one, and find coord by the
 * repository's launcher or on the PATH.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { barePath } from '../support/bare-path.ts';
import { commandsFor, driver, type HarnessName, shapes } from '../support/harness.ts';
import { machine } from '../support/machines.ts';
import { type Environment, type TestRepository, temporaryFolder } from '../support/repository.ts';
import { checkout, ranIn } from '../support/sessions.ts';

const names = Object.keys(shapes) as readonly HarnessName[];
const files = [...names.map((name) => shapes[name].file), '.opencode/plugins/coord.js'];

/** What was written into a project for all harnesses, by file. */
function written(repo: TestRepository): readonly string[] {
  return files.map((file) => readFileSync(join(repo.top, file), 'utf8'));
}

function texts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [];
}

interface Asked {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** All that a harness has for this event, in a folder and with an environment. */
function ask(
  repo: TestRepository,
  name: HarnessName,
  event: string,
  { cwd = repo.top, env = {}, tool = '' },
): Asked {
  const shape = shapes[name];
  const commands = commandsFor(repo, shape, event, tool === '' ? undefined : tool);
  const payload = {
    ...shape.common({ ...repo, top: cwd }, event, { session: 'two' }),
    ...(tool === '' ? {} : shape.tool(tool, shape.editInput(join(repo.top, 'src/a')))),
  };
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', commands.join('\n')], {
    cwd,
    env: { ...repo.env, ...env },
    input: JSON.stringify(payload),
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

function eventsOf(name: HarnessName): readonly string[] {
  return Object.values(shapes[name].events).filter((event) => event !== null);
}

/** Of an edit of src/a, as the second of two sessions. */
function edit(
  repo: TestRepository,
  name: HarnessName,
  more: { readonly cwd?: string; readonly env?: Environment },
): Asked {
  const { events, edits } = shapes[name];
  return ask(repo, name, events.before ?? '', { tool: edits, ...more });
}

/** A checkout with coord from a place of its own, in which one has src/a. */
function scene(harness = 'all'): {
  readonly repo: TestRepository;
  readonly mine: ReturnType<typeof machine>;
} {
  const repo = checkout();
  const mine = machine();
  expect(mine.install(repo, harness).code).toBe(0);
  repo.coord('ann', 'reserve', 'src/a');
  return { repo, mine };
}

describe('what stands in tracked files', () => {
  test('is the same from every machine, without a place of one, in lines that people read', () => {
    const repos = [checkout(), checkout()];
    for (const [i, repo] of repos.entries())
      expect(machine(`machine ${i}`).install(repo, 'all').code).toBe(0);
    const [one = [], two] = repos.map(written);
    expect(two).toEqual(one);
    const commands = one.slice(0, -1).flatMap((text) => texts(JSON.parse(text)));
    expect(commands.length).toBeGreaterThan(40);
    const lines = [...commands, ...(one.at(-1) ?? '').split('\n')];
    expect(lines.filter((line) => line.length > 120)).toEqual([]);
    const named = [
      ...lines,
      ...repos.map(({ top }) => readFileSync(join(top, 'AGENTS.md'), 'utf8')),
    ];
    expect(named.filter((line) => /(^|[\s'"=(`])\/(?![*/])/.test(line))).toEqual([]);
    expect(named.filter((line) => line.includes(process.execPath))).toEqual([]);
  });

  test('takes the place of what an earlier coord has written, which doctor names', () => {
    const { repo, mine } = scene('claude');
    const file = join(repo.top, '.claude/settings.json');
    const fresh = readFileSync(file, 'utf8');
    const shim = join(mine.folder, 'hooks/agent-hook');
    const old = fresh
      .replace(
        /"(?:\[ -x|git coord-hook)[^\n]*? claude ([a-z-]+)[^\n]*"/g,
        (_, moment) =>
          `"if [ -x ${shim} ]; then COORD_NODE=${process.execPath} exec ${shim} claude ${moment}; else echo x; fi"`,
      )
      .replace(
        /"\[ -x[^\n]* statusline[^\n]*"/,
        `"${process.execPath} ${mine.folder}/dist/coord.cjs statusline"`,
      );
    expect(old).not.toContain('coord-hook');
    writeFileSync(file, old);
    const record = { file, before: null, after: old };
    const records = join(repo.top, '.git/coord/installed');
    writeFileSync(join(records, encodeURIComponent(file)), JSON.stringify(record));
    const doctor = (): unknown =>
      repo
        .coord(null, 'doctor')
        .json['checks'].find(({ check }: { check: string }) => check === 'claude');
    expect(doctor()).toMatchObject({
      standing: 'note',
      says: expect.stringContaining('places of this machine'),
      next: 'coord install --harness claude',
    });
    expect(repo.coord(null, 'install', '--harness', 'claude').code).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(fresh);
    expect(doctor()).toMatchObject({ standing: 'ok' });
    expect(repo.coord(null, 'uninstall').code).toBe(0);
    expect(repo.git('status', '--porcelain')).toBe('');
  });
});

describe('each harness', () => {
  test("on a teammate's machine without coord says one line a session, in its own form", () => {
    const { repo } = scene();
    rmSync(join(repo.top, '.git/coord'), { recursive: true });
    repo.git('config', '--unset', 'alias.coord-hook');
    const env = { PATH: barePath() };
    for (const name of names) {
      const { events } = shapes[name];
      const asked = eventsOf(name).map(
        (event) => [event, ask(repo, name, event, { env })] as const,
      );
      const failed = asked.filter(([, { status }]) => status !== 0);
      expect(failed, name).toEqual([]);
      const said = asked.filter(([event, { stdout, stderr }]) =>
        event === events.start ? stdout !== '' : stdout + stderr !== '',
      );
      const [[event, { stdout = '' }] = ['', {}]] = said;
      expect([said.length, event], name).toEqual([1, events.start]);
      expect(Object.values(JSON.parse(stdout)), name).toEqual(['coord is not installed here']);
    }
  });

  test('without git, and where there is no repository, says nothing', () => {
    const { repo } = scene();
    const folder = temporaryFolder();
    for (const name of names)
      for (const event of eventsOf(name))
        for (const path of [folder, barePath()])
          expect(
            ask(repo, name, event, { cwd: folder, env: { PATH: path } }),
            `${name} ${event}`,
          ).toMatchObject({ status: 0, stdout: '' });
  });

  test('is guarded in a folder below, in a linked work tree, behind a name with spaces', () => {
    const { repo } = scene();
    const tree = join(repo.top, '../linked tree');
    repo.git('worktree', 'add', '-q', '-b', 'side', tree);
    for (const name of names)
      for (const cwd of [repo.top, join(repo.top, 'src'), tree, join(tree, 'src')]) {
        const { reasonOf } = shapes[name];
        const said = reasonOf(JSON.parse(edit(repo, name, { cwd }).stdout));
        expect(said, `${name} ${cwd}`).toContain('held by ann');
      }
  });

  test('finds coord that has moved on the PATH, and so node', () => {
    const { repo, mine } = scene();
    const launcher = join(repo.top, '.git/coord/hook');
    const text = readFileSync(launcher, 'utf8');
    writeFileSync(launcher, text.replace(/COORD_NODE='[^']*'/, "COORD_NODE='/nowhere/node'"));
    for (const name of names) expect(edit(repo, name, {}).stdout, name).toContain('held by ann');
    rmSync(mine.folder, { recursive: true });
    const env = { PATH: `${machine().bin}:${repo.env['PATH']}` };
    for (const name of names) {
      expect(edit(repo, name, {}), name).toEqual({ status: 0, stdout: '', stderr: '' });
      for (const cwd of [repo.top, join(repo.top, 'src')])
        expect(edit(repo, name, { cwd, env }).stdout, `${name} ${cwd}`).toContain('held by ann');
    }
  });

  test('denies the edit in its own form where coord itself fails, unless coord.onError says otherwise', () => {
    const { repo, mine } = scene();
    for (const file of ['hooks.cjs', 'coord.cjs'])
      writeFileSync(join(mine.folder, 'dist', file), 'console.log("half"); process.exit(7)');
    const reason = 'coord could not judge this edit (exit 7), so it is refused. Next: coord doctor';
    for (const name of names)
      for (const cwd of [repo.top, join(repo.top, 'src')]) {
        const { status, stdout } = edit(repo, name, { cwd });
        expect({ status, said: JSON.parse(stdout) }, `${name} ${cwd}`).toEqual({
          status: 0,
          said: shapes[name].denial(reason),
        });
      }
    repo.git('config', 'coord.onError', 'warn');
    for (const name of names)
      expect(edit(repo, name, {}), name).toMatchObject({
        status: 0,
        stderr: expect.stringContaining('let through'),
      });
  });
});

test('a hook that dies does not run coord a second time', () => {
  const { repo } = scene('claude');
  const launcher = join(repo.top, '.git/coord/hook');
  writeFileSync(launcher, '#!/bin/sh\ncat >/dev/null\nkill -9 $$\n');
  const bin = temporaryFolder();
  writeFileSync(join(bin, 'git-coord-hook'), '#!/bin/sh\necho again\n');
  chmodSync(join(bin, 'git-coord-hook'), 0o755);
  expect(edit(repo, 'claude', { env: { PATH: `${bin}:${repo.env['PATH']}` } })).toEqual({
    status: null,
    stdout: '',
    stderr: '',
  });
});

test('the status line is found the same way, and is empty where coord is not there', () => {
  const { repo, mine } = scene('claude');
  const { statusLine } = JSON.parse(readFileSync(join(repo.top, shapes.claude.file), 'utf8'));
  const line = (cwd: string): Asked =>
    spawnSync('sh', ['-c', statusLine.command], {
      cwd,
      env: { ...repo.env, COLUMNS: '200' },
      input: JSON.stringify({ session_id: 'one', cwd }),
      encoding: 'utf8',
    });
  for (const cwd of [repo.top, join(repo.top, 'src')])
    expect(line(cwd)).toMatchObject({ status: 0, stdout: expect.stringContaining('src/a') });
  rmSync(mine.folder, { recursive: true });
  for (const cwd of [repo.top, join(repo.top, 'src')])
    expect(line(cwd)).toMatchObject({ status: 0, stdout: '', stderr: '' });
});

test("opencode's plugin finds coord from every folder, and says once that it is not there", () => {
  const { repo, mine } = scene('opencode');
  const script = `
    const { Coord } = await import(process.argv[1]);
    const hooks = await Coord({ directory: process.argv[2] });
    const edit = { args: { filePath: process.argv[3] } };
    for (let i = 0; i < 2; i += 1)
      await hooks['tool.execute.before']?.({ tool: 'edit', sessionID: 's' }, edit).catch(({ message }) => console.log(message));
    const shell = { env: {} };
    await hooks['shell.env']?.({ sessionID: 's' }, shell);
    console.log(shell.env.PATH);`;
  const inside = (cwd: string, env: Environment): Asked =>
    spawnSync(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        script,
        join(repo.top, '.opencode/plugins/coord.js'),
        cwd,
        join(repo.top, 'src/a'),
      ],
      { cwd, env: { ...repo.env, ...env }, encoding: 'utf8' },
    );
  for (const cwd of [repo.top, join(repo.top, 'src')]) {
    const { stdout } = inside(cwd, {});
    expect(stdout.split('held by ann')).toHaveLength(3);
    expect(stdout).toContain(join(mine.folder, 'hooks/bin'));
  }
  rmSync(mine.folder, { recursive: true });
  expect(inside(repo.top, {}).stderr).toBe('coord is not installed here\n');
  expect(inside(temporaryFolder(), {})).toMatchObject({ stderr: '', stdout: 'undefined\n' });
});

test('a session that begins by its tracked hook is greeted and gets its environment', () => {
  const { repo, mine } = scene('claude');
  const file = join(repo.top, '../environment');
  writeFileSync(file, '');
  const begun = driver(repo, 'claude').start({ session: 'aaaa1111-2222' }, 'startup', {
    CLAUDE_ENV_FILE: file,
  });
  expect(begun).toMatchObject({ code: 0, stderr: '' });
  expect(begun.stdout).toContain('additionalContext');
  const inSession = { ...repo.env, CLAUDE_CODE_SESSION_ID: 'aaaa1111-2222' };
  const shell = ranIn(repo.top, inSession, 'bash', ['-c', `. '${file}'; command -v git`]);
  expect(shell.stdout.trim()).toBe(join(mine.folder, 'hooks/bin/git'));
});
