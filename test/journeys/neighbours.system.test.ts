/**
 * Coord beside other tools that write git's hooks: both run, and where one of them has taken coord
 * out, the next command says so. Needs: git-lfs, pre-commit, husky and lefthook.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hookText } from '../../src/git/hook-files.ts';
import { type Neighbour, neighbours } from '../support/neighbours.ts';
import { repository, type TestRepository } from '../support/repository.ts';
import { ranIn } from '../support/sessions.ts';

/** With hook files also where git has hooks in its configuration. ann holds `held`. */
function scene(tool: Neighbour): TestRepository {
  const repo = repository({ env: { PATH: '/usr/bin:/bin' } });
  repo.coord('ann', 'reserve', 'held');
  tool.configure(repo);
  return repo;
}

const said = (repo: TestRepository): readonly string[] =>
  [0, 1].map(() => repo.text('cid', 'check', 'other').stderr);

/** Is a commit on what ann holds refused, by whichever hook? */
function isRefused(repo: TestRepository): boolean {
  repo.write('held', 'of cid\n');
  repo.git('add', 'held');
  const { code, stderr } = ranIn(repo.top, repo.env, 'git', ['commit', '-q', '-m', 'held']);
  repo.git(...(code === 0 ? ['update-ref', 'HEAD', 'HEAD~'] : ['rm', '-q', '--cached', 'held']));
  if (code === 0) repo.git('rm', '-q', '--cached', 'held');
  expect(stderr.includes('refused: held is held by ann'), stderr).toBe(code !== 0);
  return code !== 0;
}

function expectInForce(repo: TestRepository): void {
  expect(said(repo)).toEqual(['', '']);
  expect(isRefused(repo)).toBe(true);
}

/** Says so once, and the truth; coord install puts it right. */
function expectMended(repo: TestRepository, words: string | null): void {
  if (words !== null) {
    expect(said(repo)).toEqual([`note: ${words}; coord install\n`, '']);
    expect(isRefused(repo)).toBe(!words.startsWith('commits are not checked'));
    repo.text(null, 'install');
  }
  expectInForce(repo);
}

/** Every file in the folders of hooks in which there is something of coord. */
function left(repo: TestRepository): readonly string[] {
  return ['.git/hooks', '.husky/_'].flatMap((folder) => {
    const place = join(repo.top, folder);
    const names = existsSync(place) ? readdirSync(place) : [];
    return names.filter((name) => /coord_hook|COORD_/.test(hookText(join(place, name)) ?? ''));
  });
}

describe.for(Object.entries(neighbours))('%s', ([, tool]) => {
  test('first, then coord; updated; removed', () => {
    const repo = scene(tool);
    tool.install(repo);
    expect(tool.runs(repo)).toBe(1);
    repo.text(null, 'install');
    expectInForce(repo);
    expect(tool.runs(repo)).toBe(1);
    tool.update(repo);
    expectMended(repo, tool.losesBy.update);
    expect(tool.runs(repo)).toBe(1);
    tool.removeBeside(repo);
    expectMended(repo, tool.losesBy.remove);
    expect(tool.runs(repo)).toBe(0);
  });

  test('after coord; updated; coord uninstalled; removed', () => {
    const repo = scene(tool);
    repo.text(null, 'install');
    tool.installAfter(repo);
    expectMended(repo, tool.losesBy.installAfter);
    expect(tool.runs(repo)).toBe(1);
    tool.update(repo);
    expectMended(repo, tool.losesBy.update);
    repo.text(null, 'uninstall');
    expect(left(repo)).toEqual([]);
    expect(said(repo)).toEqual(['', '']);
    expect({ refused: isRefused(repo), runs: tool.runs(repo) }).toEqual({
      refused: false,
      runs: 1,
    });
    tool.remove(repo);
    expect(tool.runs(repo)).toBe(0);
    expect(left(repo)).toEqual([]);
  });
});
