/**
 * What is kept for when a work tree or a branch is gone: a commit in `refs/coord/quarantine/<id>`,
 * and beside it, below the git folder, what may not become an object.
 */
import { basename } from 'node:path';
import { toJson } from '../core/harmless.ts';
import type { Oid } from '../core/ids.ts';
import type { AgentName } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import { treeOf } from '../git/files-at.ts';
import { dropFiles, keptFiles } from '../git/kept-files.ts';
import { encodeCommit } from '../git/object-text.ts';
import { writeObject } from '../git/objects.ts';
import { type RefUpdate, readRef, shortBranch, updateRefs } from '../git/refs.ts';
import type { Repository } from '../git/repository.ts';
import { git } from '../git/run-git.ts';
import type { WorkTree } from '../git/work-trees.ts';
import { expectSuccess } from './snapshot.ts';

const quarantinePrefix = 'refs/coord/quarantine/';

export interface Kept {
  readonly id: string;
  readonly ref: string;
  readonly commit: Oid;
  readonly tree: Oid;
  readonly at: number;
  /** Where it was; null for a branch that was deleted. */
  readonly path: string | null;
  readonly branch: string | null;
  /** The commit that HEAD was, or that the branch stood on. */
  readonly head: Oid | null;
  /** A commit of what was staged. */
  readonly staged: Oid | null;
  /** Who kept it, and before what. */
  readonly agent: string;
  readonly why: string;
  /** How many files were in no commit. */
  readonly files: number;
}

/** By whom, and when. */
export interface Keeper {
  readonly agent: AgentName;
  readonly atMs: number;
}

/** Writes a commit of coord's own. */
export function commitBy(
  repository: Repository,
  { agent, atMs }: Keeper,
  made: { readonly tree: Oid; readonly parents: readonly Oid[]; readonly message: string },
): Oid {
  const signature = { name: agent.name, email: `${agent.id}@coord.invalid`, at: atMs };
  return writeObject(repository, 'commit', encodeCommit(made, signature, signature));
}

type About = Pick<Kept, 'id' | 'tree' | 'path' | 'branch' | 'head' | 'staged' | 'why' | 'files'>;

/** Under its id, in the place of what was kept before. */
export function writeKept(
  repository: Repository,
  keeper: Keeper,
  about: About,
  parents: readonly Oid[],
): Kept {
  const ref = `${quarantinePrefix}${about.id}`;
  const message = messageOf(about);
  const commit = commitBy(repository, keeper, {
    tree: about.tree,
    parents: [...new Set(parents)],
    message,
  });
  expectSuccess(updateRefs(repository, [{ ref, value: commit, expected: null }]));
  const at = Math.floor(keeper.atMs / 1_000) * 1_000;
  return { ...about, ref, commit, at, agent: keeper.agent.name };
}

function messageOf({ path, branch, head, staged, why, files }: About): string {
  const what =
    path === null ? `branch ${shortBranch(branch) ?? 'HEAD'}` : `work tree ${basename(path)}`;
  return [
    `${what}, ${why === '' ? 'as it is' : `kept before ${why}`}`,
    '',
    ...(path === null ? [] : [`Work-Tree: ${toJson(path)}`]),
    ...(branch === null ? [] : [`Branch: ${branch}`]),
    `Head: ${head ?? 'none'}`,
    ...(staged === null ? [] : [`Staged: ${staged}`]),
    `Why: ${toJson(why)}`,
    `Files: ${files}`,
    '',
  ].join('\n');
}

/** A branch that goes, with commits that are nowhere else. */
export function keepBranch(
  repository: Repository,
  keeper: Keeper,
  { branch, head, why }: { readonly branch: string; readonly head: Oid; readonly why: string },
): Kept {
  const name = shortBranch(branch)
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .slice(0, 40);
  const id = `${name}-${head.slice(0, 8)}`;
  const tree = treeOf(repository, head);
  const about = { id, tree, path: null, branch, head, staged: null, why, files: 0 };
  return writeKept(repository, keeper, about, [head]);
}

/** All that is kept, the newest first; of work trees that are still there only the copies. */
export function keptIn(repository: Repository): readonly Kept[] {
  return keptAt(repository, quarantinePrefix);
}

/** What is kept under this id. */
export function keptUnder(repository: Repository, id: string): Kept | null {
  return keptAt(repository, `${quarantinePrefix}${id}`)[0] ?? null;
}

function keptAt({ git: program, commonDir }: Repository, prefix: string): readonly Kept[] {
  const format = '%(refname)%00%(objectname)%00%(tree)%00%(committerdate:unix)%00%(authorname)%00';
  return git(program, [
    `--git-dir=${commonDir}`,
    'for-each-ref',
    '--sort=-committerdate',
    `--format=${format}%(contents)%00%00`,
    prefix,
  ])
    .toString('utf8')
    .split('\0\0\n')
    .flatMap((row): readonly Kept[] => {
      const [ref = '', commit = '', tree = '', at = '', agent = '', text = ''] = row.split('\0');
      if (!ref.startsWith(quarantinePrefix)) return [];
      const said = (key: string): string | null =>
        new RegExp(`^${key}: (.*)$`, 'm').exec(text)?.[1] ?? null;
      const head = said('Head');
      return [
        {
          id: ref.slice(quarantinePrefix.length),
          ref,
          commit,
          tree,
          at: Number(at) * 1_000,
          path: fromJson(said('Work-Tree')),
          branch: said('Branch'),
          head: head === 'none' ? null : head,
          staged: said('Staged'),
          agent,
          why: fromJson(said('Why')) ?? '',
          files: Number(said('Files') ?? 0),
        },
      ];
    });
}

function fromJson(text: string | null): string | null {
  return text === null ? null : String(JSON.parse(text));
}

/** Those whose work tree is gone, with all that only they have. */
export function keptOfGone(repository: Repository, trees: readonly WorkTree[]): readonly Kept[] {
  const there = new Set(trees.filter(({ isThere }) => isThere).map(({ id }) => id));
  return keptIn(repository).filter(({ id }) => !there.has(id));
}

export function forget(repository: Repository, gone: readonly Pick<Kept, 'id' | 'commit'>[]): void {
  const updates = gone.map(
    ({ id, commit }): RefUpdate => ({
      ref: `${quarantinePrefix}${id}`,
      value: null,
      expected: commit,
    }),
  );
  if (updates.length > 0) expectSuccess(updateRefs(repository, updates));
  for (const { id } of gone) dropFiles(repository.commonDir, id);
}

/** What is kept under this id, if anything, is needed no more. */
export function forgetId(repository: Repository, id: string): void {
  const commit = readRef(repository, `${quarantinePrefix}${id}`);
  if (commit === null) dropFiles(repository.commonDir, id);
  else forget(repository, [{ id, commit }]);
}

/** Those that are past their time, or beyond what may be kept beside the objects, oldest first. */
export function pastKeeping(
  repository: Repository,
  kept: readonly Kept[],
  nowMs: number,
): readonly Kept[] {
  let bytes = 0;
  return kept
    .toSorted((a, b) => b.at - a.at)
    .filter(({ id, at }) => {
      bytes += keptFiles(repository.commonDir, id).bytes;
      return nowMs - at > limits.quarantineAgeMs || bytes > limits.quarantineBytes;
    });
}
