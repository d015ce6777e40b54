/** An index that is damaged, in use or just begun, and what it is based on. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repository } from '../support/repository.ts';
import { checkout, pathsIn, ranIn, session } from '../support/sessions.ts';

describe('an index', () => {
  test("a name that is no UTF-8 is committed as it is, and the repository's index stays right", () => {
    const repo = checkout();
    ranIn(repo.top, repo.env, 'sh', [
      '-c',
      'echo one > "$(printf "caf\\351")"; git add .; git commit -qm latin',
    ]);
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    ann.run('sh', '-c', 'echo two > "$(printf "caf\\351")"; git add -A');
    expect(ann.git('commit', '-q', '-m', 'two')).toMatchObject({ code: 0 });
    expect(repo.git('status', '--short')).toBe('');
    expect(pathsIn(repo)).toBe('"caf\\351"');
    expect(bob.coord('status').code).toBe(0);
  });

  test.for(['base', 'index-base'])('a %s that was never written whole is no base', (file) => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    bob.git('rm', '-q', 'src/d');
    expect(bob.git('commit', '-q', '-m', 'bob removes d').code).toBe(0);
    writeFileSync(
      file === 'base'
        ? join(ann.env['COORD_STAGE'] ?? '', '../base')
        : join(repo.top, '.git/coord/index-base'),
      '',
    );
    repo.write('src/new', 'new\n');
    ann.git('add', 'src/new');
    ann.git('commit', '-q', '-m', 'ann');
    expect(repo.git('ls-tree', '-r', '--name-only', 'HEAD')).not.toContain('src/d');
  });

  test('an index that another git is at work on is not taken for one that was brought to HEAD', () => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    const stage = ann.env['COORD_STAGE'] ?? '';
    ann.edit('src/a');
    const older = readFileSync(stage);
    bob.edit('src/b', 'of bob');
    expect(bob.git('commit', '-q', '-m', 'bob').code).toBe(0);
    // Another git has taken the lock and will put its older index in place in the end.
    writeFileSync(`${stage}.lock`, '');
    const { PATH, ...rest } = ann.env;
    const past = {
      ...rest,
      PATH: (PATH ?? '').split(':').slice(1).join(':'),
      GIT_INDEX_FILE: stage,
    };
    expect(ranIn(repo.top, past, 'git', ['hook', 'run', 'pre-commit']).code).not.toBe(0);
    writeFileSync(`${stage}.lock`, older);
    renameSync(`${stage}.lock`, stage);
    ann.git('commit', '-q', '-m', 'ann');
    expect(repo.git('show', 'HEAD:src/b')).toContain('of bob');
  });

  test("after the first commit of all, by a session, a person's status is true", () => {
    const repo = repository({ unborn: true });
    expect(repo.coord(null, 'install').code).toBe(0);
    const ann = session(repo, 'ann');
    repo.write('x', '1\n');
    ann.git('add', 'x');
    expect(ann.git('commit', '-q', '-m', 'first')).toMatchObject({ code: 0 });
    expect(repo.git('status', '--porcelain')).toBe('');
  });
});
