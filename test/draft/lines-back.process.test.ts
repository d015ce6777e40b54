/** Lines that were committed and are not any more: they are of whoever had committed them. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addedIn, changedByBoth } from '../support/shared-file.ts';

describe('lines of a commit that is taken back', () => {
  test('by reset --soft go with the next commit of its author', () => {
    const { repo, ann, ben } = changedByBoth();
    expect(ann.bash('git commit -qam ann')).toMatchObject({ code: 0 });
    expect(ann.edit('shared', 'line 7\n', 'line 7 of ann\n')).toBe('');
    expect(ann.bash('git commit -qam more')).toMatchObject({ code: 0 });
    expect(ann.bash('git reset -q --soft HEAD~2')).toMatchObject({ code: 0 });
    expect(ann.edit('shared', 'line 5\n', 'line 5 of ann\n')).toBe('');
    expect(ann.bash('git commit -qam again')).toMatchObject({ code: 0, stderr: '' });
    expect(addedIn(repo, 'HEAD')).toEqual(['line 3 of ann', 'line 5 of ann', 'line 7 of ann']);
    expect(ben.bash('git commit -qam ben')).toMatchObject({ code: 0, stderr: '' });
    expect(addedIn(repo, 'HEAD')).toEqual(['line 12 of ben']);
  });

  test('by reset are not those of nobody that stood there before', () => {
    const { repo, ann } = changedByBoth();
    appendFileSync(join(repo.top, 'shared'), 'by hand\n');
    expect(ann.bash('git commit -qam ann')).toMatchObject({ code: 0 });
    expect(ann.bash('git reset -q HEAD~1')).toMatchObject({ code: 0 });
    expect(ann.bash('git commit -qam again')).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['line 3 of ann']);
    expect(repo.git('diff', '-U0', 'HEAD')).toMatch(/\+line 12 of ben\n[^]*\+by hand\n/);
  });

  test("of a person's commit are nobody's that is known", () => {
    const { repo, ann, ben } = changedByBoth();
    expect(ann.bash('git commit -qam ann')).toMatchObject({ code: 0 });
    appendFileSync(join(repo.top, 'shared'), 'by hand\n');
    expect(repo.coord(null, 'commit', '-a', '-m', 'person').code).toBe(0);
    expect(addedIn(repo, 'HEAD')).toEqual(['by hand']);
    repo.git('reset', '-q', '--soft', 'HEAD~1');
    expect(ben.bash('git commit -qam ben')).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['line 12 of ben']);
    expect(repo.git('diff', '-U0', 'HEAD')).toContain('+by hand\n');
  });
});
