/** What was committed past all hooks is held back when it is pushed. */
import { describe, expect, test } from 'vitest';
import { checkout, ranIn, session } from '../support/sessions.ts';

describe('pre-push', () => {
  test('what was committed past all hooks while somebody else held it is not pushed; what was free then is', () => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    repo.git('clone', '-q', '--bare', '.', '../server.git');
    repo.git('remote', 'add', 'origin', '../server.git');
    repo.git('fetch', '-q', 'origin');
    const trailer = `Coord-Agent: ann (${/stages\/(.{8})/.exec(ann.env['COORD_STAGE'] ?? '')?.[1] ?? ''})`;
    // git counts whole seconds, so the commits are given times well away from the leases.
    const commitAt = (seconds: number): void => {
      ann.edit('src/a', String(seconds));
      const at = `@${Math.floor(Date.now() / 1_000) + seconds} +0000`;
      const dates = [`GIT_AUTHOR_DATE=${at}`, `GIT_COMMITTER_DATE=${at}`];
      expect(
        ann.run(
          'env',
          ...dates,
          'git',
          '-c',
          'core.hooksPath=/dev/null',
          'commit',
          '-q',
          '-m',
          'ann',
          '-m',
          trailer,
        ),
      ).toMatchObject({ code: 0 });
    };
    commitAt(-60);
    bob.coord('reserve', 'src/a');
    expect(ann.git('push', '-q', 'origin', 'main')).toMatchObject({ code: 0 });
    commitAt(60);
    const refused = ann.git('push', '-q', 'origin', 'main');
    expect(refused.code === 0).toBe(false);
    expect(refused.stderr).toEqual(expect.stringContaining('src/a is held by'));
    bob.coord('release', '--all');
    expect(ann.git('push', '-q', 'origin', 'main')).toMatchObject({ code: 0 });
    expect(ranIn(repo.top, repo.env, 'git', ['ls-remote', 'origin', 'main']).stdout).toContain(
      repo.git('rev-parse', 'main').trim(),
    );
  });
});
