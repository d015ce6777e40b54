/**
 * Which log is the truth: one at a time, changed in one step, with what is held or not at all.
 * Needs: nginx, fcgiwrap.
 */
import { describe, expect, test } from 'vitest';
import { clone, clones, served } from '../support/clones.ts';
import { gitGate } from '../support/gate.ts';
import { leasesAt, logFaults, operations } from '../support/log-check.ts';
import type { TestRepository } from '../support/repository.ts';
import { serve } from '../support/servers.ts';

const held = (repo: TestRepository): readonly string[] =>
  repo
    .coord(null, 'status')
    .json['leases'].map(
      (lease: { id: string; agent: { name: string } }) => `${lease.agent.name} ${lease.id}`,
    )
    .sort();

describe('remote set', () => {
  test('the log of the remote is the truth for every clone that says so, at either ref', async () => {
    for (const ref of ['refs/coord/log', 'refs/heads/coord/log']) {
      const server = await serve('http');
      const [one, two] = [clone(server), clone(server)];
      for (const repo of [one, two])
        expect(repo.coord(null, 'remote', 'set', 'origin', '--ref', ref).json['result']).toBe(
          'set',
        );
      expect(one.coord('alice', 'reserve', 'src/a.ts').code).toBe(0);
      const refused = two.coord('bob', 'reserve', 'src/a.ts');
      expect({ code: refused.code, name: refused.json['blockers'][0].agent.name }).toEqual({
        code: 1,
        name: 'alice',
      });
      expect(two.coord('bob', 'check', 'src/a.ts').json['result']).toBe('held');
      expect(one.coord('alice', 'release', '--all').code).toBe(0);
      expect(two.coord('bob', 'check', 'src/a.ts').json['result']).toBe('free');
      expect(served(server, one).git('rev-parse', ref)).toMatch(/^[0-9a-f]{40}\n$/);
    }
  });

  test('wants no live lease, or --move, which takes all of them along in one operation', async () => {
    const server = await serve('http');
    const repo = clone(server);
    const tokens = ['src/a.ts', 'src/b.ts'].map(
      (file) => repo.coord('alice', 'reserve', file).json['leases'][0].token as number,
    );
    repo.coord('bob', 'claim', 'bd-1');
    const before = held(repo);
    const refused = repo.coord(null, 'remote', 'set', 'origin');
    expect({
      code: refused.code,
      kind: refused.json['refusal'].kind,
      length: refused.json['blockers'].length,
      next: refused.json['next'],
    }).toEqual({ code: 1, kind: 'live_leases', length: 3, next: 'coord remote set origin --move' });
    expect(server.requests().filter((line) => line.includes('receive-pack'))).toEqual([]);
    expect(repo.coord(null, 'remote', 'set', 'origin', '--move').json['carried']).toHaveLength(3);
    expect(held(repo)).toEqual(before);
    const there = operations(served(server, repo));
    expect(there).toHaveLength(1);
    expect(there[0]?.leases).toHaveLength(3);
    // The log here is left empty: nobody who reads it finds a second truth.
    expect(leasesAt(repo)).toEqual([]);
    const next = repo.coord('carol', 'reserve', 'src/c.ts').json['leases'][0].token as number;
    expect(next).toBeGreaterThan(Math.max(...tokens) + 1);
  });

  test('is refused where somebody over there holds the same, and nothing has changed', async () => {
    const server = await serve('http');
    const second = clone(server);
    second.coord('bob', 'reserve', 'src/*.ts');
    const [first] = clones(server, 1) as [TestRepository];
    first.coord('alice', 'reserve', 'src/a.ts');
    const tip = served(server, first).git('rev-parse', 'refs/coord/log');
    const refused = second.coord(null, 'remote', 'set', 'origin', '--move');
    expect({ code: refused.code, name: refused.json['blockers'][0].agent.name }).toEqual({
      code: 1,
      name: 'alice',
    });
    expect(served(server, first).git('rev-parse', 'refs/coord/log')).toBe(tip);
    expect(second.coord('bob', 'check', 'src/a.ts').json['result']).toBe('mine');
  });

  test('says the same twice with one effect, and does not take another remote before off', async () => {
    const server = await serve('http');
    const [repo] = clones(server, 1) as [TestRepository];
    expect(repo.coord(null, 'remote', 'set', 'origin').json['result']).toBe('unchanged');
    repo.git('remote', 'add', 'other', server.url);
    expect(repo.coord(null, 'remote', 'set', 'other').json['error'].hint).toBe(
      'coord remote off, first',
    );
    expect(operations(served(server, repo))).toHaveLength(1);
  });

  test('a lease that is granted here while the others are carried over goes along too', async () => {
    const server = await serve('http');
    const repo = clone(server);
    repo.coord('alice', 'reserve', 'src/a.ts');
    const gate = gitGate(repo, 'after', false, 'push');
    const moving = repo.start(null, ['remote', 'set', 'origin', '--move'], gate.env);
    await gate.reached();
    expect(repo.coord('bob', 'reserve', 'src/b.ts').code).toBe(0);
    gate.open();
    expect((await moving.ended).json['carried']).toHaveLength(2);
    expect(held(repo)).toHaveLength(2);
    expect(leasesAt(served(server, repo))).toHaveLength(2);
  });
});

