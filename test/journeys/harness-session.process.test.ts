/**
 * A session of every harness, through the configuration that install wrote: from its start to its
 * end.
 */
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Driver, driver, type HarnessName, shapes } from '../support/harness.ts';
import { events } from '../support/log-check.ts';
import { at, type TestRepository } from '../support/repository.ts';
import { checkout, pathsIn, ranIn } from '../support/sessions.ts';

function plugged(harness: HarnessName): { readonly repo: TestRepository; readonly drive: Driver } {
  const repo = checkout();
  // One at a time has a file.
  repo.git('config', 'coord.editMode', 'exclusive');
  const installed = repo.text(null, 'install', '--harness', harness);
  expect(installed.code, installed.stderr).toBe(0);
  repo.git('add', '.');
  repo.git('commit', '-q', '-m', 'plugged in');
  return { repo, drive: driver(repo, harness) };
}

const held = (repo: TestRepository): Readonly<Record<string, string>> =>
  Object.fromEntries(
    repo
      .coord(null, 'status')
      .json['leases'].map(
        ({ patterns, agent }: { patterns: readonly string[]; agent: { name: string } }) => [
          patterns.join(' '),
          agent.name,
        ],
      ),
  );
const [ann, bob] = [
  { session: '0a1b2c3d-1111-4222-8333-444455556666' },
  { session: '0a1b2c3d-1111-4222-8333-777788889999' },
];

function leftNothing(repo: TestRepository): void {
  for (const folder of ['sessions', 'edits', 'stages'])
    expect(
      existsSync(join(repo.top, '.git/coord', folder))
        ? readdirSync(join(repo.top, '.git/coord', folder))
        : [],
      folder,
    ).toEqual([]);
}

describe.for(Object.keys(shapes) as readonly HarnessName[])('%s', (harness) => {
  test('is told who is here, reserves by editing, is refused what another has, is caught at the shell, and leaves nothing', () => {
    const { repo, drive } = plugged(harness);
    const { shape } = drive;
    expect(drive.start(ann).code).toBe(0);
    const second = drive.start(bob);
    expect(shape.contextOf(second.json)).toEqual(
      expect.stringMatching(
        new RegExp(`you are ${harness}-[0-9a-f]{8} \\([0-9a-z]{8}\\), with 1 other here`),
      ),
    );
    expect(Buffer.byteLength(String(shape.contextOf(second.json)))).toBeLessThanOrEqual(800);

    // The first edit reserves; the same again is quiet, whatever is in the payload.
    for (let i = 0; i < 2; i += 1)
      expect(drive.beforeEdit(ann, join(repo.top, 'src/a'))).toMatchObject({
        code: 0,
        stdout: '',
        stderr: '',
      });
    const [me] = Object.values(held(repo));
    expect(held(repo)).toEqual({
      'src/a': expect.stringMatching(new RegExp(`^${harness}-[0-9a-f]{8}$`)),
    });

    const refused = drive.beforeEdit(bob, join(repo.top, 'src/a'));
    const reason = String(shape.reasonOf(refused.json));
    expect(refused).toMatchObject({ code: 0, json: shape.denial(reason) });
    expect(Object.keys(refused.json)).toEqual(Object.keys(shape.denial(reason)));
    expect(reason).toMatch(
      new RegExp(
        `^coord: src/a is held by ${me} \\([0-9a-z]{8}\\) for \\d+s .*, expires in 15m\\.\nNext: coord reserve --wait 2m -- src/a$`,
      ),
    );

    // By the shell: what can be read from the command is refused, what shows only afterwards is
    // told to both.
    expect(
      String(shape.reasonOf(drive.beforeShell(bob, 'npm test; sed -i s/a/b/ src/a').json)),
    ).toMatch(/^coord: src\/a is held by .*\nNext: coord reserve --wait 2m -- src\/a$/);
    appendFileSync(join(repo.top, 'src/a'), 'unsaved work of ann\n');
    expect(String(shape.reasonOf(drive.beforeShell(bob, 'git stash').json))).toMatch(
      /uncommitted work of others: src\/a of .*\nNext: git stash push -- '<your files>'$/,
    );
    expect(drive.beforeShell(bob, 'python3 generate.py')).toMatchObject({ code: 0 });
    appendFileSync(join(repo.top, 'src/a'), 'written by the program\n');
    writeFileSync(join(repo.top, 'src/made'), 'made by the program\n');
    drive.afterShell(bob, 'python3 generate.py');
    expect(Object.keys(held(repo)).sort()).toEqual(['src/a', 'src/made']);
    const kept = repo.coord(null, 'rescue', 'list').json['saved'];
    expect(kept[0]).toMatchObject({ agent: me });
    expect(repo.text(null, 'rescue', 'restore', kept[0].id, '--to', '../kept').code).toBe(0);
    expect(readFileSync(join(repo.top, '../kept/src/a'), 'utf8')).toMatch(/unsaved work of ann\n$/);

    for (const caller of [ann, bob])
      expect(drive.end(caller)).toMatchObject({ code: 0, stdout: '' });
    expect(held(repo)).toEqual({});
    leftNothing(repo);
  });
});

