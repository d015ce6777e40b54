/**
 * Snapshots of work that is in no commit: files with their content, as commits without a parent in
 * `refs/coord/saved/<agent>/<time>`. Bounded in number and age.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { showAgent } from '../core/agent.ts';
import { CoordError } from '../core/errors.ts';
import { toJson } from '../core/harmless.ts';
import type { Oid } from '../core/ids.ts';
import type { AgentName } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import { headOf } from '../git/head.ts';
import { gitWithIndex } from '../git/index-file.ts';
import { localPath } from '../git/local.ts';
import { encodeCommit, encodeTree, type TreeEntry } from '../git/object-text.ts';
import { writeObject } from '../git/objects.ts';
import { readObject } from '../git/read-objects.ts';
import { type RefUpdate, updateRefs, zeroOid } from '../git/refs.ts';

import type { Repository } from '../git/repository.ts';
import { type GitResult, runGit } from '../git/run-git.ts';

/** What has to go right: an empty answer of a git that failed is none. */
export function expectSuccess({ code, stdout, stderr }: GitResult): string {
  if (code !== 0)
    throw new CoordError(
      'git_failed',
      `unsaved work could not be kept or read: ${stderr.split('\n')[0] ?? ''}`,
      'coord doctor',
    );
  return stdout.toString('utf8');
}

const savedPrefix = 'refs/coord/saved/';

export interface SavedEntry {
  readonly mode: string;
  readonly oid: string;
  readonly path: string;
  /** Where it is the part of one agent: the committed text that it was made from. */
  readonly base?: Oid;
}

/** An index that holds just these, for as long as the work takes. */
export function withIndexOf<T>(
  repository: Repository,
  entries: readonly SavedEntry[],
  work: (index: string) => T,
): T {
  const index = localPath(repository.gitDir, `saved-${process.pid}`);
  mkdirSync(dirname(index), { recursive: true });
  const lines = entries.map(({ mode, oid, path }) => `${mode} ${oid}\t${path}\0`).join('');
  try {
    expectSuccess(gitWithIndex(repository, index, ['read-tree', '--empty']));
    expectSuccess(gitWithIndex(repository, index, ['update-index', '-z', '--index-info'], lines));
    return work(index);
  } finally {
    rmSync(index, { force: true });
  }
}

interface Snapshot {
  readonly agent: AgentName;
  readonly entries: readonly SavedEntry[];
  /** What it was kept before. */
  readonly why: string;
  readonly at: number;
}

/** These files as a tree: its bytes are known, and git would be started three times for them. */
function treeOf(repository: Repository, entries: readonly SavedEntry[]): Oid {
  const bytes = (name: string): string => Buffer.from(name).toString('latin1');
  const folders = new Map<string, SavedEntry[]>();
  const files = new Map<string, TreeEntry>();
  for (const { mode, oid, path } of entries) {
    const slash = path.indexOf('/');
    if (slash < 0) {
      files.set(path, { mode, name: bytes(path), oid });
      continue;
    }
    const folder = path.slice(0, slash);
    const inside = folders.get(folder) ?? [];
    inside.push({ mode, oid, path: path.slice(slash + 1) });
    folders.set(folder, inside);
  }
  const trees = [...folders].map(([folder, inside]) => ({
    mode: '40000',
    name: bytes(folder),
    oid: treeOf(repository, inside),
  }));
  // What is staged may be a file where something else is a folder by now.
  for (const folder of folders.keys()) files.delete(folder);
  return writeObject(repository, 'tree', encodeTree([...files.values(), ...trees]));
}

/** Returns the id under which it is found. */
export function writeSnapshot(repository: Repository, snapshot: Snapshot): string {
  return writeSnapshots(repository, [snapshot])[0] ?? '';
}

/**
 * Of an agent each, in one step. The same work is not kept twice: it counts as kept now, or it would
 * be dropped for its age. What is too old, or too much, goes with it.
 */
export function writeSnapshots(
  repository: Repository,
  snapshots: readonly Snapshot[],
): readonly string[] {
  if (snapshots.length === 0) return [];
  const head = headOf(repository).oid;
  const trees = snapshots.map(({ entries }) => treeOf(repository, entries));
  for (let tries = 1; ; tries += 1) {
    const { ids, changes } = plannedFor(repository, snapshots, trees, head);
    const { code, ...said } = changes.length === 0 ? nothingToDo : updateRefs(repository, changes);
    if (code === 0) return ids;
    // Others keep their work, and that of whoever is in it, at the same time.
    if (tries >= limits.swapAttempts) expectSuccess({ code, ...said });
  }
}

const nothingToDo: GitResult = { code: 0, stdout: Buffer.alloc(0), stderr: '' };

