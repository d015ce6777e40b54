/**
 * What becomes of git's commands under the guard: several look like the opposite of what they are.
 * Each row is a command in a checkout where two sessions are at work; `bob` holds src/held.
 */
import { test } from 'vitest';
import { branchRows } from './branch-rows.ts';
import { type Git, scene } from './command-scene.ts';
import { commitRows } from './commit-rows.ts';

/** A test for each row, with this git. */
export function commandsUnder(git: Git): void {
  test.for([...commitRows, ...branchRows])('%s', ([, run]) => run(scene(git)));
}
