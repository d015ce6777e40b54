/** Two sessions in one file: each commits exactly its own lines. */
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { TestRepository } from '../support/repository.ts';
import { addedIn, sharedFile } from '../support/shared-file.ts';

function fileNow(repo: TestRepository): string {
  return readFileSync(join(repo.top, 'shared'), 'utf8');
}

describe('a file that two change', () => {
  test.for([
    'git commit -qam ann',
    'git add shared && git commit -qm ann',
    'git add -A && git commit -qm ann',
    'git commit -qm ann -- shared',
    'git add shared && git commit -qm ann --no-edit',
    'git add shared && coord commit -m ann',
  ])('%s takes the lines of its author alone', (command) => {
    const { repo, ann, ben } = sharedFile();
    expect(ann.edit('shared', 'line 3\n', 'line 3 of ann\n')).toBe('');
    expect(ben.edit('shared', 'line 12\n', 'line 12 of ben\n')).toBe('');
    const file = fileNow(repo);
    expect(ann.bash(command)).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['line 3 of ann']);
    expect(fileNow(repo)).toBe(file);
    expect(ben.bash('git commit -qam ben')).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['line 12 of ben']);
    expect(repo.git('status', '--short')).toBe('');
    expect(ann.shell('git status --short').stdout).toBe('');
  });

  test('lines that touch are refused, with whose they are, and nothing is held for it', () => {
    const { repo, ann, ben } = sharedFile();
    expect(ann.edit('shared', 'line 3\n', 'line 3 of ann\n')).toBe('');
    for (const near of ['line 2\n', 'line 3 of ann\n', 'line 4\n'])
      expect(ben.edit('shared', near, 'ben\n')).toMatch(
        /"deny"[^]*shared[^]*lines 3[^]*claude-[^]*Next: /,
      );
    const leases = repo.coord(null, 'status').json['leases'];
    expect(leases).toHaveLength(1);
    expect(ben.edit('shared', 'line 5\n', 'ben\n')).toBe('');
  });

  test('a line of an editor that says nothing goes with nobody but a person', () => {
    const { repo, ann } = sharedFile();
    expect(ann.edit('shared', 'line 3\n', 'line 3 of ann\n')).toBe('');
    appendFileSync(join(repo.top, 'shared'), 'by hand\n');
    expect(ann.bash('git commit -qam ann')).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['line 3 of ann']);
    expect(fileNow(repo)).toMatch(/by hand\n$/);
  });

  test('what others alone have changed makes no empty commit', () => {
    const { repo, ann, ben } = sharedFile();
    const head = repo.git('rev-parse', 'HEAD');
    expect(ben.edit('shared', 'line 12\n', 'line 12 of ben\n')).toBe('');
    const said = ann.bash('git add shared && git commit -qm ann');
    expect(said.code).not.toBe(0);
    expect(said.stderr).toMatch(/shared has uncommitted changes of claude-/);
    expect(repo.git('rev-parse', 'HEAD')).toBe(head);
  });

  test('past pre-commit the lines of others are refused', () => {
    const { repo, ann, ben } = sharedFile();
    expect(ann.edit('shared', 'line 3\n', 'line 3 of ann\n')).toBe('');
    expect(ben.edit('shared', 'line 12\n', 'line 12 of ben\n')).toBe('');
    const head = repo.git('rev-parse', 'HEAD');
    expect(ann.bash('git commit -qam ann --no-verify').code).not.toBe(0);
    expect(repo.git('rev-parse', 'HEAD')).toBe(head);
    expect(ann.bash('git commit -qam ann')).toMatchObject({ code: 0 });
  });
});

describe('what a shell command changes in a shared file', () => {
  test('is of the one whose command it was, beside what the other announced', () => {
    const { repo, ann, ben } = sharedFile();
    expect(ben.edit('shared', 'line 12\n', 'line 12 of ben\n')).toBe('');
    expect(ann.bash("sed -i 's/^line 3$/line 3 of ann/' shared")).toMatchObject({ code: 0 });
    expect(ann.bash('git commit -qam ann')).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['line 3 of ann']);
    expect(ben.bash('git commit -qam ben')).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['line 12 of ben']);
  });

  test('a file that nobody had is shared from the first command on', () => {
    const { repo, ann, ben } = sharedFile();
    expect(ann.bash("sed -i 's/^line 3$/line 3 of ann/' shared")).toMatchObject({ code: 0 });
    expect(ben.edit('shared', 'line 12\n', 'line 12 of ben\n')).toBe('');
    expect(ann.bash('git commit -qam ann')).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['line 3 of ann']);
  });

  test("a line that it writes over stays its owner's, who is told and finds what it was", () => {
    const { repo, ann, ben } = sharedFile();
    expect(ben.edit('shared', 'line 12\n', 'line 12 of ben\n')).toBe('');
    ann.bash("sed -i 's/^line 12 of ben$/LINE 12/' shared");
    const told = ben.ask('prompt', {});
    expect(told).toMatch(/shared/);
    const [saved = ''] = repo
      .git('for-each-ref', '--format=%(refname)', 'refs/coord/saved')
      .split('\n');
    expect(repo.git('show', `${saved}:shared`)).toContain('line 12 of ben');
    expect(ann.bash('git commit -qam ann').code).not.toBe(0);
    expect(ben.bash('git commit -qam ben')).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['LINE 12']);
  });

  test.for([
    'rm shared',
    'echo other > shared',
  ])('%s is told, and what was there is kept', (wipes) => {
    const { repo, ann, ben } = sharedFile();
    expect(ben.edit('shared', 'line 12\n', 'line 12 of ben\n')).toBe('');
    expect(ann.bash(wipes)).toMatchObject({ code: 0 });
    expect(ben.ask('prompt', {})).toMatch(/shared/);
    const [saved = ''] = repo
      .git('for-each-ref', '--format=%(refname)', 'refs/coord/saved')
      .split('\n');
    expect(repo.git('show', `${saved}:shared`)).toContain('line 12 of ben');
  });
});