function plannedFor(
  repository: Repository,
  snapshots: readonly Snapshot[],
  trees: readonly Oid[],
  head: Oid | null,
): { readonly ids: readonly string[]; readonly changes: readonly RefUpdate[] } {
  const known = snapshotsIn(repository);
  const kept = snapshots.map((snapshot, i) => {
    const { agent } = snapshot;
    const tree = trees[i] ?? '';
    const same = known.find((saved) => saved.agentId === agent.id && saved.tree === tree);
    // Somebody else has kept other work of it at this very moment.
    const isTaken = (at: number): boolean =>
      known.some((saved) => saved !== same && saved.agentId === agent.id && saved.at === at);
    let { at } = snapshot;
    while (isTaken(at)) at += 1;
    const ref = `${savedPrefix}${agent.id}/${String(at).padStart(15, '0')}`;
    const isNew = same?.ref !== ref;
    const commit = isNew ? commitOf(repository, snapshot, tree, head) : same.commit;
    return { id: `${agent.id}/${at}`, ref, commit, isNew, same, agentId: agent.id, at };
  });
  const refs = new Set(kept.map(({ ref }) => ref));
  const replaced = new Set(kept.flatMap(({ same }) => same ?? []));
  const left = [...kept, ...known.filter((saved) => !replaced.has(saved) && !refs.has(saved.ref))];
  const gone = [...replaced].filter(({ ref }) => !refs.has(ref));
  const old = tooMany(left, Math.max(...snapshots.map(({ at }) => at)));
  return {
    ids: kept.map(({ id }) => id),
    changes: [
      ...kept.flatMap(({ ref, commit, isNew }) =>
        isNew ? [{ ref, value: commit, expected: zeroOid(repository) }] : [],
      ),
      ...[...gone, ...old]
        .filter(({ ref }) => !refs.has(ref))
        .map(({ ref, commit }) => ({ ref, value: null, expected: commit })),
    ],
  };
}

function commitOf(
  repository: Repository,
  { agent, entries, why, at }: Snapshot,
  tree: Oid,
  head: Oid | null,
): Oid {
  const signature = { name: agent.name, email: `${agent.id}@coord.invalid`, at };
  const parts = entries.flatMap(({ path, base }) =>
    base === undefined ? [] : `Part: ${base} ${toJson(path)}\n`,
  );
  const message = `work of ${showAgent(agent)}, kept before ${why}\n\nAgent: ${showAgent(agent)}\nHead: ${head ?? 'none'}\n${parts.join('')}`;
  return writeObject(
    repository,
    'commit',
    encodeCommit({ tree, parents: [], message }, signature, signature),
  );
}

export interface Saved {
  readonly id: string;
  readonly ref: string;
  readonly commit: Oid;
  readonly agentId: string;
  readonly agent: string;
  readonly at: number;
  readonly why: string;
  readonly tree: string;
}

/** Newest first. */
export function snapshotsIn(repository: Repository): readonly Saved[] {
  const format =
    '%(refname) %(objectname) %(tree) %(committerdate:unix) %(authorname) %(contents:subject)';
  const { stdout } = runGit(repository.git, [
    `--git-dir=${repository.commonDir}`,
    'for-each-ref',
    '--sort=-refname',
    `--format=${format}`,
    savedPrefix,
  ]);
  return stdout
    .toString('utf8')
    .split('\n')
    .flatMap((line) => {
      const [, ref = '', agentId = '', at = '', commit = '', tree = '', agent = '', subject = ''] =
        /^(refs\/coord\/saved\/([0-9a-z]{8})\/(\d+)) ([0-9a-f]+) ([0-9a-f]+) \d+ (\S+) (.*)$/.exec(
          line,
        ) ?? [];
      return ref === ''
        ? []
        : [
            {
              id: `${agentId}/${Number(at)}`,
              ref,
              commit,
              agentId,
              agent,
              at: Number(at),
              tree,
              why: subject.replace(/^.*, kept before /, ''),
            },
          ];
    })
    .sort((a, b) => b.at - a.at);
}
/** Those of its files that are the part of one agent, and the committed text each was made from. */
export function partsIn(repository: Repository, { commit }: Saved): ReadonlyMap<string, Oid> {
  const text = readObject(repository, commit, 'commit').toString('utf8');
  return new Map(
    [...text.matchAll(/^Part: ([0-9a-f]+) (".*")$/gm)].map(([, base = '', path = '']) => [
      String(JSON.parse(path)),
      base,
    ]),
  );
}

/** Of newest first, those past what an agent may have, or past their time. */
function tooMany<T extends { readonly agentId: string; readonly at: number }>(
  saved: readonly T[],
  now: number,
): readonly T[] {
  const counts = new Map<string, number>();
  return saved.filter(({ agentId, at }) => {
    const count = (counts.get(agentId) ?? 0) + 1;
    counts.set(agentId, count);
    return count > limits.savedPerAgent || now - at > limits.savedAgeMs;
  });
}
