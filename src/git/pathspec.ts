/**
 * Which files a command names, as git itself reads its words: wildcards, magic and exclusions too.
 */
import { join, relative } from 'node:path';
import { unquoted } from './quoted.ts';
import type { Repository } from './repository.ts';
import { runPlain } from './run-git.ts';

/**
 * Tracked and untracked files, ignored ones too, from the top; null where git does not understand
 * it.
 */
export function namedFiles(
  repository: Repository,
  cwd: string,
  pathspecs: readonly string[],
): ReadonlySet<string> | null {
  const args = ['-C', cwd, 'ls-files', '-z', '-c', '-o', '--full-name', '--', ...pathspecs];
  const { code, stdout } = runPlain(repository.git, args, '', cwd);
  return code === 0 ? new Set(stdout.toString('utf8').split('\0')) : null;
}

/**
 * What `git clean` with these words would take away of what this index does not hold; a folder ends
 * with a slash.
 */
export function cleanedFiles(
  { git, top }: Repository,
  index: string,
  cwd: string,
  words: readonly string[],
): readonly string[] | null {
  const own = { ...git, env: { ...git.env, GIT_INDEX_FILE: index } };
  const loud = words
    .filter((word) => word !== '-q' && word !== '--quiet')
    .map((word) =>
      /^-[a-zA-Z]+$/.test(word) && !word.startsWith('-e') ? word.replace('q', '') : word,
    );
  const { code, stdout } = runPlain(own, ['-C', cwd, 'clean', '-n', ...loud], '', cwd);
  if (code !== 0) return null;
  const from = relative(top, cwd);
  const told = [...stdout.toString('utf8').matchAll(/^Would remove (.+)$/gm)];
  return told.map(([, name = '']) => join(from, unquoted(name)));
}
