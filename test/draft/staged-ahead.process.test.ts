/** A path that is staged, and that others have changed since: it alone stays behind HEAD. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Ran, TestRepository } from '../support/repository.ts';
import { commit, refused, type Scene, scene, went } from '../support/scene.ts';
import { fileAt, pathsIn, type Session } from '../support/sessions.ts';

/** In the work tree, which all share, one line for another. */
function change(repo: TestRepository, path: string, line: string, other: string): void {
  const file = join(repo.top, path);
  writeFileSync(file, readFileSync(file, 'utf8').replace(line, other));
}

/** Commits what HEAD has of the file, with one line for another: nothing else of the work tree. */
function commitLine(
  repo: TestRepository,
  who: Session,
  path: string,
  line: string,
  other: string,
): void {
  const file = join(repo.top, '..', 'line');
  writeFileSync(file, fileAt(repo, path).replace(line, other));
  const oid = repo.git('hash-object', '-w', file).trim();
  went(who.git('update-index', '--cacheinfo', `100644,${oid},${path}`));
  went(who.git('commit', '-q', '-m', `${who.name} has ${other}`));
}

/** Ann and a person have src/a staged, each in an own index, and bob commits it and more. */
function behind(): Scene {
  const here = scene();
  const { repo, ann, bob, person } = here;
  change(repo, 'src/a', 'a 2', 'ann');
  repo.write('src/new', 'ann\n');
  went(ann.git('add', 'src/a', 'src/new'));
  went(person('add', 'src/a'));
  change(repo, 'src/a', 'ann', 'bob');
  for (const path of ['src/a', 'src/b', 'src/c']) commit(bob, path);
  return here;
}

const status = (ran: Ran): string => ran.stdout.trimEnd();

describe('a staged path that was changed on the way to HEAD', () => {
  test('is behind alone: the rest of the private index comes along', () => {
    const { repo, ann, bob } = behind();
    expect(status(ann.git('status', '--short'))).toBe('MM src/a\nA  src/new');
    expect(ann.coord('stage', 'status').json).toMatchObject({
      result: 'behind',
      staged: ['src/a', 'src/new'],
    });
    const words = /src\/a: changed by you and by [0-9a-f]{10} "bob changes src\/a" of bob/;
    refused(ann.git('commit', '-q', '-m', 'ann'), words);
    went(ann.git('commit', '-q', '-m', 'ann', '--', 'src/new'));
    commit(bob, 'src/d');
    expect(status(ann.git('status', '--short'))).toBe('MM src/a');
    refused(ann.git('commit', '-q', '-m', 'ann'), words);
    refused(ann.git('commit', '-q', '--no-verify', '-m', 'ann'), words);
    expect(fileAt(repo, 'src/a')).toContain('bob changes src/a');
    went(ann.git('reset', '-q', '--', 'src/a'));
    commit(ann, 'src/e');
    expect(pathsIn(repo)).toBe('src/e');
    expect(ann.coord('stage', 'status').json['result']).toBe('current');
  });

  test("is behind alone in the repository's own index, and no commit of a person undoes it", () => {
    const { repo, person } = behind();
    expect(status(person('status', '--short'))).toBe('MM src/a\n?? src/new');
    const words = /src\/a: changed by you and by/;
    refused(person('commit', '-q', '-m', 'person'), words);
    refused(person('commit', '-q', '--no-verify', '-m', 'person'), words);
    went(person('reset', '-q', '--', 'src/a'));
    repo.write('src/other', 'person\n');
    went(person('add', 'src/other'));
    went(person('commit', '-q', '-m', 'person'));
    expect(pathsIn(repo)).toBe('src/other');
  });

  test('is merged on request with what came since it was staged, however often HEAD moved', () => {
    const { repo, ann, bob } = scene();
    change(repo, 'src/a', 'a 2', 'ann');
    went(ann.git('add', 'src/a'));
    commitLine(repo, bob, 'src/a', 'a 5', 'bob');
    expect(ann.coord('stage', 'refresh').code).not.toBe(0);
    commitLine(repo, bob, 'src/a', 'a 8', 'bob again');
    expect(ann.coord('stage', 'refresh').code).not.toBe(0);
    went(ann.git('reset', '-q', '--soft', 'HEAD'));
    expect(ann.coord('stage', 'refresh', '--merge').json['result']).toBe('merged');
    went(ann.git('commit', '-q', '-m', 'ann'));
    expect(fileAt(repo, 'src/a')).toBe('a 0\na 1\nann\na 3\na 4\nbob\na 6\na 7\nbob again\n');
  });

  test.for([
    ['staged again', ['commit', '-q', '-m', 'ann'], true],
    ['taken by -a, whatever was staged before', ['commit', '-q', '-a', '-m', 'ann'], false],
  ] as const)('is not behind where it has what came since: %s', ([, words, isStagedAgain]) => {
    const { repo, ann, bob } = scene();
    change(repo, 'src/a', 'a 2', 'ann');
    went(ann.git('add', 'src/a'));
    change(repo, 'src/a', 'a 5', 'bob');
    commitLine(repo, bob, 'src/a', 'a 5', 'bob');
    if (isStagedAgain) went(ann.git('add', 'src/a'));
    went(ann.git(...words));
    expect(pathsIn(repo)).toBe('src/a');
    expect(fileAt(repo, 'src/a')).toBe('a 0\na 1\nann\na 3\na 4\nbob\na 6\na 7\na 8\n');
    expect(ann.git('status', '--short').stdout).toBe('');
  });

  test('is behind where a file of an editor has overwritten what came since', () => {
    const { repo, ann, bob } = scene();
    change(repo, 'src/a', 'a 2', 'ann');
    went(ann.git('add', 'src/a'));
    commitLine(repo, bob, 'src/a', 'a 5', 'bob');
    for (const words of [['-a'], ['-a', '--no-verify']])
      refused(ann.git('commit', '-q', ...words, '-m', 'ann'), /src\/a: changed by you and by/);
    expect(fileAt(repo, 'src/a')).toContain('bob');
  });
});
