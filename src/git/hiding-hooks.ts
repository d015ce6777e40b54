/**
 * Hooks of other tools that put away what is not staged for as long as they run: to them that is
 * also what others have in the work tree.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../core/limits.ts';
import { processOf, wordsOf } from './processes.ts';
import { regularText } from './regular-file.ts';

/** By what their users have in their repository. */
export function hidingHooks(top: string): readonly string[] {
  const inPackage = /"lint-staged"\s*:/.test(
    regularText(join(top, 'package.json'), limits.projectFileBytes) ?? '',
  );
  const files = namesIn(top);
  return [
    ...(files.includes('.pre-commit-config.yaml') ? ['pre-commit'] : []),
    ...(inPackage || files.some((name) => /^(\.lintstagedrc|lint-staged\.config\.)/.test(name))
      ? ['lint-staged']
      : []),
  ];
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Is it this very process, and does it wait for a hook that runs before its commit? */
export function runsPreCommit(pid: string, startedAt: string): boolean {
  const git = processOf(pid);
  if (git === null || (startedAt !== '' && git.startedAt !== startedAt)) return false;
  return namesIn('/proc')
    .filter((name) => /^\d+$/.test(name) && processOf(name)?.parent === pid)
    .some((name) => wordsOf(name).some((word) => /(^|\/)pre-commit$/.test(word)));
}
