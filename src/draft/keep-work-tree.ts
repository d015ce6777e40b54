/**
 * What a work tree holds and nothing else has, kept: its commits, its files and what is staged as
 * one commit; what git ignores there as files. While the work tree is there it is a copy that
 * follows it, so that what goes without a word comes back too.
 */

import type { Oid } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import { matches } from '../core/overlap.ts';
import type { Settings } from '../core/settings.ts';
import { asBytes, asText } from '../git/byte-names.ts';
import { treeOf } from '../git/files-at.ts';
import { headOf, operationUnderWay } from '../git/head.ts';
import { ignoredEntries, namedByInclude } from '../git/ignored-content.ts';
import { treeOfIndex } from '../git/index-file.ts';
import { type KeptFiles, keepFiles, keptFiles, type Part, type Wanted } from '../git/kept-files.ts';
import { listLocal, localPath } from '../git/local.ts';
import { onlyKnownTo } from '../git/reflog.ts';
import type { Repository } from '../git/repository.ts';
import { runGit } from '../git/run-git.ts';
import { contentOf, type TreeContent } from '../git/tree-content.ts';
import { seenFrom, type WorkTree } from '../git/work-trees.ts';
import { commitBy, forgetId, type Keeper, type Kept, keptUnder, writeKept } from './quarantine.ts';
import { emptyTree } from './stage-base.ts';

interface Keeping extends Keeper {
  /** Before what; null where the work tree stays, and the copy only follows it. */
  readonly why: string | null;
  /** Where it was before it was moved out of the way. */
  readonly path: string;
  readonly settings: Pick<Settings, 'workCopy' | 'folding'>;
}

export interface KeptNow {
  /** Null where all of it is somewhere else. */
  readonly kept: Kept | null;
  /** What git ignores there and is too large to keep. */
  readonly leftOut: readonly { readonly path: string; readonly bytes: number }[];
}

/** What would be nowhere else once it is gone. */
export function keepWorkTree(
  repository: Repository,
  tree: WorkTree,
  { why, path, settings, ...keeper }: Keeping,
): KeptNow {
  const place = seenFrom(repository, tree);
  const before = tree.isThere ? null : keptUnder(repository, tree.id);
  const isGoing = why !== null;
  const content = tree.isThere
    ? contentOf(place, isGoing ? undefined : limits.savedFileBytes)
    : contentOfGone(place, before);
  // Somebody is taking it away at this moment: what is kept is better.
  if (!isGoing && content.isHalfGone) return { kept: null, leftOut: [] };
  const wanted: readonly Wanted[] = [
    ...(tree.isThere ? filesIn(place, content.inner, settings, isGoing) : []),
    ...(isGoing ? adminOf(tree) : []),
  ];
  // Of one that is gone there is what the copy has, which followed it.
  const files = tree.isThere
    ? keepFiles(repository.commonDir, tree.id, wanted, content.modes)
    : keptFiles(repository.commonDir, tree.id);
  const stages = stagesOf(place, keeper, [content.tree, content.staged]);
  const lost = onlyKnownTo(repository, tree.gitDir);
  const holds =
    content.changed > 0 ||
    content.staged !== null ||
    lost.length > 0 ||
    stages.length > 0 ||
    hasFiles(files, 'files') ||
    operationUnderWay(place) !== null;
  if (!holds) {
    // A copy that followed it has nothing to tell any more.
    forgetId(repository, tree.id);
    return { kept: null, leftOut: files.leftOut };
  }
  const known = { stages, lost, before };
  return {
    kept: writeAll(repository, keeper, { tree, content, path, why: why ?? '', ...known }),
    leftOut: files.leftOut,
  };
}

interface All {
  readonly tree: WorkTree;
  readonly content: TreeContent;
  readonly path: string;
  readonly why: string;
  readonly stages: readonly Oid[];
  readonly lost: readonly Oid[];
  readonly before: Kept | null;
}

/** One commit that reaches all of it. */
function writeAll(
  repository: Repository,
  keeper: Keeper,
  { tree, content, path, why, stages, lost, before }: All,
): Kept {
  const { oid: head, branch } = tree.head;
  const base = head === null ? [] : [head];
  const message = 'what was staged\n';
  const staged =
    content.staged === null
      ? null
      : commitBy(repository, keeper, { tree: content.staged, parents: base, message });
  const about = {
    id: tree.id,
    tree: content.tree,
    path,
    branch,
    head,
    staged,
    why,
    files: content.changed,
  };
  const many = inGroups(lost).map((parents) =>
    commitBy(repository, keeper, { tree: content.tree, parents, message: 'what HEAD was at\n' }),
  );
  return writeKept(repository, keeper, about, [
    ...base,
    ...(staged === null ? [] : [staged]),
    ...many,
    ...stages,
    ...(before === null ? [] : [before.commit]),
  ]);
}

