/**
 * The repository's own index as it was before git last wrote it. git resets it before it asks
 * whether HEAD may move, so that what a person had staged would be gone with a refusal.
 */
import { existsSync, linkSync, rmSync, statSync } from 'node:fs';
import type { Oid } from '../core/ids.ts';
import { startedAt } from '../git/git-command.ts';
import { rewrite, withIndexLock } from '../git/index-file.ts';
import { takeLocal, writeLocal } from '../git/local.ts';
import type { Repository } from '../git/repository.ts';
import { sharedFiles } from '../shim/files.ts';
import { readShared, sharedPath, writeShared } from '../shim/shared-file.ts';
import { baseOf, noteBase, repositoryStage } from './stage-base.ts';

const returnNote = 'index-returns';

function slotOf(repository: Repository): string {
  return readShared(repository, sharedFiles.keptSlot)?.trim() === '1' ? '1' : '0';
}

function keptIn(repository: Repository, slot: string): string {
  return sharedPath(repository, sharedFiles.keptIndex, slot);
}

function otherThan(slot: string): string {
  return slot === '1' ? '0' : '1';
}

/** The same that the hook does after git has written the index (hooks/git-hook). */
export function rememberIndex(repository: Repository): void {
  const { index } = repositoryStage(repository);
  const slot = slotOf(repository);
  const next = keptIn(repository, otherThan(slot));
  try {
    if (
      existsSync(keptIn(repository, slot)) &&
      inodeOf(keptIn(repository, slot)) === inodeOf(index)
    )
      return;
    rmSync(next, { force: true });
    linkSync(index, next);
    writeShared(repository, sharedFiles.keptSlot, [], { slot: otherThan(slot) });
  } catch {
    // Then it is not known what was there before.
  }
}

function inodeOf(file: string): bigint {
  return statSync(file, { bigint: true }).ino;
}

/**
 * Is the one that is remembered the one that this git has replaced? A file that loses a name
 * changes at that moment, so it was there until the present one was written.
 */
export function knowsIndexBefore(repository: Repository, git: string | undefined): boolean {
  const began = startedAt(git);
  const slot = slotOf(repository);
  try {
    const { index } = repositoryStage(repository);
    const { ino, mtimeNs } = statSync(index, { bigint: true });
    const before = statSync(keptIn(repository, otherThan(slot)), { bigint: true });
    return (
      began !== null &&
      inodeOf(keptIn(repository, slot)) === ino &&
      before.ctimeNs >= mtimeNs &&
      Number(mtimeNs / 1_000_000n) >= began - clockTicksMs
    );
  } catch {
    return false;
  }
}

/** Of the clock that tells how old a process is. */
const clockTicksMs = 20;

/** It is put back once no ref is locked any more, with the base that it had. */
export function noteReturn(repository: Repository): void {
  const base = baseOf(repository, repositoryStage(repository));
  writeLocal(repository.gitDir, returnNote, `${base ?? ''}\n`);
}

export function returnIndex(repository: Repository): void {
  const base = takeLocal(repository.gitDir, returnNote);
  if (base === null) return;
  const own = repositoryStage(repository);
  const from = keptIn(repository, otherThan(slotOf(repository)));
  const isBack = withIndexLock(own.index, () => rewrite(repository, own.index, from, () => true));
  const oid: Oid = base.trim();
  if (isBack === true && oid !== '') noteBase(repository, own, oid);
  if (isBack === true) rememberIndex(repository);
}
