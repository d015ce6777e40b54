/** What may surprise a user about hooks is named. */
import { expect, test } from 'vitest';
import { run } from '../support/repository.ts';
import { checkout } from '../support/sessions.ts';

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
