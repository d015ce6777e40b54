/**
 * Without the server: nothing new is granted, what is held is held until its time is over, and
 * advice only where it was chosen, and marked. Needs: nginx, fcgiwrap.
 */
import { describe, expect, test } from 'vitest';
import { clones, served } from '../support/clones.ts';
import { leasesAt, logFaults } from '../support/log-check.ts';
import type { TestRepository } from '../support/repository.ts';
import { type GitServer, serve } from '../support/servers.ts';
import { neverAnswering } from '../support/useless-server.ts';

async function two(): Promise<{
  readonly server: GitServer;
  readonly one: TestRepository;
  readonly other: TestRepository;
}> {
  const server = await serve('http');
  const [one, other] = clones(server, 2) as [TestRepository, TestRepository];
  expect(one.coord('alice', 'reserve', 'src/a.ts').code).toBe(0);
  expect(other.coord(null, 'sync').code).toBe(0);
  return { server, one, other };
}

const verbs: readonly (readonly string[])[] = [
  ['reserve', 'src/b.ts'],
  ['claim', 'bd-1'],
  ['lock', 'deploy'],
  ['release', '--all'],
  ['transfer', '--all', '--to', 'bob'],
  ['done', 'bd-1'],
  ['sync'],
  ['push'],
  ['run', '--lock', 'test', '--', 'true'],
];

describe('while the server is down', () => {
  test('nothing new is granted, and every answer says what is still held and until when', async () => {
    const { server, one, other } = await two();
    const tip = served(server, one).git('rev-parse', 'refs/coord/log');
    await server.stop();
    for (const args of verbs) {
      const answer = one.coord('alice', ...args);
      expect(answer.code, args.join(' ')).toBe(75);
      expect(answer.json['error']?.code, args.join(' ')).toBe('arbiter_unreachable');
      expect(answer.json['leases']?.[0]).toMatchObject({
        patterns: ['src/a.ts'],
        state: 'live',
        expiresAt: expect.any(String),
      });
    }
    expect(one.text('alice', 'reserve', 'src/b.ts').stderr).toMatch(
      /cannot be reached.*\n.*still yours: src\/a\.ts, expires in 1[45]m/s,
    );
    // Looking shows how it stood, and says so; what is refused needs the server as much as what is
    // granted.
    const seen = other.coord(null, 'status');
    expect(seen.code).toBe(0);
    expect(seen.json['leases'].length).toBe(1);
    expect(seen.json['ageMs'] > 0).toBe(true);
    expect(other.coord('bob', 'reserve', 'src/a.ts').json['error'].code).toBe(
      'arbiter_unreachable',
    );
    await server.start();
    expect(served(server, one).git('rev-parse', 'refs/coord/log')).toBe(tip);
    expect(other.coord('bob', 'reserve', 'src/a.ts').json['blockers'][0].agent.name).toBe('alice');
    expect(logFaults(served(server, one))).toEqual([]);
  });

  test('a commit of what one holds goes through, and one of what another holds does not', async () => {
    const { server, one, other } = await two();
    for (const repo of [one, other])
      expect(repo.coord(null, 'install', '--harness', 'none').code).toBe(0);
    await server.stop();
    for (const repo of [one, other]) repo.write('src/a.ts', 'work\n');
    const env = { ...one.env, COORD_AGENT: 'alice' };
    expect(one.git('add', '.')).toBe('');
    expect(one.coord('alice', 'check', 'src/a.ts').json['error']?.code ?? 'mine').toBe(
      'arbiter_unreachable',
    );
    const { execFileSync, spawnSync } = await import('node:child_process');
    execFileSync('git', ['commit', '-q', '-m', 'of my own'], { cwd: one.top, env });
    other.git('add', '.');
    const refused = spawnSync('git', ['commit', '-q', '-m', 'of hers'], {
      cwd: other.top,
      env: { ...other.env, COORD_AGENT: 'bob' },
      encoding: 'utf8',
    });
    expect({ status: refused.status, stderr: refused.stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/held by alice/),
    });
  });
});

