/** A move that was refused leaves nothing behind that a later commit would undo others' work with. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fileAt, pathsIn, ranIn, type Session } from '../support/sessions.ts';
import { commit, scene } from './two-sessions.ts';

/** The git behind the one of the session, with the stage. */
function past({ env }: Session): Readonly<Record<string, string>> {
  return {
    ...env,
    PATH: (env['PATH'] ?? '').split(':').slice(1).join(':'),
    GIT_INDEX_FILE: env['COORD_STAGE'] ?? '',
  };
}

describe('a move that was refused leaves no index behind that undoes', () => {
  test.for([
    ['reset', '-q', '--hard', 'HEAD~1'],
    ['reset', '-q', 'HEAD~1'],
    ['checkout', '-q', '-B', 'main', 'HEAD~1'],
  ])('git %s %s %s %s, in a session, past it, and by a person', (command) => {
    const { repo, ann, bob, person } = scene();
    commit(ann, 'src/a');
    writeFileSync(join(repo.top, 'src/e'), 'precious\n');
    expect(bob.git(...command).code).not.toBe(0);
    expect(fileAt(repo, 'src/a')).toContain('ann was here');
    expect(existsSync(join(repo.top, 'src/e'))).toBe(true);
    expect(ranIn(repo.top, past(bob), 'git', command).code).not.toBe(0);
    bob.edit('src/b');
    expect(bob.git('commit', '-q', '-m', 'innocent')).toMatchObject({ code: 0 });
    expect(pathsIn(repo)).toBe('src/b');
    expect(person(...command).code).not.toBe(0);
    repo.write('src/c', 'a person\n');
    person('add', 'src/c');
    person('commit', '-q', '-m', 'a person');
    expect(pathsIn(repo)).toEqual(expect.stringMatching(/^src\/[bc]$/));
    expect(fileAt(repo, 'src/a')).toEqual(expect.stringContaining('ann was here'));
  });

  test.for([
    ['a session', ['reset', '-q', 'HEAD~1']],
    ['a person', ['reset', '-q', 'HEAD~1']],
    ['a person', ['reset', '--mixed', 'HEAD~1']],
  ] as const)('%s keeps all that is staged over git %j', ([who, command]) => {
    const { repo, ann, bob, person } = scene();
    commit(ann, 'src/a');
    const git = who === 'a person' ? person : bob.git;
    const index =
      who === 'a person' ? join(repo.top, '.git/index') : (bob.env['COORD_STAGE'] ?? '');
    writeFileSync(join(repo.top, 'src/b'), 'staged\n');
    writeFileSync(join(repo.top, 'new'), 'staged\n');
    expect(git('add', 'src/b', 'new').code).toBe(0);
    writeFileSync(join(repo.top, 'src/b'), 'changed since\n');
    expect(git('rm', '-q', '--cached', 'src/e').code).toBe(0);
    const before = readFileSync(index);
    const ran = git(...command);
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toContain('a commit of ann');
    expect(ran.stderr).not.toContain('git restore');
    expect(readFileSync(index).equals(before)).toBe(true);
    // It is at HEAD still: what is committed is what was staged.
    expect(git('commit', '-q', '-m', 'staged')).toMatchObject({ code: 0 });
    expect(pathsIn(repo)).toBe('new src/b src/e');
    expect(fileAt(repo, 'src/b')).toBe('staged\n');
  });

  test('an index that git has written past the hook in between is not taken for the one before', () => {
    const { repo, ann, person } = scene();
    commit(ann, 'src/a');
    expect(person('add', 'src/a').code).toBe(0);
    writeFileSync(join(repo.top, 'new'), 'staged\n');
    expect(person('-c', 'core.hooksPath=/dev/null', 'add', 'new').code).toBe(0);
    const ran = person('reset', '-q', 'HEAD~1');
    expect(ran.stderr).toContain('next: git restore -q --source=HEAD --staged');
  });
});
