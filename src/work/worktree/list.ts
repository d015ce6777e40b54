/** The linked work trees: whose work is in them, how far it is, and whether somebody is there. */
import type { RealWorld } from '../../agent/world.ts';
import { agentNamed } from '../../core/decide/enrol.ts';
import { elapsedMs } from '../../core/instant.ts';
import type { AgentName } from '../../core/lease.ts';
import { limits } from '../../core/limits.ts';
import { type Kept, keptOfGone } from '../../draft/quarantine.ts';
import { sizeOf } from '../../git/kept-files.ts';
import { runGit } from '../../git/run-git.ts';
import { seenFrom, type WorkTree } from '../../git/work-trees.ts';
import { keepDeletedBranches } from '../../guard/deleted-branches.ts';
import { type Occupant, occupantsOf } from '../../guard/occupied.ts';
import { differing } from '../../guard/work-tree.ts';
import type { Observation } from '../../log/log-store.ts';
import { noteOf, type WorkNote } from './note.ts';
import { settledTrees } from './remove.ts';

export interface ListedTree {
  readonly tree: WorkTree;
  readonly note: WorkNote | null;
  /** Whose work it is, as far as coord made it. */
  readonly agent: AgentName | null;
  readonly isAlive: boolean;
  readonly occupants: readonly Occupant[];
  /** Files that differ from HEAD. */
  readonly dirty: number;
  /** Of the branch of the main work tree. */
  readonly ahead: number;
  readonly behind: number;
  /** As far as it was looked at. */
  readonly bytes: number;
}

/** No more of a work tree is measured. */
const mostBytes = 107_374_182_400;

export function listTrees(
  world: RealWorld,
  at: Observation,
): { readonly trees: readonly ListedTree[]; readonly kept: readonly Kept[] } {
  const { repository } = world;
  keepDeletedBranches(world, at);
  const all = settledTrees(repository);
  const main = all.find(({ isMain }) => isMain);
  return {
    trees: all.filter(({ isMain }) => !isMain).map((tree) => listed(world, at, tree, main ?? null)),
    kept: keptOfGone(repository, all),
  };
}

function listed(
  world: RealWorld,
  at: Observation,
  tree: WorkTree,
  main: WorkTree | null,
): ListedTree {
  const { repository } = world;
  const note = noteOf(tree);
  const occupants = occupantsOf(world, at, tree);
  const [behind, ahead] = distance(world, main?.head.oid ?? null, tree.head.oid);
  return {
    tree,
    note,
    agent: note?.agent ?? null,
    isAlive: occupants.length > 0 || (note !== null && isAtWork(world, at, note.agent)),
    occupants,
    dirty: tree.isThere ? differing(seenFrom(repository, tree)).length : 0,
    ahead,
    behind,
    bytes: tree.isThere ? sizeOf(tree.path, '.', mostBytes) : 0,
  };
}

function isAtWork(world: RealWorld, { state }: Observation, { name }: AgentName): boolean {
  const agent = agentNamed(state, name);
  return (
    agent !== null && elapsedMs(agent.id, agent.active, world.clock.now()) < limits.silentAgentMs
  );
}

function distance(
  { repository }: RealWorld,
  from: string | null,
  to: string | null,
): readonly [behind: number, ahead: number] {
  if (from === null || to === null || from === to) return [0, 0];
  const { code, stdout } = runGit(repository.git, [
    `--git-dir=${repository.commonDir}`,
    'rev-list',
    '--left-right',
    '--count',
    `${from}...${to}`,
  ]);
  const [behind = 0, ahead = 0] = stdout.toString('utf8').trim().split(/\s+/).map(Number);
  return code === 0 ? [behind, ahead] : [0, 0];
}