describe('remote off', () => {
  test('goes back to the log here, with the leases of this clone and not those of others', async () => {
    const server = await serve('http');
    const [one, two] = clones(server, 2) as [TestRepository, TestRepository];
    const token = one.coord('alice', 'reserve', 'src/a.ts').json['leases'][0].token as number;
    two.coord('bob', 'reserve', 'src/b.ts');
    expect(one.coord(null, 'remote', 'off').json['refusal'].kind).toBe('live_leases');
    expect(one.coord(null, 'remote', 'off', '--move').json['carried']).toHaveLength(1);
    expect(held(one).map((row) => row.split(' ')[0])).toEqual(['alice']);
    expect(held(two).map((row) => row.split(' ')[0])).toEqual(['bob']);
    expect(one.coord('alice', 'reserve', 'src/c.ts').json['leases'][0].token).toBeGreaterThan(
      token,
    );
    expect(one.git('for-each-ref', 'refs/coord-remote')).toBe('');
    expect(one.git('fsck', '--strict', '--no-dangling')).toBe('');
    expect(logFaults(served(server, two))).toEqual([]);
  });

  test('knows what went along when it was set, also if nobody has done anything since', async () => {
    const server = await serve('http');
    const repo = clone(server);
    repo.coord('alice', 'reserve', 'src/a.ts');
    expect(repo.coord(null, 'remote', 'set', 'origin', '--move').json['carried']).toHaveLength(1);
    expect(repo.coord(null, 'remote', 'off').json['refusal'].kind).toBe('live_leases');
    expect(repo.coord(null, 'remote', 'off', '--move').json['carried']).toHaveLength(1);
    expect(repo.coord('eve', 'reserve', 'src/a.ts').json['blockers'][0].agent.name).toBe('alice');
    expect(leasesAt(served(server, repo))).toEqual([]);
  });

  test('two that switch at once come one after the other', async () => {
    const [one, two] = [await serve('http'), await serve('http')];
    const repo = clone(one);
    repo.git('remote', 'add', 'two', two.url);
    for (let i = 0; i < 3; i += 1) {
      const answers = await Promise.all([
        repo.start(null, ['remote', 'set', 'origin']).ended,
        repo.start(null, ['remote', 'set', 'two']).ended,
      ]);
      expect(
        answers.map(({ code, json }) => [code, json['result'], json['error']?.code ?? null]).sort(),
      ).toEqual([
        [0, 'set', null],
        [64, 'error', 'usage'],
      ]);
      expect(repo.coord(null, 'remote', 'off').code).toBe(0);
    }
  });

  test('with --force goes by what was last seen, when the server is gone', async () => {
    const server = await serve('http');
    const [repo] = clones(server, 1) as [TestRepository];
    repo.coord('alice', 'reserve', 'src/a.ts');
    await server.stop();
    expect(repo.coord(null, 'remote', 'off', '--move').json['error'].code).toBe(
      'arbiter_unreachable',
    );
    expect(repo.coord(null, 'remote', 'off', '--move', '--force').json['carried']).toHaveLength(1);
    expect(repo.coord('bob', 'reserve', 'src/a.ts').json['blockers'][0].agent.name).toBe('alice');
  });
});

