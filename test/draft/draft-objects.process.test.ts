/** A draft that is shown no more leaves no commit behind, and what is in use stays. */
import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type RealWorld, realWorld } from '../../src/agent/world.ts';
import { inHand } from '../../src/draft/in-hand.ts';
import { draftRef, publishDrafts, sweepDrafts } from '../../src/draft/published.ts';
import { compact } from '../../src/log/maintain.ts';
import { repository, type TestRepository } from '../support/repository.ts';

const ref = 'refs/coord/drafts/ann';

async function publish(world: RealWorld): Promise<readonly string[]> {
  return publishDrafts(world, await world.store.observe());
}

/** A new root of the log, once all objects look old. */
async function clear(repo: TestRepository, world: RealWorld): Promise<void> {
  const objects = join(repo.top, '.git/objects');
  for (const name of readdirSync(objects, { recursive: true }).map(String))
    utimesSync(join(objects, name), 1_000_000_000, 1_000_000_000);
  const { at } = world.clock.now();
  expect(await compact(world.store, world.repository, await world.store.observe(), at)).toBe(true);
}

test('commits of drafts that are gone are cleared away with the log, and nothing else', async () => {
  const repo = repository();
  repo.write('a', 'a\n');
  repo.git('add', 'a');
  repo.git('commit', '-qm', 'a');
  const world = realWorld({ cwd: repo.top, env: repo.env, agent: 'ann' });
  expect(repo.coord('ann', 'reserve', 'a', 'b').code).toBe(0);
  repo.write('a', 'one\n');
  repo.write('b', 'new\n');
  expect(await publish(world)).toEqual([ref]);
  const first = repo.git('rev-parse', ref).trim();
  repo.write('a', 'two\n');
  await publish(world);
  const second = repo.git('rev-parse', ref).trim();
  expect(second).not.toBe(first);
  await clear(repo, world);
  expect(() => repo.git('cat-file', '-e', first)).toThrow();
  expect(repo.git('show', '--format=%an', second)).toMatch(/^ann\n[^]*\+two/);
  // What the draft held is what its agent commits: the objects are one.
  repo.git('add', 'a', 'b');
  repo.git('commit', '-qm', 'of ann');
  expect(await publish(world)).toEqual([]);
  await clear(repo, world);
  expect(() => repo.git('cat-file', '-e', second)).toThrow();
  expect(repo.git('fsck', '--strict', '--no-dangling')).toBe('');
  expect(repo.git('show', 'HEAD:a')).toBe('two\n');
});

test('a draft of an agent that is on record no more goes', async () => {
  const repo = repository();
  const world = realWorld({ cwd: repo.top, env: repo.env, agent: 'ann' });
  repo.coord('ann', 'reserve', 'a');
  repo.write('a', 'one\n');
  await publish(world);
  repo.git('update-ref', draftRef({ name: 'Eve.lock/..' }), ref);
  repo.git('update-ref', `${ref}_2freview`, ref);
  const at = await world.store.observe();
  sweepDrafts(world.repository, at);
  expect(repo.git('for-each-ref', '--format=%(refname)', 'refs/coord/drafts').trim()).toBe(ref);
  expect(inHand(world, at).map(({ path, agent }) => [path, agent?.name])).toEqual([['a', 'ann']]);
});
