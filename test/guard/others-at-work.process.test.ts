/** Others at work in the same checkout: what they have just done, and what they are doing. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commit, refused, scene, went } from '../support/scene.ts';
import { fileAt, pathsIn } from '../support/sessions.ts';

describe('others at work in the same checkout', () => {
  test.for([
    ['-q', '-a', '-m', 'more'],
    ['-qam', 'more'],
    ['-q', '-m', 'more', 'new'],
    ['-q', '-m', 'more', '--', 'new'],
  ])("commit %j takes an edit of a file that came with another's commit just before", (words) => {
    const { repo, ann, bob } = scene();
    went(bob.git('status'));
    repo.write('new', 'of ann\n');
    went(ann.git('add', 'new'));
    went(ann.git('commit', '-q', '-m', 'new'));
    appendFileSync(join(repo.top, 'new'), 'of bob\n');
    went(bob.git('commit', ...words));
    expect(pathsIn(repo)).toBe('new');
    expect(fileAt(repo, 'new')).toBe('of ann\nof bob\n');
  });

  test('a commit does not land in the middle of a rebase of somebody else', () => {
    const { repo, ann, bob, shell } = scene();
    went(
      shell(
        'git switch -q -c side && echo side >src/b && git commit -qam side && git switch -q main',
      ),
    );
    commit(bob, 'src/b');
    expect(bob.git('rebase', '-q', 'side').code).not.toBe(0);
    ann.edit('src/a');
    refused(ann.git('commit', '-q', '-m', 'x'), 'a rebase of bob is in progress');
    refused(ann.git('commit', '-q', '--no-verify', '-m', 'x'), 'a rebase of bob is in progress');
    went(bob.git('rebase', '--abort'));
    went(ann.git('commit', '-q', '-m', 'x'));
    expect(fileAt(repo, 'src/a')).toContain('ann was here');
  });

  test('whose commit is left on no branch by a switch of a person is told', () => {
    const { repo, ann, person } = scene();
    went(ann.git('switch', '-q', '--detach'));
    commit(ann, 'src/a');
    const oid = repo.git('rev-parse', 'HEAD').trim();
    went(person('switch', '-q', 'main'));
    expect(ann.coord('inbox').stdout).toContain(
      `git branch kept-${oid.slice(0, 10)} ${oid} keeps it`,
    );
  });
});
