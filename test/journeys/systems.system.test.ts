/**
 * The rows of the systems review, of the orchestrator's plan, and of what other users of git refs
 * learned.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { reserveInThePast } from '../support/aged.ts';
import { eventually, repository } from '../support/repository.ts';

const source = join(import.meta.dirname, '../../src');

function sources(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
}

describe('the systems review', () => {
  test('SYS-1: an operation of one agent starts no process for the others', () => {
    const repo = repository();
    for (const name of ['ann', 'bob', 'cid']) repo.coord(name, 'session', 'start');
    const trace = join(repo.top, '../trace');
    const traced = { ...repo.env, COORD_TRACE: trace };
    execFileSync(
      process.execPath,
      [join(source, '../dist/coord.cjs'), 'reserve', 'mine', '--agent', 'dan'],
      { cwd: repo.top, env: traced },
    );
    repo.git('commit', '-q', '--allow-empty', '-m', 'moved');
    const lines = readFileSync(trace, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, any>);
    expect(new Set(lines.map((line) => line['pid'])).size).toBe(1);
    expect(
      lines
        .filter((line) => line['what'] === 'git')
        .map((line) => line['args'].find((arg: string) => /^[a-z-]+$/.test(arg))),
    ).toEqual(['update-ref']);
  });

  test('SYS-2: what a session leaves in the repository ends with it', () => {
    const repo = repository();
    const started = repo.coord(null, 'session', 'start', 'ann').json;
    const env = { COORD_AGENT: 'ann', COORD_SESSION: started['token'] as string };
    const session = { coord: (...args: string[]) => repo.start(null, args, env).ended };
    return session.coord('reserve', 'a').then(async (ran) => {
      expect(ran.code, ran.stdout).toBe(0);
      expect((await session.coord('session', 'end')).json['leases']).toHaveLength(1);
      expect(repo.git('for-each-ref', '--format=%(refname)', 'refs/coord').trim()).toBe(
        'refs/coord/log',
      );
      expect(repo.coord(null, 'status').json).toMatchObject({ agents: [], leases: [], waits: [] });
    });
  });

  test('SYS-3: in grace only the former holder may take it again, others are told when to retry, and expiry is not for ever', async () => {
    const repo = repository();
    const grace = ['-c', 'coord.grace=0s'];
    await reserveInThePast(repo, 'ann', ['a'], 7_000, '10s');
    expect(repo.coord(null, 'status', ...grace).json['leases'][0]?.state).toBe('grace');
    const refused = repo.coord('bob', 'reserve', 'a', ...grace);
    expect({ code: refused.code, kind: refused.json['refusal'].kind }).toEqual({
      code: 1,
      kind: 'grace',
    });
    expect(refused.json['refusal'].retryAfter).toBeGreaterThan(0);
    expect(repo.coord('ann', 'renew', ...grace).json['leases'][0].state).toBe('live');
    expect(repo.coord('bob', 'reserve', 'a', '--wait', '30s', ...grace).code).toBe(0);
    expect(repo.coord('ann', 'renew', ...grace).code).toBe(1);
  });

  test('SYS-4: coord moves no branch, index or work tree, and writes no commit on a branch', () => {
    const repo = repository();
    repo.write('f', 'text');
    repo.git('add', 'f');
    const look = (): string =>
      [
        'rev-parse HEAD',
        'status --porcelain',
        'reflog',
        'stash list',
        'config --list --local',
        'branch -a',
        'tag',
      ]
        .map((line) => repo.git(...line.split(' ')))
        .join('\n');
    const before = look();
    for (const args of [
      ['reserve', 'f'],
      ['claim', 'bd-1'],
      ['lock', 'x'],
      ['release', '--all'],
      ['sweep'],
      ['doctor', '--fix'],
      ['session', 'end'],
    ])
      repo.coord('ann', ...args);
    expect(look()).toBe(before);
    expect(repo.git('fsck', '--strict')).not.toMatch(/error|missing/);
  });

  test('SYS-6: status --line says all on one line and counts live holders alone', () => {
    const repo = repository();
    expect(repo.text(null, 'status', '--line').stdout).toBe('coord: no leases\n');
    for (const name of ['ann', 'bob', 'cid', 'dan', 'eve', 'fay'])
      repo.coord(name, 'reserve', `${name}.ts`);
    const line = repo.text(null, 'status', '--line').stdout;
    expect(line.split('\n')).toHaveLength(2);
    expect(line).toContain('+1 agents');
  });

  test('SYS-7: the core knows the name of no harness, and there is one constant for each duration', () => {
    expect(sources(join(source, 'core')).join('\n')).not.toMatch(
      /claude|codex|gemini|cursor|copilot/i,
    );
    const shipped = ['core', 'git', 'agent', 'work', 'show', 'cli'].flatMap((folder) =>
      sources(join(source, folder)),
    );
    for (const ms of ['900_000', '2_700_000', '120_000'])
      expect(
        shipped.filter((text) => text.includes(ms)),
        ms,
      ).toHaveLength(1);
  });
});

describe('the plan of the orchestrator', () => {
  test('A1: no help text or example offers to skip tests', () => {
    expect(sources(source).join('\n')).not.toMatch(
      /skip(ping)? (the )?(tests?|hooks?|checks?)|--no-verify/i,
    );
  });

  test('A2: what another holds is refused, what nobody holds is free, and check tells them apart', () => {
    const repo = repository();
    repo.coord('ann', 'reserve', 'src/');
    expect(
      ['src/a.ts', 'src', 'lib/a.ts'].map(
        (path) => repo.coord('bob', 'check', path).json['result'],
      ),
    ).toEqual(['held', 'held', 'free']);
    expect(repo.coord('ann', 'check', 'src/a.ts').json['result']).toBe('mine');
    expect(repo.coord('ann/review', 'check', 'src/a.ts').json['result']).toBe('mine');
  });

  test('A5: run holds the lock while its command lives, passes the exit code on and frees the lock', async () => {
    const repo = repository();
    const gate = join(repo.top, 'gate');
    const holder = repo.start('ann', [
      'run',
      '--lock',
      'test',
      '--',
      process.execPath,
      '-e',
      `const t=setInterval(()=>{if(fs.existsSync(${JSON.stringify(gate)}))process.exit(7)},20)`,
    ]);
    await eventually(
      'the lock is held',
      () => repo.coord(null, 'status').json['leases'].length === 1,
    );
    const refused = repo.coord('bob', 'run', '--lock', 'test', '--no-wait', '--', 'true');
    expect({ code: refused.code, name: refused.json['blockers'][0].agent.name }).toEqual({
      code: 1,
      name: 'ann',
    });
    const queued = repo.start('bob', [
      'run',
      '--lock',
      'test',
      '--',
      process.execPath,
      '-e',
      'process.exit(3)',
    ]);
    await eventually('bob waits', () => repo.coord(null, 'status').json['waits'].length === 1);
    repo.write('gate');
    expect((await holder.ended).code).toBe(7);
    expect((await queued.ended).code).toBe(3);
    expect(repo.coord(null, 'status').json['leases']).toEqual([]);
    expect(repo.coord(null, 'stats').json['runs']).toEqual({ count: 2, passed: 0 });
  });

  test('A5: run passes signals on, and stops its command with SIGTERM when the lock is taken away, unless --keep', async () => {
    const repo = repository();
    const ready = join(repo.top, 'ready');
    const forever = [
      process.execPath,
      '-e',
      `process.on('SIGTERM',()=>process.exit(42));fs.writeFileSync(${JSON.stringify(ready)},'');setInterval(()=>{},1000)`,
    ];
    const signalled = repo.start('ann', ['run', '--lock', 'a', '--', ...forever]);
    await eventually('the command runs', () => existsSync(ready));
    signalled.child.kill('SIGTERM');
    expect((await signalled.ended).code).toBe(42);
    rmSync(ready);
    const broken = repo.start('ann', [
      '-c',
      'coord.breakafter=0s',
      'run',
      '--lock',
      'b',
      '--',
      ...forever,
    ]);
    await eventually('the next command runs', () => existsSync(ready));
    repo.coord(
      'bob',
      '-c',
      'coord.breakafter=0s',
      'break',
      repo.coord(null, 'status').json['leases'][0].id,
      '--reason',
      'test',
    );
    const ended = await broken.ended;
    expect({ code: ended.code, lost: ended.json['lost'] }).toEqual({ code: 42, lost: true });
  });

  test('A6: a failure says its reason and cause, and frees only what its agent held', () => {
    const repo = repository();
    repo.coord('ann', 'claim', 'bd-1');
    repo.coord('bob', 'claim', 'bd-2');
    expect(
      repo.coord(
        'ann',
        'unclaim',
        'bd-1',
        '--failed',
        '--cause',
        'shared-state',
        '--reason',
        'port taken',
      ).code,
    ).toBe(0);
    expect(
      repo.coord(null, 'status').json['leases'].map((lease: { bead: string }) => lease.bead),
    ).toEqual(['bd-2']);
    expect(repo.coord(null, 'log').stdout).toContain(
      '"failed":true,"cause":"shared-state","reason":"port taken"',
    );
    expect(repo.coord(null, 'stats').json['failures']).toEqual({ count: 1, sharedState: 1 });
  });

  test('Triggers: stats counts tries, waits and checks', () => {
    const repo = repository();
    repo.coord('ann', 'reserve', 'a');
    repo.coord('bob', 'check', 'a');
    repo.coord('bob', 'reserve', 'a');
    const before = repo.git('rev-parse', 'refs/coord/log');
    expect(repo.coord(null, 'stats').json).toMatchObject({ tries: 2, waits: 1, holderChecks: 0 });
    expect(repo.git('rev-parse', 'refs/coord/log')).toBe(before);
    repo.coord('bob', 'reserve', 'b');
    const stats = repo.coord(null, 'stats', '--since', '24h').json;
    expect(stats).toMatchObject({ tries: 3, waits: 1, holderChecks: 1, waitsByTarget: { a: 1 } });
    // One of three is no rate yet.
    expect(
      stats['warnings'].find((warning: { name: string }) => warning.name === 'waits'),
    ).toMatchObject({ exceeded: false });
  });
});

describe('lessons of other users of git refs', () => {
  test('#2665: two requests alike to the byte have one effect each, because each has its own nonce', () => {
    const repo = repository();
    repo.coord('ann', 'reserve', 'a');
    repo.coord('ann', 'reserve', 'a');
    const nonces = repo
      .git('log', '--format=%(trailers:key=Nonce,valueonly)', 'refs/coord/log')
      .split('\n')
      .filter((line) => line !== '');
    expect(nonces).toHaveLength(2);
    expect(new Set(nonces).size).toBe(2);
    expect(nonces.every((nonce) => /^[0-9a-f]{32}$/.test(nonce))).toBe(true);
  });

  test('#3182: adopting a session is by its token alone, and the old key is worth nothing then', async () => {
    const repo = repository();
    const first = repo.coord(null, 'session', 'start', 'ann').json;
    const key = { COORD_AGENT: 'ann', COORD_SESSION: first['token'] as string };
    expect((await repo.start(null, ['reserve', 'a'], key).ended).code).toBe(0);
    expect(repo.coord('ann', 'reserve', 'b').json['refusal'].kind).toBe('not_your_session');
    expect(repo.coord(null, 'session', 'adopt', '--token', 'guessed').json['refusal'].kind).toBe(
      'wrong_token',
    );
    expect(repo.coord(null, 'session', 'start', 'ann').json['refusal'].kind).toBe('name_taken');
    const adopted = repo.coord(null, 'session', 'adopt', '--token', first['token'] as string).json;
    expect(adopted['agent'].id).toBe(first['agent'].id);
    expect((await repo.start(null, ['renew'], key).ended).json['refusal'].kind).toBe(
      'not_your_session',
    );
    const now = { COORD_AGENT: 'ann', COORD_SESSION: adopted['token'] as string };
    expect((await repo.start(null, ['renew'], now).ended).code).toBe(0);
    expect(
      (
        await repo.start('ann/review', ['reserve', 'c'], {
          COORD_SESSION: adopted['token'] as string,
        }).ended
      ).code,
    ).toBe(0);
    expect(repo.coord('ann/intruder', 'reserve', 'd').json['refusal'].kind).toBe(
      'not_your_session',
    );
  });

  test('#1212 #2615: a log that moved meanwhile is read again, in a language nobody has to parse', () => {
    const repo = repository({ env: { LANG: 'de_DE.UTF-8', LANGUAGE: 'de' } });
    expect(repo.coord('ann', 'reserve', 'a').code).toBe(0);
    expect(sources(source).join('\n')).not.toMatch(
      /stderr[^\n]*(File exists|cannot lock|but expected)/,
    );
  });
});