describe('a holder whose file was written over', () => {
  test('learns of it at its next hook, once, and so does who did it', () => {
    const { repo, drive } = plugged('claude');
    for (const caller of [ann, bob]) drive.start(caller);
    drive.beforeEdit(ann, join(repo.top, 'src/a'));
    // Its own edit tool is not at it just now.
    for (const file of readdirSync(join(repo.top, '.git/coord/edits'), { recursive: true })
      .map(String)
      .filter((name) => name.endsWith('@')))
      ranIn(repo.top, repo.env, 'touch', ['-d', '1 minute ago', join('.git/coord/edits', file)]);
    drive.beforeShell(bob, 'python3 x.py');
    appendFileSync(join(repo.top, 'src/a'), 'by a program\n');
    expect(String(drive.shape.contextOf(drive.afterShell(bob, 'python3 x.py').json))).toMatch(
      /changed src\/a, held by claude-.*\nNext: git diff -- src\/a$/,
    );
    expect(
      String(
        drive.shape.contextOf(drive.moment('UserPromptSubmit', ann, { prompt: 'go on' }).json),
      ),
    ).toMatch(/a command of claude-[0-9a-f]{8} .* has changed src\/a/);
    expect(drive.moment('UserPromptSubmit', ann, { prompt: 'go on' }).stdout).toBe('');
    expect(events(repo, 'overwritten')).toHaveLength(1);
  });
});