describe('what is there to look at', () => {
  test('with coord.remoteView the server shows it too, in the push that moves the log; what was torn there is mended by sync', async () => {
    const server = await serve('http');
    const [one, two] = clones(server, 2) as [TestRepository, TestRepository];
    one.git('config', 'coord.remoteView', 'true');
    const lease = one.coord('alice', 'reserve', 'src/a.ts').json['leases'][0].id as string;
    const there = served(server, one);
    expect(there.git('log', '-1', '--format=%an %s', `refs/coord/reservations/${lease}`)).toMatch(
      /^alice reserves src\/a\.ts/,
    );
    const pushes = server
      .requests()
      .filter((line) => line.startsWith('POST') && line.includes('receive-pack')).length;
    one.coord('alice', 'claim', 'bd-1');
    expect(
      server.requests().filter((line) => line.startsWith('POST') && line.includes('receive-pack'))
        .length - pushes,
    ).toBeLessThanOrEqual(2);
    expect(there.git('for-each-ref', '--format=%(refname)', 'refs/coord/claims')).toBe(
      'refs/coord/claims/bd-1\n',
    );
    // Somebody without the setting moves the log alone, and a ref is in the way: the log goes on
    // all the same.
    expect(two.coord('bob', 'reserve', 'src/b.ts').code).toBe(0);
    there.git('update-ref', '-d', 'refs/coord/claims/bd-1');
    there.git('update-ref', 'refs/coord/claims', 'refs/coord/log');
    expect(one.coord('alice', 'claim', 'bd-2').code).toBe(0);
    expect(one.coord('alice', 'release', '--all').code).toBe(0);
    expect(logFaults(there)).toEqual([]);
    there.git('update-ref', '-d', 'refs/coord/claims');
    expect(one.coord(null, 'sync').code).toBe(0);
    const refs = there
      .git(
        'for-each-ref',
        '--format=%(refname) %(contents:subject)',
        'refs/coord/reservations',
        'refs/coord/claims',
      )
      .trim()
      .split('\n');
    expect(refs).toEqual([
      expect.stringMatching(/^refs\/coord\/reservations\/\w+ reserves src\/b\.ts/),
    ]);
  });

  test('sync shows the remote log under refs/coord-remote, and leaves the repository as it was', async () => {
    const server = await serve('http');
    const [one, two] = clones(server, 2) as [TestRepository, TestRepository];
    one.coord('alice', 'reserve', 'src/a.ts');
    const synced = two.coord(null, 'sync');
    expect({
      result: synced.json['result'],
      news: synced.json['news'],
      leases: synced.json['leases'],
    }).toEqual({ result: 'synced', news: 1, leases: 1 });
    expect(
      two.git(
        'for-each-ref',
        '--format=%(authorname) %(contents:subject)',
        'refs/coord-remote/origin/reservations',
      ),
    ).toMatch(/^alice reserves src\/a\.ts until /);
    expect(two.git('show', 'refs/coord-remote/origin/log:leases')).toBe(
      served(server, one).git('show', 'refs/coord/log:leases'),
    );
    expect(two.git('fsck', '--strict', '--no-dangling')).toBe('');
    expect(() => two.git('rev-parse', '--is-shallow-repository')).not.toThrow();
    expect(two.git('rev-parse', '--is-shallow-repository')).toBe('false\n');
    expect(two.coord(null, 'sync').json['news']).toBe(0);
  });

  test('without a remote sync says how to set one', async () => {
    const server = await serve('file');
    const alone = clone(server);
    expect({
      code: alone.coord(null, 'sync').code,
      hint: alone.coord(null, 'sync').json['error'].hint,
    }).toEqual({ code: 64, hint: 'coord remote set <name>' });
  });
});
