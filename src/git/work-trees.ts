/** The work trees of a repository, as git's own files tell of them. */
import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { builtin } from './builtin.ts';
import { type Head, headOf, workTreeFolders } from './head.ts';
import { realOf } from './paths.ts';
import type { Repository } from './repository.ts';

export interface WorkTree {
  /** Of this very work tree: another one in the same place has another. */
  readonly id: string;
  /** Where it is, or was. */
  readonly path: string;
  readonly gitDir: string;
  readonly head: Head;
  readonly isMain: boolean;
  /** Somebody has said to git that it stays: why, or an empty text. */
  readonly locked: string | null;
  /** Its folder is there, and is this work tree. */
  readonly isThere: boolean;
}

export function workTreesOf(repository: Repository): readonly WorkTree[] {
  const { commonDir } = repository;
  return workTreeFolders(repository).flatMap((gitDir): readonly WorkTree[] => {
    const isMain = gitDir === commonDir;
    const path = isMain ? mainTop(repository) : linkedTop(gitDir);
    if (path === null) return [];
    const place = { ...repository, gitDir, top: path };
    return [
      {
        id: idOf(gitDir, path),
        path,
        gitDir,
        head: headOf(place),
        isMain,
        locked: textOf(join(gitDir, 'locked')),
        isThere: isMain || leadsTo(path, gitDir),
      },
    ];
  });
}

/** The repository as it is seen from there. */
export function seenFrom(repository: Repository, { gitDir, path }: WorkTree): Repository {
  return { ...repository, gitDir, top: path };
}

/** The work tree that a path names or is in; null for one of another repository, or of none. */
export function workTreeAround(trees: readonly WorkTree[], path: string): WorkTree | null {
  const real = realOf(path);
  const around = trees.filter(
    (tree) => real === realOf(tree.path) || real.startsWith(`${realOf(tree.path)}${sep}`),
  );
  return around.toSorted((a, b) => b.path.length - a.path.length)[0] ?? null;
}

function mainTop({ commonDir, gitDir, top }: Repository): string | null {
  if (gitDir === commonDir) return top;
  return basename(commonDir) === '.git' ? dirname(commonDir) : null;
}

function linkedTop(gitDir: string): string | null {
  const link = textOf(join(gitDir, 'gitdir'));
  return link === null || link === '' ? null : dirname(resolve(gitDir, link));
}

/** Another work tree, or something else, may stand there by now. */
function leadsTo(path: string, gitDir: string): boolean {
  const file = join(path, '.git');
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
  const [, target = ''] = /^gitdir: (.+)$/.exec(textOf(file) ?? '') ?? [];
  return target !== '' && existsSync(gitDir) && realOf(resolve(path, target)) === realOf(gitDir);
}

/** git writes `commondir` once, when it makes a work tree. */
function idOf(gitDir: string, path: string): string {
  const made = statSync(join(gitDir, 'commondir'), { throwIfNoEntry: false });
  const mark = `${gitDir}\0${made?.ino ?? 0}\0${made?.mtimeMs ?? 0}`;
  const hash = builtin.crypto.createHash('sha256').update(mark).digest('hex').slice(0, 8);
  const name = basename(path)
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40);
  return `${name === '' ? 'tree' : name}-${hash}`;
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trimEnd();
  } catch {
    return null;
  }
}
