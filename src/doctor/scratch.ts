/**
 * The installed hooks, tried: coord's lines as they stand in them, in a throw-away repository,
 * against a commit that has to be refused. The user's own hooks are not run for it, and nothing of
 * theirs changes.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hookEvents, hooksFolder, hookText } from '../git/hook-files.ts';
import { coordLines } from '../git/hook-section.ts';
import type { Repository } from '../git/repository.ts';
import { type GitProgram, type GitResult, runGit, runPlain } from '../git/run-git.ts';
import { temporaryFolder } from '../git/temporary-folder.ts';

interface Proof {
  readonly blocks: boolean;
  readonly blocksPastHooks: boolean;
  readonly letsPass: boolean;
}

/** `take` makes a lease in the scratch repository in the name of another agent. */
export async function tryHooks(
  repository: Repository,
  take: (top: string, env: NodeJS.ProcessEnv) => Promise<void>,
): Promise<Proof> {
  const top = temporaryFolder('coord-doctor-');
  try {
    const env: NodeJS.ProcessEnv = {
      ...repository.git.env,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_SYSTEM: '/dev/null',
      COORD_AGENT: 'doctor-two',
    };
    for (const name of ['COORD_SESSION', 'COORD_STAGE', 'COORD_OVERRIDE', 'GIT_INDEX_FILE'])
      delete env[name];
    const program: GitProgram = { ...repository.git, env };
    const git = (...args: readonly string[]): GitResult =>
      runPlain(
        program,
        ['-c', 'user.name=doctor', '-c', 'user.email=doctor@coord.invalid', ...args],
        '',
        top,
      );
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'scratch');
    copyHooks(repository, top);
    await take(top, env);
    for (const name of ['held', 'free']) writeFileSync(join(top, name), name);
    git('add', 'held');
    const blocked = git('commit', '-q', '-m', 'has to be refused');
    const past = git('commit', '-q', '-n', '-m', 'has to be refused');
    git('rm', '-q', '--cached', 'held');
    git('add', 'free');
    const passed = git('commit', '-q', '-m', 'has to pass');
    const isRefusal = ({ code, stderr }: GitResult): boolean =>
      code !== 0 && stderr.includes('coord: refused');
    return {
      blocks: isRefusal(blocked),
      blocksPastHooks: isRefusal(past),
      letsPass: passed.code === 0,
    };
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

function copyHooks(repository: Repository, top: string): void {
  const folder = hooksFolder(repository);
  for (const event of hookEvents) {
    const file = join(folder, event);
    const inFile = coordLines(hookText(file) ?? '');
    const inConfig = runGit(repository.git, [
      '-C',
      repository.top,
      'config',
      '--get',
      `hook.coord-${event}.command`,
    ])
      .stdout.toString('utf8')
      .trim();
    const lines = inFile !== '' ? inFile : inConfig === '' ? '' : `${inConfig} "$@" || exit $?\n`;
    if (lines !== '')
      writeFileSync(join(top, '.git', 'hooks', event), `#!/bin/sh\n${lines}`, {
        encoding: 'latin1',
        mode: 0o755,
      });
  }
}
