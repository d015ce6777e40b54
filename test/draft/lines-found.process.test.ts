/** What random walks have found: none of it is refused for ever, or takes what is another's. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addedIn, numbered, sharedFile } from '../support/shared-file.ts';

describe('a file that two change', () => {
  test('what was staged before the line changed again, then the rest', () => {
    const { repo, ann, ben } = sharedFile();
    expect(ann.edit('shared', 'line 3\n', 'line 3 of ann\n')).toBe('');
    expect(ben.edit('shared', 'line 12\n', 'line 12 of ben\n')).toBe('');
    expect(ann.bash('git add shared')).toMatchObject({ code: 0 });
    expect(ann.edit('shared', 'line 3 of ann\n', 'line 3 of ann again\n')).toBe('');
    expect(ann.bash('git commit -qm first')).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['line 3 of ann']);
    expect(ann.bash('git commit -qam second')).toMatchObject({ code: 0, stderr: '' });
    const text = numbered(20).replace('line 3\n', 'line 3 of ann again\n');
    expect(repo.git('show', 'HEAD:shared')).toBe(text);
  });

  test('what was staged, and others have committed otherwise', () => {
    const { repo, ann, ben } = sharedFile();
    expect(ann.edit('shared', 'line 3\n', 'line 3 of ann\n')).toBe('');
    expect(ben.edit('shared', 'line 12\n', 'line 12 of ben\n')).toBe('');
    expect(ann.bash('git add shared')).toMatchObject({ code: 0 });
    expect(ben.edit('shared', 'line 12 of ben\n', 'line 12 again\n')).toBe('');
    expect(ben.bash('git commit -qam ben')).toMatchObject({ code: 0 });
    expect(ben.edit('shared', 'line 16\n', 'line 16 of ben\n')).toBe('');
    expect(ann.bash('git commit -qam ann')).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['line 3 of ann']);
  });

  test('what was staged, and others have committed otherwise: the next command ends it', () => {
    const { repo, ann, ben } = sharedFile();
    expect(ann.edit('shared', 'line 3\n', 'line 3 of ann\n')).toBe('');
    expect(ben.edit('shared', 'line 12\n', 'line 12 of ben\n')).toBe('');
    expect(ann.bash('git add shared')).toMatchObject({ code: 0 });
    expect(ben.edit('shared', 'line 12 of ben\n', 'line 12 again\n')).toBe('');
    expect(ben.bash('git commit -qam ben')).toMatchObject({ code: 0 });
    expect(ben.edit('shared', 'line 16\n', 'line 16 of ben\n')).toBe('');
    const { code, stderr } = ann.bash('git commit -qm ann');
    expect(code).toBe(1);
    const [, next = ''] = /next: (.*)/.exec(stderr) ?? [];
    expect(ann.bash(next)).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['line 3 of ann']);
  });

  test.for([
    '-qam ann --no-verify',
    '-qanm ann',
  ])('commit %s takes no line of nobody, and the next command leaves it out', (form) => {
    const { repo, ann } = sharedFile();
    expect(ann.edit('shared', 'line 3\n', 'line 3 of ann\n')).toBe('');
    appendFileSync(join(repo.top, 'shared'), 'by hand\n');
    const { code, stderr } = ann.bash(`git commit ${form}`);
    expect(code).not.toBe(0);
    const [, next = ''] = /next: (.*)/.exec(stderr) ?? [];
    expect(ann.bash(next)).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['line 3 of ann']);
  });

  test('where only lines of nobody are left, the next command says whose they are', () => {
    const { repo, ann } = sharedFile();
    expect(ann.edit('shared', 'line 3\n', 'line 3 of ann\n')).toBe('');
    appendFileSync(join(repo.top, 'shared'), 'by hand\n');
    expect(ann.bash('git commit -qam ann')).toMatchObject({ code: 0 });
    const { stderr } = ann.bash('git commit -qam rest');
    const [, next = ''] = /next: (.*)/.exec(stderr) ?? [];
    expect(ann.bash(next)).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['by hand']);
  });

  test('a shared file that grows long stays shared', () => {
    const { repo, ann, ben } = sharedFile();
    expect(ann.edit('shared', 'line 3\n', 'line 3 of ann\n')).toBe('');
    expect(ben.edit('shared', 'line 12\n', 'line 12 of ben\n')).toBe('');
    const many = `${'a long text of ann '.repeat(20)}\n`.repeat(3_000);
    expect(ann.edit('shared', 'line 18\n', `line 18\n${many}`)).toBe('');
    expect(ben.edit('shared', 'line 14\n', 'line 14 of ben\n')).toBe('');
    expect(ben.bash('git commit -qam ben')).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['line 12 of ben', 'line 14 of ben']);
    expect(ann.bash('git commit -qam ann')).toMatchObject({ code: 0 });
    expect(repo.git('status', '--short')).toBe('');
  });

  test('lines of nobody beside those of somebody: the next command waits for them', () => {
    const { repo, ann, ben } = sharedFile();
    expect(ben.edit('shared', 'line 12\n', 'line 12 of ben\n')).toBe('');
    appendFileSync(join(repo.top, 'shared'), 'by hand\n');
    const { stderr } = ann.bash('git commit -qam again');
    const [, next = ''] = /next: (.*)/.exec(stderr) ?? [];
    expect(next).toContain('coord reserve --wait');
    expect(ben.bash('git commit -qam ben')).toMatchObject({ code: 0 });
    expect(ann.bash(next)).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['by hand']);
  });

  test('what would touch an edit that another is about to make is refused', () => {
    const { repo, ann, ben } = sharedFile();
    expect(ann.edit('shared', 'line 3\n', 'line 3 of ann\n')).toBe('');
    expect(ann.wants('shared', 'line 12\n', 'line 12 of ann\n')).toBe('');
    expect(ben.edit('shared', 'line 11\n', 'line 11 of ben\n')).toContain('"deny"');
    ann.lands('shared', 'line 12\n', 'line 12 of ann\n');
    expect(ben.edit('shared', 'line 14\n', 'line 14 of ben\n')).toBe('');
    expect(ann.bash('git commit -qam ann')).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['line 3 of ann', 'line 12 of ann']);
  });

  test('what one has alone and another has staged is committed by who has it', () => {
    const { repo, ann, ben } = sharedFile();
    expect(ann.bash('coord reserve shared')).toMatchObject({ code: 0 });
    expect(ann.edit('shared', 'line 3\n', 'line 3 of ann\n')).toBe('');
    expect(ben.bash('git add -A')).toMatchObject({ code: 0 });
    expect(ann.bash('git commit -qam ann')).toMatchObject({ code: 0, stderr: '' });
    expect(addedIn(repo, 'HEAD')).toEqual(['line 3 of ann']);
  });

  test('a lease of lines ends with their commit, whatever is left of others', () => {
    const { repo, ann, ben } = sharedFile();
    expect(ben.edit('shared', 'line 12\n', 'line 12 of ben\n')).toBe('');
    appendFileSync(join(repo.top, 'shared'), 'by hand\n');
    expect(ann.edit('shared', 'line 3\n', 'line 3 of ann\n')).toBe('');
    for (const session of [ann, ben])
      expect(session.bash('git commit -qam mine')).toMatchObject({ code: 0 });
    expect(repo.coord('person', 'reserve', 'shared').code).toBe(0);
  });
});
