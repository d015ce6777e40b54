/**
 * The end of work in a work tree: finished, with its branch left to be merged; or abandoned, with
 * all of it kept.
 */
import type { RealWorld } from '../../agent/world.ts';
import { agentNamed } from '../../core/decide/enrol.ts';
import { claimOf } from '../../core/decide/work.ts';
import { forget, type Kept, keepBranch } from '../../draft/quarantine.ts';
import { lost } from '../../git/replay.ts';
import { contentOf } from '../../git/tree-content.ts';
import { deleteBranch } from '../../git/work-tree-moves.ts';
import { seenFrom, type WorkTree, workTreesOf } from '../../git/work-trees.ts';
import { keeperOf } from '../../guard/removal.ts';
import { decisionContext } from '../../loop/operate.ts';
import type { Outcome } from '../../loop/outcome.ts';
import { type Finished, finish, letGo } from '../finish.ts';
import type { Judged } from '../gate.ts';
import type { Tracker } from '../issue.ts';
import { noteOf, type WorkNote, writeNote } from './note.ts';
import { releasePools } from './pools.ts';
import { type Removed, removeTree, whyStays } from './remove.ts';

export type WorkEnded =
  | {
      readonly kind: 'ended';
      readonly tree: WorkTree;
      readonly note: WorkNote | null;
      readonly removed: Removed;
      /** Its branch, where that went too and had commits of its own. */
      readonly branch: Kept | null;
    }
  /** Changes that are in no commit. */
  | { readonly kind: 'uncommitted'; readonly tree: WorkTree; readonly files: number }
  | {
      readonly kind: 'stopped';
      readonly tree: WorkTree;
      readonly removed: Exclude<Removed, { readonly kind: 'removed' }>;
    }
  | { readonly kind: 'unfinished'; readonly outcome: Outcome<Finished> | Judged };

interface FinishWish {
  readonly noChange: boolean;
  readonly reason: string;
}

export async function finishWork(
  world: RealWorld,
  tracker: Tracker,
  tree: WorkTree,
  wish: FinishWish,
): Promise<WorkEnded> {
  const note = noteOf(tree);
  const files = uncommitted(world, tree);
  if (files > 0) return { kind: 'uncommitted', tree, files };
  if (note !== null && note.isOver !== true) {
    // Its commit is looked for where the work was done.
    const there = { ...world, repository: seenFrom(world.repository, tree) };
    const outcome = await finish(there, tracker, { bead: note.bead, commit: undefined, ...wish });
    if (outcome.kind !== 'done') return { kind: 'unfinished', outcome };
    await releasePools(world, note.pools);
    writeNote(tree, { ...note, isOver: true });
  }
  const at = await world.store.observe();
  const removed = removeTree(world, at, tree, 'coord work finish');
  return { kind: 'ended', tree, note, removed, branch: null };
}

function uncommitted({ repository }: RealWorld, tree: WorkTree): number {
  if (!tree.isThere || tree.head.oid === null) return 0;
  const { changed, staged } = contentOf(seenFrom(repository, tree));
  return changed > 0 ? changed : Number(staged !== null);
}

export async function abandonWork(
  world: RealWorld,
  tracker: Tracker,
  tree: WorkTree,
  reason: string,
): Promise<WorkEnded> {
  const { repository } = world;
  const note = noteOf(tree);
  const before = await world.store.observe();
  const stays = whyStays(world, before, tree);
  if (stays !== null) return { kind: 'stopped', tree, removed: stays };
  // First what can be given up again: after the removal nothing says what was held for it.
  if (note !== null) {
    const me = agentNamed(before.state, world.caller().name);
    const claim = claimOf(before.state, note.bead, decisionContext(world, before));
    if (claim !== null && claim.agent.id === me?.id)
      await letGo(world, tracker, { bead: note.bead, reason }, false);
    await releasePools(world, note.pools);
  }
  const at = await world.store.observe();
  const removed = removeTree(world, at, tree, 'coord work abandon');
  if (removed.kind !== 'removed') return { kind: 'stopped', tree, removed };
  const { branch, oid } = tree.head;
  const isCoords = branch?.startsWith('refs/heads/coord/') === true;
  if (branch === null || oid === null || !isCoords || isCheckedOut(world, branch))
    return { kind: 'ended', tree, note, removed, branch: null };
  const isLost = lost(repository, [branch], [oid], []).length > 0;
  const why = 'coord work abandon';
  const kept = isLost
    ? keepBranch(repository, keeperOf(world, at), { branch, head: oid, why })
    : null;
  // One that has moved on meanwhile stays.
  if (!deleteBranch(repository, branch, oid) && kept !== null) forget(repository, [kept]);
  return { kind: 'ended', tree, note, removed, branch: kept };
}

function isCheckedOut({ repository }: RealWorld, branch: string): boolean {
  return workTreesOf(repository).some(({ head }) => head.branch === branch);
}
