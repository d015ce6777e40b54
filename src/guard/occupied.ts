/** Who is in a work tree: processes that work in it, and agents whose session is there. */
import { readdirSync } from 'node:fs';
import { sep } from 'node:path';
import type { RealWorld } from '../agent/world.ts';
import { showAgent } from '../core/agent.ts';
import { areKin } from '../core/ids.ts';
import { elapsedMs } from '../core/instant.ts';
import { limits } from '../core/limits.ts';
import { workTreeFolders } from '../git/head.ts';
import { realOf } from '../git/paths.ts';
import { folderOf, lineage, processOf, wordsOf } from '../git/processes.ts';
import type { Repository } from '../git/repository.ts';
import { seenFrom, type WorkTree, workTreesOf } from '../git/work-trees.ts';
import type { Observation } from '../log/log-store.ts';
import { hasStage, isHere } from '../shim/here.ts';

export interface Occupant {
  readonly kind: 'process' | 'agent' | 'work-tree';
  /** In words, such as `vim (4711)`. */
  readonly name: string;
  /** The caller's own shell, or what runs it. */
  readonly isOwn: boolean;
}

/** By their names, all but the caller's own shell and what runs it. */
export function otherOccupants(occupants: readonly Occupant[]): readonly string[] {
  return occupants.filter(({ isOwn }) => !isOwn).map(({ name }) => name);
}

/** Everybody but the process that asks. */
export function occupantsOf(
  world: RealWorld,
  at: Observation,
  tree: WorkTree,
): readonly Occupant[] {
  return tree.isThere
    ? [...processesIn(tree.path), ...agentsIn(world, at, tree), ...treesIn(world, tree)]
    : [];
}

/** Where there is no /proc nothing is known of any. */
export function processesIn(folder: string): readonly Occupant[] {
  const real = realOf(folder);
  const own = new Set([...lineage()].map(({ pid }) => pid));
  return processIds()
    .filter((pid) => pid !== String(process.pid))
    .flatMap((pid): readonly Occupant[] => {
      const cwd = folderOf(pid);
      if (cwd === null || (cwd !== real && !cwd.startsWith(`${real}${sep}`))) return [];
      const found = processOf(pid);
      if (found === null || found.isOver || isCoord(pid)) return [];
      return [{ kind: 'process', name: `${found.name} (${pid})`, isOwn: own.has(pid) }];
    });
}

/** coord itself is never at home anywhere; what it runs for somebody is a process of its own. */
function isCoord(pid: string): boolean {
  const [node = '', program = ''] = wordsOf(pid);
  return /(^|\/)node[^/]*$/.test(node) && /(^|\/)coord(\.cjs)?$/.test(program);
}

function processIds(): readonly string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** Others that were seen lately and have a session or hold something. */
function agentsIn(world: RealWorld, { state }: Observation, tree: WorkTree): readonly Occupant[] {
  const place = seenFrom(world.repository, tree);
  const now = world.clock.now();
  const { name } = world.caller();
  const holders = new Set([...state.leases.values()].map(({ agent }) => agent.id));
  return [...state.agents.values()]
    .filter(
      (agent) =>
        !areKin(agent.name, name) &&
        (agent.session !== null || holders.has(agent.id)) &&
        worksIn(place, agent.id) &&
        elapsedMs(agent.id, agent.active, now) < limits.silentAgentMs,
    )
    .map((agent) => ({ kind: 'agent', name: showAgent(agent), isOwn: false }));
}

/** Other work trees that would go along. */
function treesIn({ repository }: RealWorld, tree: WorkTree): readonly Occupant[] {
  const top = `${realOf(tree.path)}${sep}`;
  return workTreesOf(repository)
    .filter(({ path, isThere }) => isThere && realOf(path).startsWith(top))
    .map(({ path }) => ({ kind: 'work-tree', name: `the work tree ${path}`, isOwn: false }));
}

/** Its session is here, or nowhere else. */
function worksIn(place: Repository, agentId: string): boolean {
  if (hasStage(place, agentId)) return true;
  return (
    isHere(place, agentId) &&
    workTreeFolders(place).every((gitDir) => !hasStage({ gitDir }, agentId))
  );
}
