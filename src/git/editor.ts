/** A message that the user writes in the editor that git would open. */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { readText } from './head.ts';
import { localPath, writeLocal } from './local.ts';
import type { Repository } from './repository.ts';
import { runPlain } from './run-git.ts';

const hint = `
# Write the message of the commit above. Lines that begin with # are left out,
# and without a message nothing is committed.
`;

/** Empty where nothing was written, null where there is no editor to open. */
export function writtenMessage(
  { git, gitDir, top }: Repository,
  env: NodeJS.ProcessEnv,
): string | null {
  const program = { ...git, env: { ...git.env, ...env } };
  const editor = runPlain(program, ['var', 'GIT_EDITOR'], '', top);
  const command = editor.stdout.toString('utf8').trim();
  if (editor.code !== 0 || command === '') return null;
  const name = `written-${process.pid}`;
  const file = localPath(gitDir, name);
  writeLocal(gitDir, name, hint);
  try {
    const { status } = spawnSync('sh', ['-c', `${command} "$@"`, command, file], {
      cwd: top,
      env,
      stdio: 'inherit',
    });
    if (status !== 0) return '';
    const clean = runPlain(program, ['stripspace', '--strip-comments'], readText(file), top);
    return clean.stdout.toString('utf8').trim();
  } finally {
    rmSync(file, { force: true });
  }
}