/** So that no commit has too many parents. */
function inGroups(oids: readonly Oid[]): readonly (readonly Oid[])[] {
  const size = limits.quarantineCommits;
  return Array.from({ length: Math.ceil(oids.length / size) }, (_, i) =>
    oids.slice(i * size, (i + 1) * size),
  );
}

/** What sessions have staged there, as commits; not what is kept already. */
function stagesOf(
  place: Repository,
  keeper: Keeper,
  known: readonly (Oid | null)[],
): readonly Oid[] {
  const { oid: head } = headOf(place);
  const atHead = head === null ? null : treeOf(place, head);
  return listLocal(place.gitDir, 'stages').flatMap((id) => {
    const tree = treeOfIndex(place, localPath(place.gitDir, `stages/${id}/index`));
    if (tree === null || tree === atHead || known.includes(tree)) return [];
    const parents = head === null ? [] : [head];
    return [commitBy(place, keeper, { tree, parents, message: `what ${id} had staged\n` })];
  });
}

/** Its folder is gone without a word: there is what followed it, and its index. */
function contentOfGone(place: Repository, before: Kept | null): TreeContent {
  const { oid: head } = headOf(place);
  const atHead = head === null ? emptyTree(place.hash) : treeOf(place, head);
  const tree = before?.tree ?? atHead;
  const said = runGit(place.git, [`--git-dir=${place.gitDir}`, 'write-tree'], '', place.commonDir);
  const index = said.code === 0 ? said.stdout.toString('utf8').trim() : atHead;
  const staged = index === atHead || index === tree ? null : index;
  return { tree, staged, changed: before?.files ?? 0, inner: [], modes: {}, isHalfGone: false };
}

/** The copy that follows a work tree is made every few seconds. */
function largest(isGoing: boolean): number {
  return isGoing ? limits.namedEntryBytes : limits.ignoredEntryBytes;
}

function hasFiles({ modes, links }: KeptFiles, part: Part): boolean {
  return [...Object.keys(modes), ...Object.keys(links)].some((key) => key.startsWith(`${part}/`));
}

/** What git keeps of a merge or the like that is under way, and the repositories of submodules. */
function adminOf({ gitDir }: WorkTree): readonly Wanted[] {
  return adminFiles.map((path) => ({
    part: 'git',
    top: gitDir,
    path,
    mostBytes: limits.namedEntryBytes,
  }));
}

const adminFiles: readonly string[] = [
  'MERGE_HEAD',
  'MERGE_MSG',
  'MERGE_MODE',
  'SQUASH_MSG',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'ORIG_HEAD',
  'BISECT_ANCESTORS_OK',
  'BISECT_EXPECTED_REV',
  'BISECT_LOG',
  'BISECT_NAMES',
  'BISECT_START',
  'BISECT_TERMS',
  'index',
  'rebase-merge',
  'rebase-apply',
  'sequencer',
  'logs',
  'modules',
  'config.worktree',
  'info',
];

/** Repositories within, and what git ignores. */
function filesIn(
  place: Repository,
  inner: readonly string[],
  { workCopy, folding }: Keeping['settings'],
  isGoing: boolean,
): readonly Wanted[] {
  const included = new Set(namedByInclude(place, place.top).map(asBytes));
  const innerNames = inner.map(asBytes);
  const isNamed = (path: string): boolean =>
    workCopy.some((pattern) => matches(pattern, asText(path), folding));
  const entries = ignoredEntries(place, 'latin1');
  const rest = [...included].filter(
    (path) => !entries.some((entry) => path === entry || path.startsWith(`${entry}/`)),
  );
  const large = (path: string): boolean =>
    innerNames.includes(path) || included.has(path) || isNamed(path);
  return [...new Set([...innerNames, ...entries, ...rest])].map((path) => ({
    part: 'files',
    top: place.top,
    path,
    mostBytes: large(path) ? largest(isGoing) : limits.ignoredEntryBytes,
  }));
}
