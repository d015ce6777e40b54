/**
 * An agent hears of a new collision once, at its next moment: as long as it is about the same files
 * of the same two, nobody is told again.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RealWorld } from '../../agent/world.ts';
import { CoordError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { appendLocal, localAge, readLocal, writeLocal } from '../../git/local.ts';
import { refComponent } from '../../log/view.ts';
import { areApart, type Collision, causeOf, collisionsOf } from './collisions.ts';
import { type Side, sidesOf } from './sides.ts';

/** Those that nobody has a policy for. */
export function worthSaying({ files }: Collision): boolean {
  return files.some(({ policy }) => policy === null);
}

/** Of what is done in this work tree; `isNow`: whenever it was last looked at. */
export function freshCollisions(world: RealWorld, isNow: boolean): readonly Collision[] {
  const { repository } = world;
  // Where there is one work tree alone, what others have elsewhere is met when it is pushed.
  if (!existsSync(join(repository.commonDir, 'worktrees'))) return [];
  const seen = `conflicts-seen/${refComponent(world.caller().name)}`;
  const isLate =
    readLocal(repository.gitDir, seen) === null ||
    Math.abs(localAge(repository.gitDir, seen)) >= limits.conflictsEveryMs;
  if (!isNow && !isLate) return [];
  writeLocal(repository.gitDir, seen, '');
  try {
    const sides = sidesOf(world);
    const own = sides.filter((side) => isOwn(world, side));
    const pairs = own.flatMap((one) =>
      sides.flatMap((other) =>
        areApart(one, other) && !own.includes(other) ? [[one, other] as const] : [],
      ),
    );
    return untold(world, collisionsOf(world, pairs).filter(worthSaying));
  } catch (error) {
    // A warning that cannot be given stops nobody.
    if (error instanceof CoordError) return [];
    throw error;
  }
}

/** In the main work tree others work too: only what is known as the caller's is its own there. */
function isOwn(world: RealWorld, { path, agent, isUncommitted }: Side): boolean {
  const { gitDir, commonDir, top } = world.repository;
  if (path !== top) return false;
  return gitDir !== commonDir || !isUncommitted || agent === world.caller().name;
}

function untold(world: RealWorld, all: readonly Collision[]): readonly Collision[] {
  const { commonDir } = world.repository;
  const file = `conflicts-told/${refComponent(world.caller().name)}`;
  const told = new Set((readLocal(commonDir, file) ?? '').split('\n'));
  const fresh = all.filter((one) => !told.has(causeOf(one)));
  if (fresh.length > 0)
    appendLocal(commonDir, file, fresh.map((one) => `${causeOf(one)}\n`).join(''));
  return fresh;
}
