/** Doctor tries the hooks that are installed, and says what others have moved. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run, type TestRepository } from '../support/repository.ts';
import { checkout, ranIn, session } from '../support/sessions.ts';

function proofOf(
  repo: TestRepository,
): { readonly standing: string; readonly says: string } | undefined {
  return repo
    .coord(null, 'doctor')
    .json['checks'].find(({ check }: { check: string }) => check === 'proof');
}

describe('doctor', () => {
  test('proves in a throw-away repository that a block blocks', () => {
    const repo = checkout();
    const before = repo.git('for-each-ref');
    expect(proofOf(repo)).toMatchObject({ standing: 'ok' });
    expect(repo.git('for-each-ref')).toEqual(before);
    expect(repo.git('status', '--porcelain')).toBe('');
  });

  test('planted bug: hooks that let everything pass, or nothing, are found out', () => {
    const repo = checkout({ env: { PATH: '/usr/bin:/bin' } });
    const shim = join(repo.top, '../shim');
    for (const [code, says] of [
      [0, 'a held path went through'],
      [1, 'a free path did not'],
    ] as const) {
      writeFileSync(shim, `#!/bin/sh\nexit ${code}\n`);
      chmodSync(shim, 0o755);
      for (const event of ['pre-commit', 'reference-transaction']) {
        const file = join(repo.top, '.git/hooks', event);
        writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/'[^']*git-hook'/g, `'${shim}'`));
      }
      expect(proofOf(repo)).toMatchObject({
        standing: 'fail',
        says: expect.stringContaining(says),
      });
    }
  });

  test('names hooks that are gone, and says what is merely not installed as a note', () => {
    const repo = checkout({ env: { PATH: '/usr/bin:/bin' } });
    writeFileSync(join(repo.top, '.git/hooks/pre-commit'), '#!/bin/sh\nexit 0\n');
    const commits = (): { standing: string; says: string } =>
      repo
        .coord(null, 'doctor')
        .json['checks'].find(({ check }: { check: string }) => check === 'commits');
    expect(commits()).toMatchObject({
      standing: 'fail',
      says: expect.stringContaining('pre-commit'),
    });
    repo.coord(null, 'uninstall');
    expect({ standing: commits().standing, code: repo.coord(null, 'doctor').code }).toEqual({
      standing: 'note',
      code: 0,
    });
  });
});

test('doctor names hook managers, a hooks path, hooks that are switched off and an index that was exported', () => {
  const repo = checkout();
  const says = (env: Readonly<Record<string, string>> = {}): string =>
    run(repo.top, { ...repo.env, ...env }, ['doctor']).stdout;
  expect(says()).not.toMatch(/manager|hooksPath|switched off/);
  for (const file of ['.husky/pre-commit', 'lefthook.yml', '.pre-commit-config.yaml'])
    repo.write(file, '');
  repo.git('config', 'core.hooksPath', '.githooks');
  expect(run(repo.top, repo.env, ['install']).code).toBe(0);
  repo.git('config', 'hook.coord-pre-commit.enabled', 'false');
  const said = says({ GIT_INDEX_FILE: '/tmp/somewhere', HUSKY: '0' });
  for (const word of [
    'husky writes hooks here too',
    'lefthook writes',
    'pre-commit writes',
    "git looks for hooks in '.githooks' (file:.git/config)",
    'switches hooks off: pre-commit',
    "GIT_INDEX_FILE is set to '/tmp/somewhere'",
    'HUSKY=0',
  ])
    expect(said).toContain(word);
});

describe('SYS-4: HEAD moved', () => {
  test('an agent learns at its own next call how far, and which of its staged files changed there; once', () => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    ann.edit('src/a');
    ann.edit('src/b');
    bob.edit('src/b');
    bob.git('commit', '-q', '-m', 'one');
    bob.edit('src/c');
    bob.git('commit', '-q', '-m', 'two');
    expect(ann.coord('whoami').json['headMoved']).toEqual({ commits: 2, touched: ['src/b'] });
    expect(ann.coord('whoami').json['headMoved']).toBeUndefined();
    bob.edit('src/d');
    bob.git('commit', '-q', '-m', 'three');
    expect(ann.coord('check', 'src/a').json['headMoved']).toBeUndefined();
    expect(bob.coord('whoami').json['headMoved']).toBeUndefined();
  });
});

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
    expect(refused.stderr).toEqual(expect.stringContaining('src/a: held'));
    bob.coord('release', '--all');
    expect(ann.git('push', '-q', 'origin', 'main')).toMatchObject({ code: 0 });
    expect(ranIn(repo.top, repo.env, 'git', ['ls-remote', 'origin', 'main']).stdout).toContain(
      repo.git('rev-parse', 'main').trim(),
    );
  });
});
