/**
 * What may be given up without an edit going along: told by what git knows of the work tree, never
 * too much.
 */
import { appendFileSync, chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { follow, nextIn } from '../support/follow.ts';
import { repository, type TestRepository } from '../support/repository.ts';
import { checkout, session } from '../support/sessions.ts';

const changes: Readonly<Record<string, (file: string, repo: TestRepository) => void>> = {
  'in its text': (file) => appendFileSync(file, 'more\n'),
  'and staged': (file, repo) => {
    appendFileSync(file, 'more\n');
    repo.git('add', file);
  },
  'only in the index': (file, repo) => {
    appendFileSync(file, 'more\n');
    repo.git('add', file);
    repo.git('restore', '--source=HEAD', '--worktree', file);
  },
  'by being deleted': (file) => rmSync(file),
  'by another name': (file) => renameSync(file, `${file}2`),
  'in its mode': (file) => chmodSync(file, 0o755),
  'behind git, which was told not to look': (file, repo) => {
    repo.git('update-index', '--assume-unchanged', file);
    appendFileSync(file, 'more\n');
  },
};

describe('release --unchanged [U15]', () => {
  test.for(Object.entries(changes))('keeps a file that is changed %s, and frees what is not', ([
    ,
    change,
  ]) => {
    const repo = checkout({ guarded: false });
    repo.coord('ann', 'reserve', 'src/a', 'src/b', 'src/c');
    repo.coord('ann', 'reserve', 'docs/**');
    repo.coord('ann', 'claim', 'bd-1');
    repo.coord('ann', 'lock', 'test');
    change(join(repo.top, 'src/b'), repo);
    const ran = repo.coord('ann', 'release', '--unchanged');
    const freed = (ran.json['leases'] as readonly { patterns: string[] }[]).flatMap(
      ({ patterns }) => patterns,
    );
    expect(ran.code).toBe(0);
    expect(freed.toSorted()).toEqual(['docs/**', 'src/a', 'src/c']);
    expect(ran.json['kept']).toEqual(['src/b']);
    const left = repo.coord('ann', 'status').json['leases'] as readonly {
      kind: string;
      patterns?: string[];
    }[];
    expect(left.map(({ kind, patterns }) => [kind, patterns]).toSorted()).toEqual([
      ['claim', undefined],
      ['lock', undefined],
      ['reservation', ['src/b']],
    ]);
  });

  test('keeps a pattern and a folder with a new file, but none that git ignores', () => {
    const repo = checkout({ guarded: false });
    repo.write('.gitignore', 'out/\n');
    repo.git('add', '.');
    repo.git('commit', '-qm', 'ignore');
    repo.coord('ann', 'reserve', 'new/**', 'out/**', 'src/{a,b}', 'plain');
    for (const path of ['new/x y', 'out/z', 'plain/below']) repo.write(path);
    expect(repo.coord('ann', 'release', '--unchanged').json).toMatchObject({
      leases: [{ patterns: ['out/**', 'src/{a,b}'] }],
      kept: ['new/x y', 'plain/below'],
    });
  });

  test('sees what a session staged in its private index, not what others committed', () => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    bob.coord('reserve', 'src/b', 'src/c');
    bob.edit('src/b');
    repo.git('restore', '--worktree', 'src/b');
    ann.edit('src/a');
    expect(ann.git('commit', '-q', '-m', 'moves HEAD').code).toBe(0);
    const ran = bob.coord('release', '--unchanged');
    expect({ patterns: ran.json['leases'][0].patterns, kept: ran.json['kept'] }).toEqual({
      patterns: ['src/c'],
      kept: ['src/b'],
    });
  });

  test('where all is changed it says what commits it, and that line frees all of it', async () => {
    const repo = checkout({ guarded: false });
    const odd = ['src/b', 'src/[d]', "src/it's"];
    repo.coord('ann', 'reserve', '--literal', ...odd);
    for (const path of odd) repo.write(path, 'changed\n');
    repo.write('src/e', 'of somebody else\n');
    repo.git('add', 'src/e');
    const refused = repo.text('ann', 'release', '--unchanged');
    expect({ code: refused.code, stderr: refused.stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('has uncommitted changes: src/[d], src/b, src/it'),
    });
    const followed = await follow(repo, nextIn(refused.stderr), repo.env, join(repo.top, 'src'))
      .ended;
    expect(followed.code, followed.stderr).toBe(0);
    expect(repo.coord(null, 'status').json['leases']).toEqual([]);
    expect(repo.git('show', '--format=%s', '--name-only').trim().split('\n')).toEqual([
      '<what it does>',
      '',
      'src/[d]',
      'src/b',
      "src/it's",
    ]);
    expect(repo.git('diff', '--cached', '--name-only').trim()).toBe('src/e');
  });

  test('before the first commit all that is there is changed', () => {
    const repo = repository({ unborn: true });
    repo.coord('ann', 'reserve', 'a', 'b');
    writeFileSync(join(repo.top, 'a'), 'x');
    expect(repo.coord('ann', 'release', '--unchanged').json).toMatchObject({
      leases: [{ patterns: ['b'] }],
      kept: ['a'],
    });
  });

  test('nothing else goes with it, and holding nothing is as ever', () => {
    const repo = repository();
    repo.coord('ann', 'whoami');
    expect(repo.coord('ann', 'release', '--unchanged').json['refusal'].kind).toBe(
      'nothing_matched',
    );
    for (const more of [['--all'], ['a']])
      expect(repo.coord('ann', 'release', '--unchanged', ...more).code).toBe(64);
    expect(repo.coord('ann', 'reserve', '--yield', 'a').json['error'].hint).toBe(
      'coord reserve --wait 2m --yield <pattern>',
    );
  });
});
