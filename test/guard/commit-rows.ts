/** What becomes of each way to commit under the guard. */
import { expect } from 'vitest';
import { fileAt, pathsIn, ranIn } from '../support/sessions.ts';
import { commit, type Row, refused } from './command-scene.ts';

export const commitRows: readonly Row[] = [
  [
    'commit: what another holds is refused, with the holder and the next command, also past the other hooks',
    ({ repo, ann, person }) => {
      repo.write('src/held', 'changed\n');
      ann.git('add', 'src/held');
      refused(
        ann.git('commit', '-q', '-m', 'x'),
        /^coord: refused: src\/held is held by bob \([0-9a-z]{8}\) for /m,
      );
      refused(ann.git('commit', '-q', '--no-verify', '-m', 'x'), 'held by bob');
      refused(person('commit', '-q', '-a', '--no-verify', '-m', 'x'), 'COORD_OVERRIDE');
      expect(pathsIn(repo)).toBe('src/held');
    },
  ],
  [
    'commit: a person can override it with a reason, which the log tells [I-6]',
    ({ repo, person }) => {
      repo.write('src/held', 'changed\n');
      expect(
        ranIn(repo.top, { ...repo.env, COORD_OVERRIDE: 'it is urgent' }, 'git', [
          'commit',
          '-q',
          '-a',
          '-m',
          'x',
        ]).code,
      ).toBe(0);
      expect(person('log', '-1', '--format=%s').stdout).toBe('x\n');
    },
  ],
  [
    'commit: an agent cannot override',
    ({ repo, ann }) => {
      repo.write('src/held', 'changed\n');
      ann.git('add', 'src/held');
      refused(
        ranIn(repo.top, { ...ann.env, COORD_OVERRIDE: 'I want to' }, 'git', [
          'commit',
          '-q',
          '-m',
          'x',
        ]),
        'held by bob',
      );
    },
  ],
  [
    "commit: it carries its agent as a trailer, a person's does not",
    ({ repo, ann, person }) => {
      commit(ann, 'src/a');
      expect(
        repo.git('log', '-1', '--format=%(trailers:key=Coord-Agent,valueonly)').trim(),
      ).toMatch(/^ann \([0-9a-z]{8}\)$/);
      repo.write('src/b', 'person\n');
      expect(person('commit', '-q', '-a', '-m', 'a person').code).toBe(0);
      expect(repo.git('log', '-1', '--format=%B').trim()).toBe('a person');
    },
  ],
  [
    'commit: a rename is refused for either of its names',
    ({ ann, repo }) => {
      expect(ann.git('mv', 'src/held', 'src/moved').code).toBe(0);
      refused(ann.git('commit', '-q', '-m', 'x'), 'src/held is held by');
      ann.git('reset', '-q', '--hard');
      expect(ann.git('mv', 'src/a', 'src/moved').code).toBe(0);
      expect(ann.git('commit', '-q', '-m', 'a free one').code).toBe(0);
      expect(pathsIn(repo)).toBe('src/a src/moved');
    },
  ],
  [
    'commit -a: what another holds in the same work tree is left out, and stays as it is',
    ({ repo, ann }) => {
      repo.write('src/held', 'bob is at it\n');
      repo.write('src/a', 'ann\n');
      const done = ann.git('commit', '-q', '-a', '-m', 'all');
      expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining('src/held') });
      expect(pathsIn(repo)).toBe('src/a');
      expect(repo.git('status', '--short')).toBe(' M src/held\n');
    },
  ],
  [
    'commit -- path after others have committed: the path alone, and the stage does not fall behind [I-4]',
    ({ repo, ann, bob }) => {
      ann.edit('src/a');
      ann.edit('src/b');
      commit(bob, 'src/c');
      expect(ann.git('commit', '-q', '-m', 'one', '--', 'src/a').code).toBe(0);
      expect(pathsIn(repo)).toBe('src/a');
      expect(ann.git('commit', '-q', '-m', 'two').code).toBe(0);
      expect(pathsIn(repo)).toBe('src/b');
      expect(fileAt(repo, 'src/c')).toContain('bob was here');
    },
  ],
  [
    "commit --amend: one's own goes, another's is refused",
    ({ repo, ann, bob }) => {
      commit(ann, 'src/a');
      ann.edit('src/a', 'more');
      expect(ann.git('commit', '-q', '--amend', '--no-edit').code).toBe(0);
      expect(pathsIn(repo)).toBe('src/a');
      expect(repo.git('log', '--format=%s', '-2').trim()).toBe('ann edits src/a\nheld');
      refused(
        bob.git('commit', '-q', '--amend', '-m', 'mine now'),
        /a commit of ann .* would be on no branch: [0-9a-f]{10} "ann edits src\/a"/,
      );
    },
  ],
];
