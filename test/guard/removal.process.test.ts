/** A work tree that goes: what is kept of it, and by which commands. */
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gitGate } from '../support/gate.ts';
import type { TestRepository } from '../support/repository.ts';
import { went } from '../support/scene.ts';
import { ranIn, session } from '../support/sessions.ts';
import {
  bytesOf,
  commits,
  fill,
  onlyKept,
  pictureOf,
  side,
  withIgnored,
  worksIn,
} from '../support/work-trees.ts';

describe('a removal that is overtaken', () => {
  test('by a process that comes in once all is kept: it stays', async () => {
    const repo = withIgnored();
    const tree = side(repo, 'away');
    fill(tree);
    const before = pictureOf(tree.top);
    const gate = gitGate(repo, 'after');
    const removal = repo.start('ann', ['work', 'abandon', tree.top], gate.env);
    await gate.reached();
    const someone = await worksIn(tree.top);
    gate.open();
    expect(await removal.ended).toMatchObject({
      code: 1,
      json: { refusal: { kind: 'occupied' }, inUseBy: [{ name: `cat (${someone.pid})` }] },
    });
    expect(pictureOf(tree.top)).toEqual(before);
    expect(repo.git('worktree', 'list', '--porcelain')).not.toContain('locked');
  });

  test('by what is written once all is kept: that is kept too', async () => {
    const repo = withIgnored();
    const tree = side(repo, 'away');
    fill(tree);
    const gate = gitGate(repo, 'after');
    const removal = repo.start('ann', ['work', 'abandon', tree.top], gate.env);
    await gate.reached();
    tree.write('late', 'written meanwhile');
    const before = pictureOf(tree.top);
    gate.open();
    expect(await removal.ended).toMatchObject({ code: 0, json: { removed: true } });
    expect(repo.coord(null, 'work', 'restore', tree.top)).toMatchObject({ code: 0 });
    expect(pictureOf(tree.top)).toEqual(before);
  });
});

describe('what is kept', () => {
  /** Abandoned and restored. */
  function goesAndComes(repo: TestRepository, tree: TestRepository): void {
    expect(repo.coord('ann', 'work', 'abandon', tree.top)).toMatchObject({ code: 0 });
    expect(existsSync(tree.top)).toBe(false);
    expect(repo.coord('ann', 'work', 'restore', tree.top)).toMatchObject({ code: 0 });
  }

  test('permissions, names that are no text, a file in the place of a folder', () => {
    const repo = withIgnored();
    const tree = side(repo, 'odd');
    tree.write('key', 'secret\n');
    chmodSync(join(tree.top, 'key'), 0o600);
    tree.write('private/x', 'x');
    chmodSync(join(tree.top, 'private'), 0o700);
    const odd = Buffer.concat([Buffer.from(`${tree.top}/caf`), Buffer.from([0xe9])]);
    writeFileSync(odd, 'untracked');
    writeFileSync(Buffer.concat([odd, Buffer.from('.log')]), 'ignored');
    rmSync(join(tree.top, 'src'), { recursive: true });
    tree.write('src', 'a file by now\n');
    const before = bytesOf(tree.top);
    goesAndComes(repo, tree);
    expect(bytesOf(tree.top)).toEqual(before);
    expect(statSync(join(tree.top, 'key')).mode & 0o777).toBe(0o600);
    expect(statSync(join(tree.top, 'private')).mode & 0o777).toBe(0o700);
  });

  test('the index, a merge under way, and every commit that only its reflog knows', () => {
    const repo = withIgnored();
    const tree = side(repo, 'busy');
    commits(repo, 1);
    tree.write('src/a', 'otherwise\n');
    tree.git('commit', '-q', '-a', '-m', 'otherwise');
    for (let i = 0; i < 3; i += 1) tree.git('commit', '-q', '--amend', '-m', `again ${i}`);
    const known = tree.git('reflog', '--format=%H').trim().split('\n');
    tree.write('new', 'n\n');
    tree.git('add', 'new');
    expect(ranIn(tree.top, repo.env, 'git', ['merge', '-q', 'main']).code).not.toBe(0);
    const status = tree.git('status', '--porcelain');
    const before = pictureOf(tree.top);
    goesAndComes(repo, tree);
    expect(pictureOf(tree.top)).toEqual(before);
    expect(tree.git('status', '--porcelain')).toBe(status);
    repo.git('gc', '-q', '--prune=now');
    for (const commit of known) tree.git('cat-file', '-e', commit);
  });

  test('files of a branch without a commit', () => {
    const repo = withIgnored();
    const tree = side(repo, 'unborn');
    tree.git('checkout', '-q', '--orphan', 'fresh');
    tree.git('rm', '-q', '-r', '--cached', '.');
    tree.write('.env', 'SECRET\n');
    const before = pictureOf(tree.top);
    goesAndComes(repo, tree);
    expect(pictureOf(tree.top)).toEqual(before);
  });
});

describe('however it is said', () => {
  test.for([
    ['git worktree remove --force ../said'],
    ['git worktree remove -f ./../said'],
    ['cd src && git worktree remove --force ../../said'],
    ['git -C src worktree remove --force ../../said'],
    ['cd .. && git -C repo worktree remove --force ../said'],
    ['git -c alias.wr="worktree remove --force" wr ../said'],
    ['git worktree remove --force said'],
    ['cd / && rm -rf "$OLDPWD/../said"'],
    ['cd .. && rm -fr -- said'],
    ['cd ../said && rm -rf .git'],
  ])('%s', ([line = '']) => {
    const repo = withIgnored();
    const tree = side(repo, 'said');
    tree.write('only', 'here\n');
    const ann = session(repo, 'ann');
    const ran = ann.run('sh', '-c', line);
    const isRefused = ran.code !== 0 && existsSync(join(tree.top, '.git'));
    if (isRefused) expect(ran.stderr).toContain('your own shell is in');
    else {
      expect(ran.stderr).toContain('coord work restore');
      expect(repo.coord(null, 'work', 'restore', onlyKept(repo))).toMatchObject({ code: 0 });
    }
    expect(readFileSync(join(tree.top, 'only'), 'utf8')).toBe('here\n');
  });

  test('a work tree inside another one, by git clean or along with that one', () => {
    const repo = withIgnored();
    const inner = side(repo, 'repo/inner', '--detach');
    inner.write('only', 'here\n');
    const ann = session(repo, 'ann');
    went(ann.git('clean', '-q', '-ffdx'));
    expect(existsSync(join(repo.top, 'inner'))).toBe(false);
    expect(repo.coord(null, 'work', 'restore', onlyKept(repo))).toMatchObject({ code: 0 });
    expect(readFileSync(join(repo.top, 'inner/only'), 'utf8')).toBe('here\n');
    const outer = side(repo, 'outer');
    side(repo, 'outer/inner', '--detach');
    expect(repo.coord('ann', 'work', 'abandon', outer.top)).toMatchObject({
      code: 1,
      json: { inUseBy: [{ kind: 'work-tree' }] },
    });
  });
});
