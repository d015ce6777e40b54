/**
 * Changes inside submodules that others hold: what a command of the repository around them would
 * wipe there.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RealWorld } from '../agent/world.ts';
import { areKin } from '../core/ids.ts';
import type { AgentName } from '../core/lease.ts';
import { collide } from '../core/overlap.ts';
import { literal } from '../core/pattern.ts';
import type { GitCommand } from '../git/git-command.ts';
import { gitWithIndex } from '../git/index-file.ts';
import { runGit } from '../git/run-git.ts';
import type { Observation } from '../log/log-store.ts';
import { standingReservations } from '../loop/standing.ts';
import { optionsOf } from './options.ts';

interface ChangedSubmodule {
  readonly path: string;
  readonly agent: AgentName;
}

export function wipedSubmodules(
  world: RealWorld,
  at: Observation,
  { verb, words }: GitCommand,
): readonly ChangedSubmodule[] {
  const { has, free } = optionsOf(verb, words);
  const isForced = has('f', 'force');
  if (verb !== 'submodule' || !(free[0] === 'deinit' || (free[0] === 'update' && isForced)))
    return [];
  const {
    repository,
    settings: { folding },
  } = world;
  const leases = standingReservations(world, at).filter(
    ({ agent }) => !areKin(agent.name, world.caller().name),
  );
  if (leases.length === 0) return [];
  const { stdout } = gitWithIndex(repository, join(repository.gitDir, 'index'), [
    'ls-files',
    '-s',
    '-z',
  ]);
  const paths = [...stdout.toString('utf8').matchAll(/160000 [0-9a-f]+ \d\t([^\0]+)\0/g)].map(
    ([, path = '']) => path,
  );
  return paths
    .filter((path) => isChanged(world, path))
    .flatMap((path) => {
      const holder = leases.find(({ patterns }) =>
        patterns.some(
          (pattern) =>
            collide(pattern, literal(path), folding) ||
            collide(pattern, `${literal(path)}/**`, folding),
        ),
      );
      return holder === undefined ? [] : [{ path, agent: holder.agent }];
    });
}

function isChanged({ repository: { git, top } }: RealWorld, path: string): boolean {
  if (!existsSync(join(top, path, '.git'))) return false;
  return runGit(git, ['-C', join(top, path), 'status', '--porcelain']).stdout.length > 0;
}
