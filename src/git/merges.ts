/** The merges of a history, and what each of their sides changed since both were one. */
import { askBorrowed, type Borrowed } from './borrowed.ts';
import { type PathChange, parseRaw, withSubmodules } from './path-changes.ts';

interface MergeCommit {
  readonly oid: string;
  readonly parents: readonly string[];
}

/** Newest first, octopus merges among them; null where the history cannot be read. */
export function mergesOf(
  repository: Borrowed,
  head: string,
  wish: { readonly most: number; readonly since?: string },
): readonly MergeCommit[] | null {
  const since = wish.since === undefined ? [] : [`--since=${wish.since}`];
  const args = ['rev-list', '--parents', '--min-parents=2', `--max-count=${wish.most}`, ...since];
  const text = askBorrowed(repository, [...args, '--end-of-options', head])?.toString('latin1');
  return (
    text
      ?.split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [oid = '', ...parents] = line.split(' ');
        return { oid, parents };
      }) ?? null
  );
}

/** The commits at which both were one: several where the sides have been merged crosswise. */
export function mergeBases(repository: Borrowed, one: string, two: string): readonly string[] {
  const said = askBorrowed(repository, ['merge-base', '--all', one, two])?.toString('latin1') ?? '';
  return said.split('\n').filter((line) => line !== '');
}

/** The trees of these commits, in one question; null where one of them is not there. */
export function treesOf(
  repository: Borrowed,
  commits: readonly string[],
): readonly string[] | null {
  const asked = commits.map((oid) => `${oid}^{tree}\n`).join('');
  const said = askBorrowed(repository, ['cat-file', '--batch-check=%(objectname)'], asked);
  const trees = said?.toString('latin1').trimEnd().split('\n') ?? [];
  const isWhole = trees.length === commits.length && trees.every((tree) => isOid.test(tree));
  return isWhole ? trees : null;
}

const isOid = /^[0-9a-f]+$/;

export type TreePair = readonly [from: string, to: string];

const compared = ['diff-tree', '--stdin', '-r', withSubmodules, '--no-renames'];

const inputOf = (pairs: readonly TreePair[]): string =>
  pairs.map(([from, to]) => `${from} ${to}\n`).join('');

/** What leads from the first tree to the second, for each pair; null where one cannot be read. */
export function treeChanges(
  repository: Borrowed,
  pairs: readonly TreePair[],
): readonly (readonly PathChange[])[] | null {
  const args = [...compared, '--raw', '-z', '--no-abbrev'];
  const text = askBorrowed(repository, args, inputOf(pairs))?.toString('utf8');
  if (text === undefined) return null;
  let at = 0;
  return pairs.map(([from, to]) => {
    at += `${from} ${to}\n`.length;
    const start = at;
    while (text[at] === ':') at = text.indexOf('\0', text.indexOf('\0', at) + 1) + 1;
    return parseRaw(text.slice(start, at));
  });
}

/** A change of lines: these of the base, counted from 0, were replaced by others. */
export interface Hunk {
  readonly start: number;
  readonly end: number;
  /** What stands there now, as a patch writes it. */
  readonly lines: string;
}

/** Of a file's content before and after, as one key. */
export function contentKey(before: string, after: string): string {
  return `${before}..${after}`;
}

/** So many bytes of paths are named to one git. */
const mostPathBytes = 65_536;

/**
 * What both sides of a merge changed in the lines of these files, by `contentKey`, as
 * `git merge-file` looks for it; content that is not text has none. Null where it cannot be read.
 */
export function hunksOf(
  repository: Borrowed,
  sides: readonly TreePair[],
  paths: readonly string[],
): ReadonlyMap<string, readonly Hunk[]> | null {
  if (paths.length === 0) return new Map();
  const named = paths.reduce((sum, path) => sum + path.length, 0) > mostPathBytes ? [] : paths;
  const args = [
    ...compared,
    '-p',
    '-U0',
    '--full-index',
    '--diff-algorithm=myers',
    '--no-indent-heuristic',
    '--diff-filter=M',
    '--no-ext-diff',
    '--no-textconv',
    '--no-color',
    '--',
    ...named,
  ];
  const text = askBorrowed(repository, args, inputOf(sides))?.toString('latin1');
  return text === undefined ? null : parseHunks(text);
}

const hunkHeader = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@/;

export function parseHunks(patch: string): ReadonlyMap<string, readonly Hunk[]> {
  const found = new Map<string, Hunk[]>();
  let hunks: Hunk[] = [];
  for (const part of patch.split(/(?<=\n)(?=diff --git |@@ )/)) {
    const [, start = '', count = '1'] = hunkHeader.exec(part) ?? [];
    if (start === '') {
      const [, before = '', after = ''] = /^index ([0-9a-f]+)\.\.([0-9a-f]+) /m.exec(part) ?? [];
      hunks = [];
      if (before !== '' && !/^Binary files /m.test(part))
        found.set(contentKey(before, after), hunks);
      continue;
    }
    // Where nothing is removed, git names the line before.
    const from = Number(start) - (count === '0' ? 0 : 1);
    const lines = part
      .split('\n')
      .filter((line) => line.startsWith('+') || line.startsWith('\\'))
      .join('\n');
    hunks.push({ start: from, end: from + Number(count), lines });
  }
  return found;
}

/** Of these paths those in which additions at one place are all kept (`merge=union`). */
export function unionPaths(
  repository: Borrowed,
  paths: readonly string[],
): ReadonlySet<string> | null {
  const args = ['check-attr', '--stdin', '-z', 'merge'];
  const input = paths.map((path) => `${path}\0`).join('');
  const words = askBorrowed(repository, args, input)?.toString('utf8').split('\0');
  return (
    (words && new Set(words.filter((_, i) => i % 3 === 0 && words[i + 2] === 'union'))) ?? null
  );
}

export interface Merged {
  readonly tree: string;
  readonly isClean: boolean;
  /** Paths that git leaves to be resolved; none of a clean merge. */
  readonly conflicts: readonly string[];
}

/**
 * What git makes of merging these pairs of commits, in one process; null where it could not say,
 * which it cannot before 2.38.
 */
export function mergedByGit(
  repository: Borrowed,
  pairs: readonly (readonly [string, string])[],
): readonly Merged[] | null {
  const args = ['merge-tree', '--stdin', '--name-only', '--no-messages', '-z'];
  const text = askBorrowed(repository, args, inputOf(pairs))?.toString('utf8');
  return text === undefined ? null : parseMerged(text, pairs.length);
}

/** `0|1 NUL tree NUL (path NUL)* NUL` for each merge. */
export function parseMerged(text: string, count: number): readonly Merged[] | null {
  const words = text.split('\0');
  const merged: Merged[] = [];
  for (let i = 0; i + 2 < words.length; ) {
    const end = words.indexOf('', i + 2);
    if (end < 0) return null;
    merged.push({
      isClean: words[i] === '1',
      tree: words[i + 1] ?? '',
      conflicts: words.slice(i + 2, end),
    });
    i = end + 1;
  }
  return merged.length === count ? merged : null;
}
