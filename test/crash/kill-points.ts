/**
 * kill -9 at every system call that changes the repository, of coord and of its git: the state is
 * as before or as after, the next command works by itself, and nothing is left that cannot be
 * mended.
 */
import { describe, expect, test } from 'vitest';
import { aftermath, commands, endsOf, sampled, template } from '../support/aftermath.ts';
import { copyOf, inCopyOf, inTurn } from '../support/copies.ts';
import type { TestRepository } from '../support/repository.ts';
import { type Point, type Program, record, runWithFault } from '../support/strace.ts';
import { seeded } from '../support/world.ts';

const seed = Number(process.env['COORD_SEED'] ?? 20260101);

interface Kill extends Point {
  readonly andCoord: boolean;
}

function told({ program, andCoord, call, nth, line }: Kill, fault: string): string {
  return `${program}${andCoord ? ' and coord' : ''} killed at ${call} ${nth}, ${line}: ${fault}`;
}

/**
 * Every place to kill at. Objects are synced in threads beside the main one, which no recording
 * numbers.
 */
async function killsIn(
  repo: TestRepository,
  args: readonly string[],
  program: Program,
): Promise<readonly Kill[]> {
  const points = await record(copyOf(repo), 'alice', args, program);
  if (program === 'git')
    return points.flatMap((point) => [false, true].map((andCoord) => ({ ...point, andCoord })));
  return [...points, { program, call: 'fsync', nth: 1, line: 'of an object' } as const].map(
    (point) => ({ ...point, andCoord: false }),
  );
}

/** A recording that found fewer has missed the command. */
const least = 5;

/** A test for each command and program, of so many points of each. */
export function sweepKills(pointsEach: number): void {
  const title =
    'P9 at calls of %s that change the repository: state before or after, and all goes on';
  describe.each(Object.entries(commands))(`kill -9 in coord %s, seed ${seed}`, (name, args) => {
    test.for(['coord', 'git'] as const)(title, { timeout: 7_200_000 }, (program) =>
      sweepOne(name, args, program, pointsEach),
    );
  });
}

async function sweepOne(
  name: string,
  args: readonly string[],
  program: Program,
  pointsEach: number,
): Promise<void> {
  const repo = await template();
  const ends = endsOf(repo, args);
  const kills = await killsIn(repo, args, program);
  expect(kills.length).toBeGreaterThan(least);
  const found = await inTurn(sampled(kills, pointsEach, seeded(seed + name.length)), 5, (kill) =>
    inCopyOf(repo, async (copy) => {
      const ran = await runWithFault(copy, 'alice', args, {
        ...kill,
        when: String(kill.nth),
        effect: 'signal=KILL',
      });
      // Whether an object's folder has to be made depends on its id, and where the disk is slow all
      // syncs but the first are in threads: such a call may not come.
      const isCertain =
        kill.call !== 'mkdir' &&
        kill.call !== 'openat' &&
        (kill.call !== 'fsync' || kill.nth === 1);
      const escaped =
        !isCertain || (ran.hit && (program === 'git' || ran.code === -1))
          ? []
          : ['it was not killed'];
      return [
        ...escaped,
        ...(await aftermath({ repo: copy, ...ends }, ran.code === -1 ? null : ran)),
      ].map((fault) => told(kill, fault));
    }),
  );
  expect(found.flat()).toEqual([]);
}
