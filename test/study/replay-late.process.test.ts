/** A replay whose git does not end in time says what it has not looked at. */
import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { endGitWithin } from '../../src/git/run-git.ts';
import { replay } from '../../src/study/replay.ts';
import { repository, temporaryFolder } from '../support/repository.ts';

/** It holds for the whole process, and others have theirs in it after this. */
afterEach(() => endGitWithin(Number.POSITIVE_INFINITY));

test('what takes too long is left, and is no failure', async () => {
  const repo = repository();
  repo.git('switch', '-qc', 'side');
  repo.git('commit', '-q', '--allow-empty', '-m', 'side');
  repo.git('switch', '-q', 'main');
  repo.git('merge', '-q', '--no-ff', '-m', 'merge', 'side');
  const folder = temporaryFolder();
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  writeFileSync(
    join(folder, 'git'),
    `#!/bin/sh\nfor word; do [ "$word" != merge-base ] || exec sleep 60; done\nexec '${real}' "$@"\n`,
  );
  chmodSync(join(folder, 'git'), 0o755);
  const env = { ...repo.env, PATH: `${folder}${delimiter}${repo.env['PATH'] ?? ''}` };
  const goOn = (): boolean => {
    endGitWithin(200);
    return true;
  };
  const found = await replay({ folder: repo.top, env, most: 5, goOn });
  expect(found).toMatchObject({ merges: 1, left: 1, unreadable: 0, pairs: 0 });
});
