/**
 * git as a child: what it says is what counts, also where it ends before it has read all that it
 * was sent.
 */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runGit } from '../../src/git/run-git.ts';
import { executable } from '../support/gate.ts';
import { temporaryFolder } from '../support/repository.ts';

/** More than a pipe takes, so that git has ended before all of it is written. */
const much = 'x'.repeat(1_048_576);

function ending(code: number): ReturnType<typeof runGit> {
  const path = join(temporaryFolder(), 'git');
  executable(path, `#!/bin/sh\necho 'not a repository' >&2\nexit ${code}\n`);
  return runGit({ path, env: process.env }, ['cat-file', '--batch'], much);
}

test('a git that ends before it has read its input is believed in its no', () => {
  expect(ending(128)).toMatchObject({ code: 128, stderr: 'not a repository' });
});

test('and not in its yes', () => {
  expect(() => ending(0)).toThrow(/git cat-file could not be run/);
});
