/**
 * What is known before git makes a commit is put down in a folder of that git's own, so that the
 * hooks behind pre-commit find it there and start nothing: that the commit is judged, the
 * repository's own index as it will be, and what the log is to say. The shim uses it only if all
 * came as foreseen.
 */

import { tallyName } from '../agent/tally.ts';
import type { RealWorld } from '../agent/world.ts';
import { toJson } from '../core/harmless.ts';
import type { Oid } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import { baseOf, repositoryStage } from '../draft/stage-base.ts';
import { knownChanges } from '../git/changes.ts';
import { operationUnderWay } from '../git/head.ts';
import { carryAside, treeOfIndex } from '../git/index-file.ts';
import {
  appendLocal,
  dropLocal,
  linkLocal,
  listLocal,
  localPath,
  tidyLocal,
} from '../git/local.ts';
import type { PathChange } from '../git/path-changes.ts';
import { isRunning } from '../git/process-mark.ts';
import type { Repository } from '../git/repository.ts';
import type { Observation } from '../log/log-store.ts';
import { sharedFiles } from '../shim/files.ts';
import { readShared, sharedPath, writeShared } from '../shim/shared-file.ts';
import type { HookCaller } from './caller.ts';

interface NextCommit {
  /** The index that git is about to commit. */
  readonly file: string;
  readonly head: Oid | null;
  readonly staged: readonly PathChange[];
}

const mostPaths = 50;

/** What the log says of a commit, as far as its changes tell. */
export function committedPaths(changes: readonly PathChange[]): {
  readonly paths: readonly string[];
  readonly more?: number;
} {
  const paths = changes.slice(0, mostPaths).map(({ path }) => path);
  return changes.length > mostPaths ? { paths, more: changes.length - mostPaths } : { paths };
}

export function foresee(
  world: RealWorld,
  at: Observation,
  caller: HookCaller,
  next: NextCommit,
  env: NodeJS.ProcessEnv,
): void {
  const { repository } = world;
  const { stage } = caller;
  const git = env['COORD_GIT_PID'];
  if (
    git === undefined ||
    next.head === null ||
    at.tip === null ||
    baseOf(repository, stage) !== next.head
  )
    return;
  dropLocal(repository.gitDir, `commit-${git}`);
  dropLeftovers(repository.gitDir, world.clock.now().at);
  // The shim only adds to it.
  if (caller.agent !== null) appendLocal(repository.commonDir, tallyName(caller.agent.name), '');
  const tree = treeOfIndex(repository, next.file);
  if (tree === null) return;
  writeShared(repository, sharedFiles.judged, [git], {
    tree,
    parent: next.head,
    tip: at.tip,
    base: stage.baseName,
    agent: env['COORD_AGENT'] ?? '',
  });
  if (
    world.settings.afterCommit === 'keep' &&
    isOrdinary(world) &&
    (stage.agentId === null || followed(world, git, tree, next))
  ) {
    const about =
      caller.agent === null
        ? null
        : {
            tally: localPath(repository.commonDir, tallyName(caller.agent.name)),
            // The shim adds which commit it became, and ends it.
            note: toJson({ what: 'committed', ...committedPaths(next.staged) }).slice(0, -1),
          };
    writeShared(repository, sharedFiles.after, [git], about);
  }
}

/** Has pre-commit judged the commit of this git, and has the shim signed its message? */
export function madeBy(
  repository: Repository,
  git: string | undefined,
): { readonly isJudged: boolean; readonly isSigned: boolean } {
  const has = (file: keyof typeof sharedFiles): boolean =>
    git !== undefined && readShared(repository, sharedFiles[file], git) !== null;
  return { isJudged: has('judged'), isSigned: has('signed') };
}

/** Of commits that were given up. */
function dropLeftovers(gitDir: string, wallMs: number): void {
  for (const folder of listLocal(gitDir, '.').filter((name) => /^commit-\d+$/.test(name)))
    if (!isRunning(Number(folder.slice(7)))) dropLocal(gitDir, folder);
  tidyLocal(gitDir, '.', /^(commit|pending|draft)-/, wallMs - limits.leftoverMs);
}

/** Nothing is under way that ends with this commit. */
function isOrdinary({ repository }: RealWorld): boolean {
  return (
    operationUnderWay(repository) === null && readShared(repository, sharedFiles.operation) === null
  );
}

/** The repository's own index at the commit to come, beside the one it was made from. */
function followed(
  { repository }: RealWorld,
  git: string,
  tree: Oid,
  { head, staged }: NextCommit,
): boolean {
  const own = repositoryStage(repository);
  const base = baseOf(repository, own);
  const seen = sharedPath(repository, sharedFiles.seenIndex, git);
  return (
    base !== null &&
    linkLocal(own.index, seen) &&
    carryAside(
      repository,
      sharedPath(repository, sharedFiles.nextIndex, git),
      seen,
      base,
      tree,
      base === head ? staged : knownChanges(repository, base, tree),
    )
  );
}
