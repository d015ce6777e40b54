/**
 * Which agents are at work in a work tree: each leaves a mark there when it writes to the log from
 * it. A lease covers a path in every work tree, but unsaved changes are those of whoever works
 * there.
 */
import { existsSync } from 'node:fs';
import { localAge, localPath, tidyLocal, wallAge, writeLocal } from '../git/local.ts';
import type { Repository } from '../git/repository.ts';

const folder = 'here';
const dayMs = 86_400_000;

export function noteHere({ gitDir }: Pick<Repository, 'gitDir'>, agentId: string): void {
  const mark = `${folder}/${agentId}`;
  if (existsSync(localPath(gitDir, mark)) && localAge(gitDir, mark) < dayMs) return;
  writeLocal(gitDir, mark, '');
  tidyLocal(gitDir, folder, /^[0-9a-z]{8}$/, wallAge(30 * dayMs));
}

/** It has written to the log from here, or has a private index here. */
export function isHere({ gitDir }: Repository, agentId: string): boolean {
  return [folder, 'stages'].some((place) => existsSync(localPath(gitDir, `${place}/${agentId}`)));
}

/** It has a private index here. */
export function hasStage({ gitDir }: Pick<Repository, 'gitDir'>, agentId: string): boolean {
  return existsSync(localPath(gitDir, `stages/${agentId}`));
}
