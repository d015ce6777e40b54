/**
 * A log that gets a new root carries the same state, goes on counting, and leaves nothing behind
 * but a bounded past.
 */
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type RealWorld, realWorld } from '../../src/agent/world.ts';
import { type Coord, createCoord } from '../../src/index.ts';
import { compact } from '../../src/log/maintain.ts';
import { repository, type TestRepository } from '../support/repository.ts';

function library(
  repo: TestRepository,
  agent: string,
): { readonly coord: Coord; readonly world: RealWorld } {
  return {
    coord: createCoord({ cwd: repo.top, agent, env: repo.env }),
    world: realWorld({ cwd: repo.top, env: repo.env, agent }),
  };
}

/** As if all that was written so far had been written a while ago. */
function age(repo: TestRepository): void {
  const objects = join(repo.top, '.git/objects');
  for (const name of readdirSync(objects, { recursive: true }).map(String))
    utimesSync(join(objects, name), 1_000_000_000, 1_000_000_000);
}

async function root(
  repo: TestRepository,
  { world }: { readonly world: RealWorld },
  laterMs = 0,
): Promise<void> {
  age(repo);
  expect(
    await compact(
      world.store,
      world.repository,
      await world.store.observe(),
      world.clock.now().at + laterMs,
    ),
  ).toBe(true);
}

const loose = (repo: TestRepository): number => Number(repo.git('count-objects').split(' ')[0]);

describe('a new root', () => {
  test('carries the same leases, names the tip before it, and seq and tokens go on', async () => {
    const repo = repository();
    const { coord, world } = library(repo, 'ann');
    await coord.reserve('a');
    await coord.reserve('b');
    const before = repo.git('show', 'refs/coord/log:leases');
    const tip = repo.git('rev-parse', 'refs/coord/log').trim();
    await root(repo, { world });
    expect(repo.git('show', 'refs/coord/log:leases')).toBe(before);
    expect(repo.git('rev-list', '--count', 'refs/coord/log').trim()).toBe('1');
    expect(JSON.parse(repo.git('show', 'refs/coord/log:meta').split('\n')[0] ?? '')).toMatchObject({
      rootSeq: 3,
      previous: tip,
      stateHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const answer = await coord.reserve('c');
    expect((answer['leases'] as { token: number }[])[0]?.token).toBe(4);
    expect((await coord.log()).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(repo.git('fsck', '--strict')).not.toMatch(/error|missing/);
  });

  test('a request sent again under its nonce after a new root still has one effect', async () => {
    const repo = repository();
    const { coord, world } = library(repo, 'ann');
    const nonce = 'ab'.repeat(16);
    await coord.reserve('a', { nonce });
    await root(repo, { world });
    await coord.release('a');
    const again = await coord.reserve('a', { nonce });
    expect({ ok: again.ok, refusal: again['refusal'] }).toEqual({
      ok: false,
      refusal: { kind: 'expired', id: expect.any(String) },
    });
    expect((await coord.status())['leases']).toEqual([]);
  });

  test('a process that looked before the new root goes on without noticing', async () => {
    const repo = repository();
    const [one, two] = [library(repo, 'ann'), library(repo, 'bob')];
    await one.coord.reserve('a');
    await two.coord.status();
    await root(repo, one);
    expect((await two.coord.reserve('a')).result).toBe('refused');
    expect((await two.coord.reserve('b')).result).toBe('granted');
    expect(repo.coord('cid', 'reserve', 'c').code).toBe(0);
  });

  test("dead objects of coord are packed away, what is in use and what is the user's stays", async () => {
    const repo = repository();
    repo.write('mine', 'never committed');
    const mine = repo.git('hash-object', '-w', 'mine').trim();
    const ann = library(repo, 'ann');
    await ann.coord.reserve('kept');
    for (let i = 0; i < 40; i += 1)
      await (i % 2 === 0 ? ann.coord.reserve('x') : ann.coord.release('x'));
    const before = loose(repo);
    await root(repo, ann);
    expect(loose(repo)).toBeLessThan(before / 4);
    expect(repo.git('cat-file', '-t', mine).trim()).toBe('blob');
    for (let i = 0; i < 8; i += 1) {
      await ann.coord.reserve('y');
      await root(repo, ann);
    }
    const archives = (): number =>
      repo.git('for-each-ref', '--format=%(refname)', 'refs/coord/archive').trim().split('\n')
        .length;
    const packs = (): number =>
      readdirSync(join(repo.top, '.git/objects/pack')).filter((name) => name.endsWith('.pack'))
        .length;
    // What was told today can be asked about, however often there was a new root.
    expect({ archives: archives(), packs: packs() }).toEqual({ archives: 9, packs: 9 });
    await ann.coord.reserve('z');
    await root(repo, ann, 2 * 86_400_000);
    expect({ archives: archives(), packs: packs() }).toEqual({ archives: 4, packs: 4 });
    expect(repo.git('fsck', '--strict', '--full')).not.toMatch(/error|missing/);
    expect(repo.coord('bob', 'check', 'kept').json['result']).toBe('held');
  });

  test('drafts of dead processes and notes of agents long gone are cleared away, younger ones stay', async () => {
    const repo = repository();
    const one = library(repo, 'ann');
    await one.coord.reserve('a');
    const local = join(repo.top, '.git/coord');
    mkdirSync(join(local, 'tally'), { recursive: true });
    const [gone, young] = [
      ['tip.123-0a1b2c3d', 'tally/zed'],
      ['tip.124-0a1b2c3d', 'tally/ann'],
    ];
    for (const name of [...gone, ...young]) writeFileSync(join(local, name), '');
    for (const name of gone) utimesSync(join(local, name), 1_000_000_000, 1_000_000_000);
    await root(repo, one);
    expect([...gone, ...young].filter((name) => existsSync(join(local, name)))).toEqual(young);
  });

  test('what a branch of the user was put on stays whole', async () => {
    const repo = repository();
    const ann = library(repo, 'ann');
    await ann.coord.reserve('a');
    repo.git('branch', 'souvenir', 'refs/coord/log');
    for (let i = 0; i < 7; i += 1) {
      await ann.coord.reserve(`b${i}`);
      await root(repo, ann);
    }
    expect(repo.git('rev-list', '--objects', 'souvenir').trim().split('\n').length).toBeGreaterThan(
      3,
    );
    expect(repo.git('fsck', '--strict')).not.toMatch(/error|missing/);
  });

  test('after git gc and prune between operations everything stands', async () => {
    const repo = repository();
    const { coord } = library(repo, 'ann');
    for (let i = 0; i < 5; i += 1) {
      await coord.reserve(`f${i}`);
      repo.git('gc', '-q', '--prune=now');
      repo.git('pack-refs', '--all', '--prune');
    }
    expect(repo.coord('bob', 'status').json['leases']).toHaveLength(5);
    expect(repo.coord('bob', 'reserve', 'f3').code).toBe(1);
    expect(repo.git('fsck', '--strict')).not.toMatch(/error|missing/);
  });
});
