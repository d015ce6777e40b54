/** Hooks are tried in a throw-away repository, and what lets everything pass is found out. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { TestRepository } from '../support/repository.ts';
import { checkout } from '../support/sessions.ts';

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
    const hooks = join(repo.top, '../shims');
    const shim = join(hooks, 'git-hook');
    mkdirSync(hooks);
    for (const [code, says] of [
      [0, 'a held path went through'],
      [1, 'a free path did not'],
    ] as const) {
      writeFileSync(shim, `#!/bin/sh\nexit ${code}\n`);
      chmodSync(shim, 0o755);
      for (const event of ['pre-commit', 'reference-transaction']) {
        const file = join(repo.top, '.git/hooks', event);
        const text = readFileSync(file, 'utf8');
        writeFileSync(file, text.replace(/coord_hooks='[^']*'/, `coord_hooks='${hooks}'`));
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
