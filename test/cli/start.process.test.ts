/**
 * What V8 made of the program is kept for the next run. Whatever is wrong with that, the program
 * runs.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gitGate } from '../support/gate.ts';
import { repository, run, type TestRepository } from '../support/repository.ts';

const folderOf = (repo: TestRepository): string =>
  join(repo.env['HOME'] ?? '', '.cache', 'git-coord');

/** One whose code is kept below its home. */
const unshared = (): TestRepository => repository({ env: { XDG_CACHE_HOME: '' } });
const check = (repo: TestRepository, env = {}): string =>
  run(repo.top, { ...repo.env, ...env }, ['check', 'a', '--agent', 'ann']).stdout;

const inodeOf = (repo: TestRepository, name: string): number =>
  statSync(join(folderOf(repo), name)).ino;

function kept(repo: TestRepository): string {
  expect(check(repo)).toBe('free a\n');
  const [name] = readdirSync(folderOf(repo)).filter((file) => file.endsWith('-check'));
  return join(folderOf(repo), name ?? 'none');
}

describe('the kept code', () => {
  test('is written once for a verb, for its user alone, and taken the next time', () => {
    const repo = unshared();
    const file = kept(repo);
    const { mode, mtimeMs, size } = statSync(file);
    expect(mode & 0o777).toBe(0o600);
    expect(size > 10_000).toBe(true);
    expect(check(repo)).toBe('free a\n');
    expect(statSync(file).mtimeMs).toBe(mtimeMs);
    expect(readdirSync(folderOf(repo))).toHaveLength(1);
  });

  test('is written by the first of several that started without it', async () => {
    const repo = unshared();
    const gate = gitGate(repo, 'before');
    const slow = repo.start('ann', ['reserve', 'a'], gate.env);
    await gate.reached();
    run(repo.top, repo.env, ['reserve', 'b', '--agent', 'bob']);
    const written = readdirSync(folderOf(repo)).map((name) => inodeOf(repo, name));
    gate.open();
    expect((await slow.ended).code).toBe(0);
    expect(readdirSync(folderOf(repo)).map((name) => inodeOf(repo, name))).toEqual(written);
    expect(written).toHaveLength(1);
  });

  test.for<readonly [string, (file: string) => void]>([
    ['empty', (file) => truncateSync(file, 0)],
    ['cut short', (file) => truncateSync(file, 5_000)],
    [
      'empty in its second half',
      (file) => writeFileSync(file, readFileSync(file).fill(0, readFileSync(file).length / 2)),
    ],
    [
      'empty in the middle of each half',
      (file) => {
        const both = readFileSync(file);
        writeFileSync(file, both.fill(0, 8_000, 9_000));
      },
    ],
    ['writable by others', (file) => chmodSync(file, 0o666)],
    ['of something else', (file) => writeFileSync(file, 'nonsense'.repeat(2_000))],
  ])('that is %s is made anew', ([, spoil]) => {
    const repo = unshared();
    const file = kept(repo);
    const good = readFileSync(file).length;
    spoil(file);
    expect(check(repo)).toBe('free a\n');
    expect(readFileSync(file).length).toBeGreaterThan(good / 2);
  });

  test('stays away where it has no place: no HOME, a relative one, a file where its folder should be', () => {
    const repo = unshared();
    const elsewhere = join(repo.top, 'file');
    writeFileSync(elsewhere, '');
    expect(check(repo, { HOME: undefined })).toBe('free a\n');
    expect(check(repo, { HOME: 'here' })).toBe('free a\n');
    expect(check(repo, { XDG_CACHE_HOME: elsewhere })).toBe('free a\n');
    expect(existsSync(folderOf(repo))).toBe(false);
  });

  test('of other builds stays within bounds', () => {
    const repo = unshared();
    mkdirSync(folderOf(repo), { recursive: true });
    for (let i = 0; i < 100; i += 1) writeFileSync(join(folderOf(repo), `old-${i}`), '');
    chmodSync(folderOf(repo), 0o700);
    expect(check(repo)).toBe('free a\n');
    expect(readdirSync(folderOf(repo)).length).toBeLessThanOrEqual(65);
  });
});