describe.for(['claude', 'codex'] as const)('subagents of %s', (harness) => {
  test('collide, are told apart, and free only what is theirs', () => {
    const { repo, drive } = plugged(harness);
    const file = join(repo.top, '../claude-env');
    drive.start(ann, 'startup', { CLAUDE_ENV_FILE: file });
    const [one, two] = [
      { ...ann, subagent: 'agent-one' },
      { ...ann, subagent: 'agent-two' },
    ];
    for (const child of [one, two]) expect(drive.moment('SubagentStart', child).code).toBe(0);
    drive.beforeEdit(ann, join(repo.top, 'src/d'));
    expect(drive.beforeEdit(one, join(repo.top, 'src/a')).stdout).toBe('');
    expect(
      String(drive.shape.reasonOf(drive.beforeEdit(two, join(repo.top, 'src/a')).json)),
    ).toMatch(/held by [a-z]+-[0-9a-f]{8}\/[0-9a-f]{8} /);
    expect(drive.beforeEdit(two, join(repo.top, 'src/b')).stdout).toBe('');
    const command = 'git add src/b && git commit -m two';
    expect(drive.beforeShell(two, command).stdout).toBe('');
    appendFileSync(join(repo.top, 'src/b'), 'two\n');
    const asked =
      harness === 'claude'
        ? `${readFileSync(file, 'utf8')}: && eval '${command}' < /dev/null && pwd -P >| /dev/null`
        : command;
    const ran = ranIn(
      repo.top,
      {
        ...repo.env,
        CLAUDE_CODE_SESSION_ID: harness === 'claude' ? ann.session : '',
        ...(harness === 'codex'
          ? {
              SHLVL: '1',
              BASH_ENV: join(repo.top, '.git/coord/shell'),
              CODEX_SESSION_ID: ann.session,
              CODEX_THREAD_ID: two.subagent,
            }
          : {}),
      },
      'bash',
      ['-c', asked],
    );
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
    expect(pathsIn(repo)).toBe('src/b');
    expect(repo.git('log', '-1', '--format=%(trailers:key=Coord-Agent,valueonly)').trim()).toEqual(
      expect.stringMatching(/-[0-9a-f]{8}\/[0-9a-f]{8} \(/),
    );
    expect(drive.moment('SubagentStop', two, { stop_hook_active: false }).code).toBe(0);
    expect(Object.keys(held(repo)).sort()).toEqual(['src/a', 'src/d']);
  });
});

describe('the life of a session of Claude Code', () => {
  test('its shell is its agent with its own git, resume and compaction keep what it holds, and clear hands it on', () => {
    const { repo, drive } = plugged('claude');
    const file = join(repo.top, '../claude-env');
    drive.start(ann, 'startup', { CLAUDE_ENV_FILE: file });
    drive.beforeEdit(ann, join(repo.top, 'src/a'));
    appendFileSync(join(repo.top, 'src/a'), 'ann\n');
    const inSession = { ...repo.env, CLAUDE_CODE_SESSION_ID: ann.session };
    const shell = ranIn(repo.top, inSession, 'sh', [
      '-c',
      `. ${file}; coord() { '${process.execPath}' '${join(import.meta.dirname, '../../dist/coord.cjs')}' "$@"; }; coord whoami; git add src/a && git commit -q -m mine`,
    ]);
    const [name] = Object.values(held(repo));
    expect({ code: shell.code, stdout: shell.stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining(name ?? '?'),
    });
    expect(repo.git('log', '-1', '--format=%(trailers:key=Coord-Agent,valueonly)')).toContain(name);
    // A program that knows only the harness's own variable is the same agent.
    expect(
      at(repo.top, { ...repo.env, CLAUDE_CODE_SESSION_ID: ann.session }).coord(null, 'whoami').json[
        'agent'
      ].name,
    ).toBe(name);

    for (const why of ['resume', 'compact'])
      expect(String(drive.shape.contextOf(drive.start(ann, why).json))).toMatch(
        /You hold src\/a \(expires in/,
      );
    // [U26] Its lines are there once, and those of others stay.
    appendFileSync(file, 'export OTHER=1\n');
    for (const why of ['resume', 'compact']) drive.start(ann, why, { CLAUDE_ENV_FILE: file });
    const exported = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    expect(exported.map((line) => line.split('=')[0])).toEqual(['coord_session', 'export OTHER']);
    drive.end(ann, 'clear', { CLAUDE_PID: '4242' });
    const next = { session: 'ffffffff-2222-4222-8333-444455556666' };
    expect(
      String(drive.shape.contextOf(drive.start(next, 'clear', { CLAUDE_PID: '4242' }).json)),
    ).toContain(`you are ${name}`);
    expect(held(repo)).toEqual({ 'src/a': name });
    expect(drive.beforeEdit(next, join(repo.top, 'src/a')).stdout).toBe('');
    drive.end(next);
    expect(held(repo)).toEqual({});
  });

  test('another harness that is started in its shell leaves what is told to that shell alone', () => {
    const { repo, drive } = plugged('codex');
    const file = join(repo.top, '../claude-env');
    const inherited = { CLAUDE_ENV_FILE: file, CLAUDE_PID: '4242' };
    drive.start(ann, 'startup', inherited);
    drive.beforeEdit(ann, join(repo.top, 'src/a'));
    expect(existsSync(file)).toBe(false);
    drive.end(ann, 'clear', inherited);
    expect(held(repo)).toEqual({});
  });

  test('two sessions whose ids begin alike are two agents; a session that nobody told of begins with its first edit', () => {
    const { repo, drive } = plugged('claude');
    for (const [i, caller] of [ann, bob].entries())
      drive.beforeEdit(caller, join(repo.top, `src/${'ab'[i] ?? ''}`));
    expect(new Set(Object.values(held(repo))).size).toBe(2);
  });
});