describe('coord.offline=advisory', () => {
  test('grants advice to the agents of this clone, marks all of it, and ends it when the server speaks', async () => {
    const { server, one, other } = await two();
    one.git('config', 'coord.offline', 'advisory');
    await server.stop();
    const granted = one.coord('bob', 'reserve', 'src/b.ts');
    expect(granted.code).toBe(0);
    expect(granted.json['result']).toBe('granted');
    expect(granted.json['advisory']).toBe(true);
    expect(granted.json['leases'][0].advisory).toBe(true);
    expect(one.text('bob', 'reserve', 'src/c.ts')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^granted src\/c\.ts locally only \(offline\): bob/),
      stderr: expect.stringMatching(/this is advice/),
    });
    const refused = one.coord('carol', 'reserve', 'src/b.ts');
    expect(refused.code).toBe(1);
    expect(refused.json['blockers'][0]).toMatchObject({ agent: { name: 'bob' }, advisory: true });
    // What the server granted is no advice, and keeps others out as before.
    expect(one.coord('carol', 'reserve', 'src/a.ts').json['blockers'][0]).not.toHaveProperty(
      'advisory',
    );
    const status = one.coord(null, 'status');
    expect(status.json['advisory']).toBe(true);
    expect(
      status.json['leases'].map((lease: { advisory?: true }) => lease.advisory === true).sort(),
    ).toEqual([false, true, true]);
    expect(one.coord('bob', 'check', 'src/b.ts').json).toMatchObject({
      result: 'mine',
      advisory: true,
    });
    expect(one.text('bob', 'check', 'src/b.ts')).toMatchObject({
      stdout: 'mine src/b.ts locally only (offline)\n',
      stderr: expect.stringMatching(/cannot be reached; this goes by what it said last/),
    });
    for (const args of [['status', '--line'], ['who']])
      expect(one.coord(null, ...args).json['advisory']).toBe(true);
    for (const args of [['status'], ['status', '--line'], ['who']])
      expect(one.text(null, ...args).stdout).toMatch(/src\/b\.ts \(advice\)/);
    expect(one.coord('bob', 'run', '--lock', 'test', '--', 'true').json).toMatchObject({
      result: 'ran',
      advisory: true,
    });
    expect(one.coord('bob', 'release', 'src/c.ts').json['advisory']).toBe(true);
    // What would be lost with the advice is not done as advice; and whoever has not chosen it gets
    // none.
    for (const args of [
      ['transfer', '--all', '--to', 'carol'],
      ['done', 'bd-1'],
    ])
      expect(one.coord('bob', ...args).json['error']?.code).toBe('arbiter_unreachable');
    expect(other.coord('dave', 'reserve', 'src/b.ts').json['error'].code).toBe(
      'arbiter_unreachable',
    );
    await server.start();
    expect(other.coord('dave', 'reserve', 'src/b.ts').code).toBe(0);
    const back = one.coord(null, 'sync');
    expect({ code: back.code, adviceOver: back.json['adviceOver'] }).toEqual({
      code: 0,
      adviceOver: [expect.stringMatching(/^src\/b\.ts of bob/)],
    });
    expect(one.coord('bob', 'reserve', 'src/b.ts').json['blockers'][0]).toMatchObject({
      agent: { name: 'dave' },
    });
    expect(one.coord(null, 'status').json).not.toHaveProperty('advisory');
    expect(
      leasesAt(served(server, one))
        .map(({ agent }) => agent.name)
        .sort(),
    ).toEqual(['alice', 'dave']);
    expect(logFaults(served(server, one))).toEqual([]);
  });
});

describe('coord.offline=advisory, taken back before the server speaks', () => {
  test('nothing is granted any more, and what was advice keeps nobody out', async () => {
    const { server, one } = await two();
    one.git('config', 'coord.offline', 'advisory');
    await server.stop();
    expect(one.coord('bob', 'reserve', 'src/b.ts').json['advisory']).toBe(true);
    one.git('config', '--unset', 'coord.offline');
    for (const path of ['src/b.ts', 'src/c.ts'])
      expect(one.coord('carol', 'reserve', path).json['error']?.code).toBe('arbiter_unreachable');
    expect(one.coord('carol', 'check', 'src/b.ts').json).not.toHaveProperty('advisory');
    expect(one.coord(null, 'status').json).not.toHaveProperty('advisory');
    await server.start();
    expect(one.coord('carol', 'reserve', 'src/b.ts').json['result']).toBe('granted');
    expect(one.coord(null, 'sync').json).not.toHaveProperty('advisory');
    expect(logFaults(served(server, one))).toEqual([]);
  });
});

describe('a server that takes the call and says nothing', () => {
  test('is waited for so long and no longer, and people are told', async () => {
    const { server, one } = await two();
    await server.stop();
    const mute = await neverAnswering();
    one.git('remote', 'set-url', 'origin', `${mute.url}/repo.git`);
    const answer = one.start('alice', ['reserve', 'src/b.ts']);
    const text = one.start('alice', ['--color', 'never', 'status']);
    expect((await answer.ended).json['error']?.code).toBe('arbiter_unreachable');
    expect((await text.ended).code).toBe(0);
    expect(one.text('alice', 'reserve', 'src/c.ts').stderr).toMatch(/waiting for origin \.\.\./);
  }, 180_000);
});
