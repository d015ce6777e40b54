/**
 * Snapshots of work that is in no commit: files with their content, as commits without a parent in
 * `refs/coord/saved/<agent>/<time>`. Bounded in number and age.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { showAgent } from '../core/agent.ts';
import { CoordError } from '../core/errors.ts';
import type { Oid } from '../core/ids.ts';
import type { AgentName } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import { headOf } from '../git/head.ts';
import { gitWithIndex } from '../git/index-file.ts';
import { localPath } from '../git/local.ts';
import { encodeCommit } from '../git/object-text.ts';
import { writeObject } from '../git/objects.ts';
import { listRefs, updateRefs, zeroOid } from '../git/refs.ts';
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

/**
 * The same work is not kept twice: it counts as kept now, or it would be dropped for its age.
 * Returns the id under which it is found.
 */
export function writeSnapshot(
  repository: Repository,
  { agent, entries, why, at }: Snapshot,
): string {
  const tree = withIndexOf(repository, entries, (index) =>
    expectSuccess(gitWithIndex(repository, index, ['write-tree'])).trim(),
  );
  const same = snapshotsIn(repository).find(
    (saved) => saved.agentId === agent.id && saved.tree === tree,
  );
  const ref = `${savedPrefix}${agent.id}/${String(at).padStart(15, '0')}`;
  if (same?.ref === ref) return same.id;
  const signature = { name: agent.name, email: `${agent.id}@coord.invalid`, at };
  const head = headOf(repository).oid;
  const message = `work of ${showAgent(agent)}, kept before ${why}\n\nAgent: ${showAgent(agent)}\nHead: ${head ?? 'none'}\n`;
  const commit = writeObject(
    repository,
    'commit',
    encodeCommit({ tree, parents: [], message }, signature, signature),
  );
  expectSuccess(
    updateRefs(repository, [
      { ref, value: commit, expected: zeroOid(repository) },
      ...(same === undefined ? [] : [{ ref: same.ref, value: null, expected: same.commit }]),
    ]),
  );
  return `${agent.id}/${at}`;
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

export function dropOldSnapshots(repository: Repository, now: number): void {
  const counts = new Map<string, number>();
  const old = snapshotsIn(repository).filter(({ agentId, at }) => {
    const count = (counts.get(agentId) ?? 0) + 1;
    counts.set(agentId, count);
    return count > limits.savedPerAgent || now - at > limits.savedAgeMs;
  });
  const known = listRefs(repository, savedPrefix);
  if (old.length > 0)
    updateRefs(
      repository,
      old.map(({ ref }) => ({ ref, value: null, expected: known.get(ref) ?? null })),
    );
}
