/** The team's file in this work tree, read once by a process. */
import { join } from 'node:path';
import { limits } from '../core/limits.ts';
import { type Team, teamFile, teamFrom } from '../core/team.ts';
import { regularText } from './regular-file.ts';
import type { Repository } from './repository.ts';

const read = new WeakMap<Repository, Team | null>();

/** Null where there is none. */
export function teamOf(repository: Repository): Team | null {
  const known = read.get(repository);
  if (known !== undefined) return known;
  const text = regularText(join(repository.top, teamFile), limits.projectFileBytes);
  const team = text === null ? null : teamFrom(text);
  read.set(repository, team);
  return team;
}

/** Somebody has written it. */
export function forgetTeam(repository: Repository): void {
  read.delete(repository);
}
