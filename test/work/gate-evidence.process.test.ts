/** What the gate takes for evidence, and of which work. */
import { describe, expect, test } from 'vitest';
import { commits, missing, story, tree } from '../support/gated.ts';
import { repository, type TestRepository } from '../support/repository.ts';
import { session } from '../support/sessions.ts';

describe('the evidence of a gate [A4]', () => {
  test("work that was handed over is finished by whoever has it now; a child's commit is its parent's too", () => {
    const { repo, ann } = story();
    ann.coord('claim', 'bd-1');
    commits(ann);
    ann.coord('verify', '--', 'sh', 'test.sh');
    const bob = session(repo, 'bob');
    expect(ann.coord('session', 'end', '--handoff', '--to', 'bob').code).toBe(0);
    expect(bob.coord('done', 'bd-1').json).toMatchObject({ result: 'done' });
    expect(repo.coord(null, 'gate').code).toBe(0);
  });

  /** Each has `exit 1` in the commit, and something else where git looks. */
  test.for<readonly [string, (repo: TestRepository) => void]>([
    [
      'a file that git is told not to look at',
      (repo) => repo.git('update-index', '--assume-unchanged', 'test.sh'),
    ],
    [
      'a file that git is told to skip',
      (repo) => repo.git('update-index', '--skip-worktree', 'test.sh'),
    ],
    [
      'a tree that another stands in for',
      (repo) => repo.git('replace', tree(repo), tree(repo, 'HEAD~1')),
    ],
    [
      'a commit that another stands in for',
      (repo) =>
        repo.git(
          'replace',
          repo.git('rev-parse', 'HEAD').trim(),
          repo
            .git('commit-tree', '-p', 'HEAD~1', '-m', 'x\n\nBead: bd-1', tree(repo, 'HEAD~1'))
            .trim(),
        ),
    ],
  ])('evidence is not of %s', ([, hide]) => {
    const { repo, ann } = story();
    ann.coord('claim', 'bd-1');
    repo.write('test.sh', 'exit 1\n');
    ann.git('add', 'test.sh');
    commits(ann);
    hide(repo);
    repo.write('test.sh', 'exit 0\n');
    ann.coord('verify', '--', 'sh', 'test.sh');
    ann.coord('verify', '--at', 'HEAD', '--', 'sh', 'test.sh');
    expect(ann.coord('gate').code).toBe(1);
    expect(ann.coord('gate', '--strict').code).toBe(1);
    expect(ann.coord('done', 'bd-1').code).toBe(1);
  });

  test('a submodule with changes that no commit has cannot be told by a tree', () => {
    const { repo, ann } = story();
    const other = repository();
    other.write('t', 'exit 1\n');
    other.git('add', '.');
    other.git('commit', '-q', '-m', 't');
    repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other.top, 'sub');
    repo.git('commit', '-q', '-m', 'with a submodule');
    expect(ann.coord('verify', '--', 'sh', 'test.sh').code).toBe(0);
    repo.write('sub/t', 'exit 0\n');
    expect(ann.coord('verify', '--', 'sh', 'test.sh').json['error'].code).toBe('not_testable');
    expect(missing(ann.coord('gate', '--strict'))).toContain('clean');
    expect(ann.coord('verify', '--at', 'HEAD', '--', 'sh', 'test.sh').code).toBe(0);
  });

  test('evidence from a time that the log has not seen is none', () => {
    const { repo, ann } = story();
    ann.coord('claim', 'bd-1');
    commits(ann);
    const forged = {
      command: ['sh', 'test.sh'],
      folder: '',
      exit: 0,
      durationMs: 0,
      tree: tree(repo),
      base: null,
      seq: 99_999,
      at: '2026-11-18T23:23:09.702Z',
      agent: { id: 'zzzzzzzz', name: 'nobody' },
      bead: null,
      log: null,
    };
    repo.git('notes', '--ref=coord', 'append', '-m', `Evidence: ${JSON.stringify(forged)}`, 'HEAD');
    expect(missing(ann.coord('gate'))).toEqual(['evidence']);
  });

  test('what is done with one commit is not done with another', () => {
    const { ann } = story();
    ann.coord('claim', 'bd-1');
    commits(ann);
    ann.coord('verify', '--', 'sh', 'test.sh');
    expect(ann.coord('done', 'bd-1').code).toBe(0);
    ann.git('commit', '-q', '--allow-empty', '-m', 'unrelated');
    expect(ann.coord('done', 'bd-1').code).toBe(0);
    expect(ann.coord('done', 'bd-1', '--commit', 'HEAD').json['refusal'].kind).toBe('bead_done');
    expect(ann.coord('done', 'bd-1', '--commit', 'nosuch').code).toBe(64);
    expect(ann.coord('done', 'bd-1', '--commit', 'HEAD', '--no-change', '--reason', 'x').code).toBe(
      64,
    );
  });

  test('a commit may be the work on two beads; a bead in the words of its message is one without what stands around it', () => {
    const { ann } = story();
    for (const bead of ['bd-1', 'bd-2']) ann.coord('claim', bead);
    commits(ann, 'work', '--trailer', 'Bead: bd-1', '--trailer', 'Bead: bd-2');
    ann.coord('verify', '--', 'sh', 'test.sh');
    for (const bead of ['bd-1', 'bd-2'])
      expect(ann.coord('done', bead).json).toMatchObject({ result: 'done' });
    for (const bead of ['bd-3', 'bd-4']) ann.coord('claim', bead);
    commits(ann, 'Finish bd-3: it works (see bd-1)');
    ann.coord('verify', '--', 'sh', 'test.sh');
    expect(ann.coord('gate').json).toMatchObject({ result: 'passed', bead: 'bd-3' });
    expect(ann.coord('done', 'bd-3', '--commit', 'HEAD').json['commit']).toMatch(/^[0-9a-f]{40}$/);
  });
});
