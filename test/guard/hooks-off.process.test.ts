/**
 * A shell in which a program has switched git's hooks off, by configuration in the environment: the
 * session's git has coord's all the same, and those alone.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { executable } from '../support/gate.ts';
import {
  coordProgram,
  type Environment,
  said,
  type TestRepository,
} from '../support/repository.ts';
import { checkout, pathsIn, ranIn, session } from '../support/sessions.ts';

/** As Gemini CLI does it. */
const off: Environment = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_COUNT: '2',
  GIT_CONFIG_KEY_0: 'credential.helper',
  GIT_CONFIG_VALUE_0: '',
  GIT_CONFIG_KEY_1: 'core.hooksPath',
  GIT_CONFIG_VALUE_1: '',
};

/** With a hook of the repository's own, which leaves a file where it has run. */
function withOwnHook(): { readonly repo: TestRepository; readonly mark: string } {
  const repo = checkout({ guarded: false });
  const mark = join(repo.top, '..', 'own-hook-ran');
  executable(join(repo.top, '.git/hooks/pre-commit'), `#!/bin/sh\n: > '${mark}'\n`);
  repo.coord(null, 'install');
  return { repo, mark };
}

describe('where hooks are switched off in the environment', () => {
  test('a commit of what somebody holds is refused, by the ref update too', () => {
    const { repo } = withOwnHook();
    repo.coord('bob', 'reserve', 'src/a');
    const ann = session(repo, 'ann');
    ann.edit('src/a');
    for (const past of [[], ['--no-verify']]) {
      const ran = ranIn(repo.top, { ...ann.env, ...off }, 'git', ['commit', '-qm', 'x', ...past]);
      expect(ran.code).not.toBe(0);
      expect(ran.stderr).toContain('src/a is held by bob');
    }
  });

  test("a free commit is its agent's, and the repository's own hooks stay off", () => {
    const { repo, mark } = withOwnHook();
    const ann = session(repo, 'ann');
    repo.write('src/b', 'staged by a person\n');
    repo.git('add', 'src/b');
    ann.edit('src/a');
    const ran = ranIn(repo.top, { ...ann.env, ...off }, 'git', ['commit', '-qm', 'x']);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(repo.git('log', '-1', '--format=%(trailers:key=Coord-Agent,valueonly)')).toContain(
      'ann',
    );
    expect(pathsIn(repo)).toBe('src/a');
    expect(existsSync(mark)).toBe(false);
    expect(existsSync(join(repo.top, '.git/coord/committing'))).toBe(false);
    ann.edit('src/a');
    ann.git('commit', '-qm', 'with hooks');
    expect(existsSync(mark)).toBe(true);
  });

  test("another repository's stay off, and hooks that a program brings along are left to it", () => {
    const { repo, mark } = withOwnHook();
    const [ann, other] = [session(repo, 'ann'), withOwnHook()];
    const elsewhere = ['-C', other.repo.top, 'commit', '-q', '--allow-empty', '-m', 'x'];
    expect(ranIn(repo.top, { ...ann.env, ...off }, 'git', elsewhere).code).toBe(0);
    expect(existsSync(other.mark)).toBe(false);
    const brought = join(repo.top, '..', 'brought');
    executable(join(repo.top, '../pre-commit'), `#!/bin/sh\n: > '${brought}'\n`);
    const own = { ...ann.env, ...off, GIT_CONFIG_VALUE_1: join(repo.top, '..') };
    ann.edit('src/a');
    expect(ranIn(repo.top, own, 'git', ['commit', '-qm', 'x']).code).toBe(0);
    expect([brought, mark].map(existsSync)).toEqual([true, false]);
  });

  test('coord install from there goes where everybody else has hooks', () => {
    const repo = checkout({ guarded: false });
    const ran = said(repo.top, { ...repo.env, ...off }, ['install'], [], coordProgram);
    expect(ran.code, ran.stderr).toBe(0);
    expect(readdirSync(join(repo.top, '.git/hooks'))).toContain('reference-transaction');
    expect(repo.git('status', '--porcelain')).toBe('');
  });
});
