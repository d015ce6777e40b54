/**
 * A removal that is killed, or meets a full disk, at any of its steps: the work tree is there as it
 * was, or comes back byte for byte. Needs: strace.
 */
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inTurn } from '../support/copies.ts';
import { coordProgram, type Ran, runAsync, type TestRepository } from '../support/repository.ts';
import { checkout } from '../support/sessions.ts';
import { pictureOf, side } from '../support/work-trees.ts';
import { seeded } from '../support/world.ts';

const seed = Number(process.env['COORD_SEED'] ?? 20260101);

/** With which a removal changes anything. */
const steps = ['rename', 'unlink', 'unlinkat', 'rmdir', 'mkdir', 'write', 'openat'] as const;

interface Scene {
  readonly repo: TestRepository;
  readonly tree: TestRepository;
  readonly before: ReturnType<typeof pictureOf>;
}

function scene(): Scene {
  const repo = checkout();
  writeFileSync(join(repo.top, '.git/info/exclude'), '.env\n');
  const tree = side(repo, 'away');
  tree.write('src/a', 'changed\n');
  tree.write('src/new', 'untracked\n');
  tree.write('.env', 'SECRET=1\n');
  tree.git('commit', '-q', '--allow-empty', '-m', 'of its own');
  // What is found out once is found out before.
  repo.coord('ann', 'work', 'list');
  return { repo, tree, before: pictureOf(tree.top) };
}

async function struck({ repo, tree }: Scene, options: readonly string[]): Promise<Ran> {
  const command = [process.execPath, coordProgram, '--agent', 'ann', '--json'];
  return runAsync(
    ['strace', '-qq', ...options, ...command, 'work', 'abandon', tree.top],
    repo.top,
    repo.env,
  );
}

/** How often each step is taken, from where the repository is touched first. */
async function recorded(): Promise<readonly { readonly call: string; readonly nth: number }[]> {
  const here = scene();
  const file = join(mkdtempSync(join(here.repo.top, '..', 'record-')), 'calls');
  const ran = await struck(here, [
    '-e',
    `trace=${steps.map((call) => `?${call}`).join(',')}`,
    '-o',
    file,
  ]);
  expect(ran.code).toBe(0);
  const counts = new Map<string, number>();
  const home = join(here.repo.top, '..');
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, call = ''] = /^(\w+)\(/.exec(line) ?? [];
      const nth = (counts.get(call) ?? 0) + 1;
      counts.set(call, nth);
      const isChange = line.includes(home) && (call !== 'openat' || /O_CREAT/.test(line));
      return isChange ? [{ call, nth }] : [];
    });
}

/** Null where nothing of the work tree is lost. */
function lostOf({ repo, tree, before }: Scene): string | null {
  const isWhole = (): boolean =>
    existsSync(tree.top) && JSON.stringify(pictureOf(tree.top)) === JSON.stringify(before);
  const listed = repo.coord('bob', 'work', 'list');
  if (listed.code !== 0) return `work list: ${listed.stdout}${listed.stderr}`;
  if (isWhole()) return null;
  const restored = repo.coord('bob', 'work', 'restore', tree.top);
  if (restored.code !== 0) return `work restore: ${restored.stdout}${restored.stderr}`;
  return isWhole() ? null : `not as it was: ${Object.keys(pictureOf(tree.top)).join(' ')}`;
}

function sampled<T>(all: readonly T[], most: number): readonly T[] {
  const random = seeded(seed);
  return [...all].sort(() => random() - 0.5).slice(0, most);
}

test.for([
  ['kill -9', 'signal=KILL'],
  ['a full disk', 'error=ENOSPC'],
])('%s at each step of a removal loses nothing [22]', { timeout: 600_000 }, async ([, effect]) => {
  const points = await recorded();
  expect(points.length).toBeGreaterThan(20);
  let hits = 0;
  const found = await inTurn(sampled(points, 40), 4, async ({ call, nth }) => {
    const here = scene();
    const ran = await struck(here, [
      '-e',
      `trace=${call}`,
      '-e',
      `inject=${call}:${effect}:when=${nth}`,
      '-o',
      '/dev/null',
    ]);
    if (ran.code !== 0) hits += 1;
    const lost = lostOf(here);
    return lost === null ? [] : [`${call} ${nth}: ${lost}`];
  });
  expect(found.flat()).toEqual([]);
  // What only tidies up may fail without a word.
  expect(hits).toBeGreaterThan(15);
});

test('planted bug: a removal that keeps nothing is found', () => {
  const here = scene();
  here.repo.git('worktree', 'remove', '--force', here.tree.top);
  expect(lostOf(here)).toContain('work restore');
});
