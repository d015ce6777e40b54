/** The message of a commit: whose it is, and where it is signed. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkout, session } from '../support/sessions.ts';

describe('the message of a commit', () => {
  test.for([
    'of bob\\n\\nCoord-Agent: bob (0a0a0a0a)\\n',
    'of a person\\n',
  ])('a commit does not get the message of another that is made at the same moment (%j)', (message) => {
    const repo = checkout({ guarded: false });
    // git has one file for messages; what another git does to it in between, a hook does here.
    writeFileSync(
      join(repo.top, '.git/hooks/prepare-commit-msg'),
      `#!/bin/sh\n[ ! -e .git/mix ] || printf '${message}' > "$1"\n`,
      { mode: 0o755 },
    );
    expect(repo.coord(null, 'install').code).toBe(0);
    const ann = session(repo, 'ann');
    ann.edit('src/a');
    writeFileSync(join(repo.top, '.git/mix'), '');
    expect(ann.git('commit', '-q', '-m', 'of ann')).toMatchObject({
      code: 128,
      stderr: expect.stringContaining('made at the same moment'),
    });
    rmSync(join(repo.top, '.git/mix'));
    expect(ann.git('commit', '-q', '-m', 'of ann')).toMatchObject({ code: 0 });
    expect(repo.git('log', '-1', '--format=%B')).toMatch(/^of ann\n\nCoord-Agent: ann/);
  });

  test('a hook of the project may write the message anew', () => {
    const repo = checkout({ guarded: false });
    writeFileSync(join(repo.top, '.git/hooks/commit-msg'), '#!/bin/sh\necho of the hook > "$1"\n', {
      mode: 0o755,
    });
    expect(repo.coord(null, 'install').code).toBe(0);
    const ann = session(repo, 'ann');
    ann.edit('src/a');
    expect(ann.git('commit', '-q', '-m', 'of ann')).toMatchObject({ code: 0 });
    expect(repo.git('log', '-1', '--format=%B').trim()).toBe('of the hook');
    ann.edit('src/a');
    expect(ann.git('commit', '-q', '--amend', '-m', 'again')).toMatchObject({ code: 0 });
  });

  test('a message that git takes for empty, or for a template that nobody filled in, gives the commit up', () => {
    const repo = checkout();
    const ann = session(repo, 'ann');
    ann.edit('src/a');
    writeFileSync(join(repo.top, '.git/template'), 'Subject:\n\nWhy:\n');
    const ways: readonly (readonly string[])[] = [
      ['commit', '-v'],
      ['-c', 'core.commentChar=;', 'commit'],
      ['-c', `commit.template=${join(repo.top, '.git/template')}`, 'commit'],
    ];
    for (const way of ways)
      expect(ann.run('env', 'GIT_EDITOR=true', 'git', ...way).code, way.join(' ')).not.toBe(0);
    expect(
      ann.run('env', "GIT_EDITOR=sh -c 'echo filled in > $1' -", 'git', 'commit', '-q', '-v'),
    ).toMatchObject({ code: 0 });
    expect(repo.git('log', '-1', '--format=%B')).toMatch(/^filled in\n\nCoord-Agent: ann/);
  });

  test('a commit without a message, and so without a trailer, is of whoever made it', () => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    ann.edit('src/a');
    expect(ann.git('commit', '-q', '--allow-empty-message', '-m', '')).toMatchObject({ code: 0 });
    bob.edit('src/b');
    expect(bob.git('commit', '-q', '--amend', '-m', 'of bob')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/a commit of ann \(.* would be on no branch/),
    });
    expect(ann.git('commit', '-q', '--amend', '-m', 'of ann')).toMatchObject({ code: 0 });
    expect(repo.git('log', '-1', '--format=%B')).toMatch(/^of ann\n\nCoord-Agent: ann/);
  });

  test('a message that begins with # or has a line of dashes is signed where git finds it', () => {
    const repo = checkout();
    const ann = session(repo, 'ann');
    for (const message of ['#12 fix login', 'subject\n\nbody\n---\nmore']) {
      ann.edit('src/a');
      expect(ann.git('commit', '-q', '-m', message).code).toBe(0);
      expect(
        repo.git('log', '-1', '--format=%(trailers:key=Coord-Agent,valueonly)').trim(),
        message,
      ).toMatch(/^ann/);
    }
    expect(ann.git('commit', '-q', '--amend', '-m', 'amended')).toMatchObject({ code: 0 });
  });

  test("a message that is taken over from another's commit is signed by whoever commits", () => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    bob.edit('src/b');
    expect(bob.git('commit', '-q', '-m', 'of bob').code).toBe(0);
    ann.edit('src/a');
    expect(ann.git('commit', '-q', '-C', 'HEAD')).toMatchObject({ code: 0 });
    expect(
      repo
        .git('log', '-1', '--format=%s|%(trailers:key=Coord-Agent,valueonly,separator=%x2C)')
        .trim(),
    ).toMatch(/^of bob\|ann \([0-9a-z]{8}\)$/);
    repo.git('branch', 'side', 'HEAD~2');
    expect(ann.git('switch', '-q', 'side').code).toBe(0);
    expect(ann.git('cherry-pick', 'main~1')).toMatchObject({ code: 0 });
    expect(repo.git('log', '-1', '--format=%(trailers:key=Coord-Agent,valueonly)').trim()).toMatch(
      /^bob/,
    );
  });
});
