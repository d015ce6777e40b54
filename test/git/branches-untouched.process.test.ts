/** Coord moves nobody's branch. */
import { expect, test } from 'vitest';
import { checkout, session } from '../support/sessions.ts';
import { sources } from '../support/sources.ts';

test("nobody's branch is pulled, rebased, merged or reset by coord [F-SAFE-7, SYS-4]", () => {
  expect(sources().join('\n')).not.toMatch(
    /\b(runGit|runPlain|git|gitWithIndex)\([^\n]*'(pull|rebase|merge|reset|stash|checkout|switch)'/,
  );
  const repo = checkout();
  const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
  ann.edit('src/a');
  ann.git('commit', '-q', '-m', 'x');
  const before = repo.git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads');
  bob.coord('stage', 'refresh');
  bob.coord('status');
  expect(repo.git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads')).toBe(before);
});
