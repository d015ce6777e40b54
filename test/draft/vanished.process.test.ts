/** Files that left an index: on purpose, or because it lost them. */
import { describe, expect, test } from 'vitest';
import { checkout, ranIn, session } from '../support/sessions.ts';

describe('a file that is not in an index any more', () => {
  test('what a session takes out of the way on purpose has not vanished: a folder that becomes a link, a file that becomes a folder', () => {
    const repo = checkout();
    for (let i = 0; i < 15; i += 1) repo.write(`lib/f${i}`, `${i}\n`);
    repo.git('add', '.');
    repo.git('commit', '-q', '-m', 'lib');
    const ann = session(repo, 'ann');
    expect(
      ann.run(
        'sh',
        '-c',
        'git mv lib moved && ln -s moved lib && git add -A && git commit -q -m link',
      ),
    ).toMatchObject({ code: 0 });
    expect(
      ann.run(
        'sh',
        '-c',
        'mv src/a t && mkdir src/a && mv t src/a/main && git add -A && git commit -q -m folder',
      ),
    ).toMatchObject({ code: 0 });
  });

  test('files that are to be ignored from now on have not vanished; those that the index lost by itself have', () => {
    const repo = checkout();
    for (let i = 0; i < 15; i += 1) repo.write(`lib/f${i}`, `${i}\n`);
    repo.git('add', '.');
    repo.git('commit', '-q', '-m', 'lib');
    const ann = session(repo, 'ann');
    const past = {
      ...ann.env,
      PATH: (ann.env['PATH'] ?? '').split(':').slice(1).join(':'),
      GIT_INDEX_FILE: ann.env['COORD_STAGE'] ?? '',
    };
    ranIn(repo.top, past, 'git', ['rm', '-rq', '--cached', 'lib']);
    expect(ann.git('commit', '-q', '-m', 'lost')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('lib/f0: would be deleted though it is still there'),
    });
    repo.write('.gitignore', 'lib\n');
    ann.git('add', '.gitignore');
    expect(ann.git('commit', '-q', '-m', 'ignored')).toMatchObject({ code: 0 });
  });
});
