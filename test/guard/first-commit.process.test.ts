/** Before there is a commit: leases count, and sessions take turns. */
import { describe, expect, test } from 'vitest';
import { repository } from '../support/repository.ts';
import { ranIn, session } from '../support/sessions.ts';

describe('the first commit of all', () => {
  test('coord commit of the first commit looks at leases', () => {
    const repo = repository({ unborn: true });
    repo.text(null, 'install');
    repo.coord('ann', 'reserve', 'held');
    const bob = session(repo, 'bob');
    repo.write('held', 'x');
    bob.git('add', 'held');
    expect(bob.coord('commit', '-m', 'root').code).not.toBe(0);
    bob.git('rm', '-q', '--cached', 'held');
    repo.write('free', 'x');
    bob.git('add', 'free');
    expect(bob.coord('commit', '-m', 'root').json).toMatchObject({
      result: 'committed',
      paths: ['free'],
    });
  });
});

test('sessions that began before the first commit commit in turn, and undo nobody', () => {
  const repo = repository({ unborn: true });
  repo.text(null, 'install');
  const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
  for (const name of ['one', 'two', 'three']) repo.write(name, name);
  ann.git('add', 'one');
  expect(ann.git('commit', '-q', '-m', 'ann')).toMatchObject({ code: 0 });
  ranIn(repo.top, repo.env, 'git', ['add', 'three']);
  expect(ranIn(repo.top, repo.env, 'git', ['commit', '-q', '-m', 'a person'])).toMatchObject({
    code: 0,
  });
  bob.git('add', 'two');
  expect(bob.git('commit', '-q', '-m', 'bob')).toMatchObject({ code: 0 });
  expect(repo.git('ls-tree', '-r', '--name-only', 'HEAD')).toBe('one\nthree\ntwo\n');
});
