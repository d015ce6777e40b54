/**
 * One machine, one voice: what its agents ask for goes up together, one entry renews them all, and
 * looking costs the server little. Needs: nginx, fcgiwrap, strace, faketime, namespaces.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clones, served } from '../support/clones.ts';
import { gitGate } from '../support/gate.ts';
import { events, leasesAt, logFaults } from '../support/log-check.ts';
import { machine } from '../support/machine.ts';
import { eventually, type TestRepository } from '../support/repository.ts';
import { type GitServer, serve } from '../support/servers.ts';
import { runWithFault } from '../support/strace.ts';

const pushes = (server: GitServer): number =>
  server.requests().filter((line) => line.startsWith('POST') && line.includes('git-receive-pack'))
    .length;
const looks = (server: GitServer): number =>
  server
    .requests()
    .filter(
      (line) => line.startsWith('GET') && line.includes('git-upload-pack') && line.endsWith(' 200'),
    ).length;

function underWay(repo: TestRepository): number {
  try {
    return readdirSync(join(repo.top, '.git/coord/remote/under-way')).filter((name) =>
      /^\d{12}$/.test(name),
    ).length;
  } catch {
    return 0;
  }
}

describe('one machine', () => {
  test('whose disk is full sends nothing, says so, and is not unsure of it', async () => {
    const server = await serve('http');
    const [repo] = clones(server, 1) as [TestRepository];
    expect(repo.coord('alice', 'reserve', 'src/a.ts').code).toBe(0);
    const struck = await runWithFault(repo, 'bob', ['reserve', 'lib/'], {
      program: 'coord',
      call: '?link,?linkat',
      when: '1',
      effect: 'error=ENOSPC',
    });
    expect(struck.hit).toBe(true);
    expect(struck.code).toBe(69);
    expect(struck.json['error']?.code).toBe('not_writable');
    expect(leasesAt(served(server, repo))).toHaveLength(1);
    expect(repo.coord('bob', 'reserve', 'lib/').json['result']).toBe('granted');
  });

  test(
    'sends what 9 agents have asked for meanwhile in one push',
    { timeout: 60_000 },
    async () => {
      const server = await serve('http');
      const [repo] = clones(server, 1) as [TestRepository];
      expect(repo.coord('alice', 'reserve', 'src/0.ts').code).toBe(0);
      // nginx writes its line after the answer.
      await eventually('the server has written down the first', () => pushes(server) >= 2);
      const before = pushes(server);
      const gate = gitGate(repo, 'before', false, 'push');
      const first = repo.start('agent-0', ['reserve', 'src/first.ts'], gate.env);
      await gate.reached();
      const others = Array.from({ length: 9 }, (_, i) =>
        repo.start(`agent-${i + 1}`, ['reserve', `src/other-${i}.ts`]),
      );
      await eventually('all of them are written down here', () => underWay(repo) === 10);
      gate.open();
      for (const { ended } of [first, ...others])
        expect((await ended).json['result']).toBe('granted');
      await eventually(
        'the server has written down the pushes',
        () => pushes(server) - before >= 2,
      );
      expect(pushes(server) - before).toBe(2);
      expect(leasesAt(served(server, repo))).toHaveLength(11);
      expect(logFaults(served(server, repo))).toEqual([]);
    },
  );

  test('renews what all of its agents hold in one entry', { timeout: 60_000 }, async () => {
    const server = await serve('http');
    const [repo] = clones(server, 1) as [TestRepository];
    const here = await machine(repo);
    const names = ['ann', 'bob', 'cid', 'dee'];
    expect(here.repo.coord('zed', 'reserve', 'docs/').code).toBe(0);
    for (const name of names)
      expect(here.repo.coord(name, 'reserve', `src/${name}.ts`).code).toBe(0);
    here.pass(6 * 60_000);
    // They are at work, which changes nothing by itself.
    for (const name of names) expect(here.repo.coord(name, 'reserve', 'docs/').code).toBe(1);
    const renewedBefore = events(served(server, repo), 'renewed').length;
    expect(here.repo.coord('ann', 'reserve', 'src/more.ts').code).toBe(0);
    const told = events(served(server, repo), 'renewed').slice(renewedBefore);
    expect([...new Set(told.map(({ agent }) => agent.name))].sort()).toEqual(names);
    expect(new Set(told.map(({ seq }) => seq)).size).toBe(1);
    here.pass(8 * 60_000);
    expect(here.repo.coord('bob', 'check', 'src/bob.ts').json['result']).toBe('mine');
  });

  test(
    'looks by itself at most every 2 s, and less and less while nothing moves',
    { timeout: 120_000 },
    async () => {
      const server = await serve('http');
      const [repo, other] = clones(server, 2) as [TestRepository, TestRepository];
      const here = await machine(repo);
      let passedMs = 0;
      // A line that was drawn less than two seconds ago by the wall clock is shown again.
      const look = (): string => {
        here.setWall((passedMs += 3_000));
        return here.repo.text('ann', 'statusline').stdout;
      };
      look();
      await eventually('the server has written down the first', () => looks(server) > 0);
      let before = looks(server);
      for (let i = 0; i < 10; i += 1) look();
      expect(looks(server) - before).toBeLessThanOrEqual(1);
      before = looks(server);
      // Ten minutes with a look every ten seconds.
      for (let i = 0; i < 60; i += 1) {
        here.pass(10_000);
        look();
      }
      expect(looks(server) - before).toBeLessThanOrEqual(24);
      // And what has moved is seen by then.
      expect(other.coord('bob', 'reserve', 'src/b.ts').code).toBe(0);
      here.pass(31_000);
      expect(look()).toMatch(/bob/);
    },
  );
});

test(
  'log --follow tells what others do elsewhere, and asks no more often than anybody',
  { timeout: 60_000 },
  async () => {
    const server = await serve('http');
    const [repo, other] = clones(server, 2) as [TestRepository, TestRepository];
    const following = repo.start(null, ['log', '--follow', '--since', '0']);
    let told = '';
    following.child.stdout?.on('data', (text: string) => {
      told += text;
    });
    await eventually('it has told of the first', () => told.includes('"event":"moved"'));
    const before = looks(server);
    expect(other.coord('bob', 'reserve', 'src/b.ts').code).toBe(0);
    await eventually('it tells of bob', () => told.includes('"event":"acquired"'), 40_000);
    following.child.kill('SIGTERM');
    await following.ended;
    expect(looks(server) - before).toBeLessThan(25);
  },
);
