/** Where an agent's index is, which commit it is based on, and on which branch its session was. */

import { join } from 'node:path';
import { showAgent } from '../core/agent.ts';
import type { Oid } from '../core/ids.ts';
import type { AgentName } from '../core/lease.ts';
import { headOf } from '../git/head.ts';
import { dropLocal, localPath, readLocal, writeLocal } from '../git/local.ts';
import type { Repository } from '../git/repository.ts';
import { sharedFiles } from '../shim/files.ts';
import { readShared, sharedPlace, writeShared } from '../shim/shared-file.ts';

/**
 * An index and the file that says what it is based on, as names below the work tree's `coord`
 * folder.
 */
export interface Stage {
  readonly index: string;
  readonly baseName: string;
  /** Null for the repository's own. */
  readonly agentId: string | null;
}

/** Below the work tree's `coord` folder. */
export function stageFolder(agentId: string): string {
  return `stages/${agentId}`;
}

export function stageOf(repository: Repository, agentId: string): Stage {
  return {
    agentId,
    index: localPath(repository.gitDir, `${stageFolder(agentId)}/index`),
    baseName: sharedPlace(repository, sharedFiles.base, agentId)[1],
  };
}

export function repositoryStage(repository: Repository): Stage {
  const [folder, baseName] = sharedPlace(repository, sharedFiles.ownBase);
  return { agentId: null, index: join(folder, 'index'), baseName };
}

export function baseOf({ gitDir, hash }: Repository, { baseName }: Stage): Oid | null {
  // Without its end it was never written whole; the line after it is the shim's.
  const said = /^([^\n]*)\n/.exec(readLocal(gitDir, baseName) ?? '')?.[1];
  return said === '' ? emptyTree(hash) : (/^[0-9a-f]{40,64}$/.exec(said ?? '')?.[0] ?? null);
}

/** What an index was based on before there was a commit. */
export function emptyTree(hash: Repository['hash']): Oid {
  return hash === 'sha1'
    ? '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
    : '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321';
}

/** Is the index based on what HEAD is now? */
export function isAtHead(repository: Repository, stage: Stage, head: Oid | null): boolean {
  return baseOf(repository, stage) === (head ?? emptyTree(repository.hash));
}

export function noteBase({ gitDir }: Repository, { baseName }: Stage, base: Oid | null): void {
  writeLocal(gitDir, baseName, `${base ?? ''}\n`);
}

/** Paths that are staged from an older commit than the index is based on, each with that one. */
export type Behind = ReadonlyMap<string, Oid>;

function behindPlace(repository: Repository, { agentId }: Stage): readonly [string, string] {
  return agentId === null
    ? sharedPlace(repository, sharedFiles.ownBehind)
    : sharedPlace(repository, sharedFiles.behind, agentId);
}

export function behindOf(repository: Repository, stage: Stage): Behind {
  const text = readLocal(...behindPlace(repository, stage)) ?? '[]';
  return new Map(JSON.parse(text) as readonly (readonly [string, Oid])[]);
}

/** Of each path the commit that its entry in this index is based on. */
export function basedOn(repository: Repository, stage: Stage): (path: string) => Oid | null {
  const [base, behind] = [baseOf(repository, stage), behindOf(repository, stage)];
  return (path) => behind.get(path) ?? base;
}

export function noteBehind(
  repository: Repository,
  stage: Stage,
  behind: readonly { readonly path: string; readonly from: Oid }[],
): void {
  const place = behindPlace(repository, stage);
  if (behind.length === 0) dropLocal(...place);
  else writeLocal(...place, `${JSON.stringify(behind.map(({ path, from }) => [path, from]))}\n`);
}

/**
 * The branch that the stage's own session was last on; empty where HEAD is detached, null where
 * nobody noted.
 */
export function branchOf(repository: Repository, { agentId }: Stage): string | null {
  return agentId === null
    ? null
    : (readShared(repository, sharedFiles.branch, agentId)?.trimEnd() ?? null);
}

export function noteBranch(repository: Repository, { agentId }: Stage): void {
  const branch = headOf(repository).name ?? '';
  if (agentId !== null) writeShared(repository, sharedFiles.branch, [agentId], { branch });
}

/** Who last switched the branch of this work tree, for the others in it. */
export function noteSwitch(repository: Repository, who: string): void {
  const { name } = headOf(repository);
  if (name !== null) writeShared(repository, sharedFiles.switch, [], { switch: `${name} ${who}` });
}

/** Null where nobody noted it. */
export function lastToSwitch(repository: Repository): string | null {
  const [name, who] = (readShared(repository, sharedFiles.switch) ?? '').trimEnd().split(' ');
  return name === headOf(repository).name && who !== undefined ? who : null;
}

/** Who made a commit, as it says so itself. */
export function trailerOf(agent: AgentName): string {
  return `Coord-Agent: ${showAgent(agent)}`;
}

/** For the hook that writes them without starting anything. */
export function noteTrailers(
  repository: Repository,
  { agentId }: Stage,
  trailers: readonly string[],
): void {
  if (agentId === null) return;
  const text = trailers.map((trailer) => `${trailer}\n`).join('');
  writeLocal(...sharedPlace(repository, sharedFiles.trailer, agentId), text);
}
