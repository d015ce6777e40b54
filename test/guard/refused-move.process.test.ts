/** A move that was refused leaves nothing behind that a later commit would undo others' work with. */
import { existsSync, writeFileSync } from 'node:fs';
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
});
