/** What may surprise a user about hooks is named. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { at } from '../support/repository.ts';
import { checkout } from '../support/sessions.ts';

test('doctor names hook managers, a hooks path, hooks that are switched off and an index that was exported', () => {
  const repo = checkout();
  const says = (env: Readonly<Record<string, string>> = {}): string =>
    at(repo.top, { ...repo.env, ...env }).text(null, 'doctor').stdout;
  expect(says()).not.toMatch(/manager|hooksPath|switched off/);
  for (const file of ['.husky/pre-commit', 'lefthook.yml', '.pre-commit-config.yaml'])
    repo.write(file, '');
  repo.git('config', 'core.hooksPath', '.githooks');
  expect(repo.text(null, 'install').code).toBe(0);
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

test('files that git-lfs keeps and no push would send are named, with the way that drops nothing', () => {
  const repo = checkout({ env: { PATH: '/usr/bin:/bin' } });
  const says = (): string => {
    const { stdout } = repo.text(null, 'doctor');
    return /^fail {2}git-lfs .*\n {2}next: (.*)$/m.exec(stdout)?.[1] ?? '';
  };
  const hook = (place: string): string => join(repo.top, place);
  expect(says()).toBe('');
  repo.write('.gitattributes', '*.bin filter=lfs diff=lfs merge=lfs -text\n');
  expect(says()).toBe('git lfs update --force && coord install');
  appendFileSync(hook('.git/hooks/post-merge'), 'echo mine\n');
  expect(says()).toBe('git lfs update --manual');
  appendFileSync(hook('.git/hooks/pre-push'), 'git lfs pre-push "$@"\n');
  expect(says()).toBe('');
  repo.write('.husky/_/pre-push', '#!/bin/sh\n. "$(dirname "$0")/h"');
  repo.git('config', 'core.hooksPath', '.husky/_');
  expect(says()).toBe('git lfs update --manual');
  repo.write('.husky/pre-push', 'git lfs pre-push "$@"\n');
  expect(says()).toBe('');
});
