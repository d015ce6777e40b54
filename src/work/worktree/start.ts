/**
 * A unit of work in a work tree of its own: claimed, on a new branch, with a session and all that
 * it needs to run there.
 */
import type { RealWorld } from '../../agent/world.ts';
import { CoordError } from '../../core/errors.ts';
import { parseBead } from '../../core/ids.ts';
import type { AgentName } from '../../core/lease.ts';
import { commitAt } from '../../git/commits.ts';
import { addWorkTree } from '../../git/work-tree-moves.ts';
import { type WorkTree, workTreesOf } from '../../git/work-trees.ts';
import { release } from '../../loop/hold.ts';
import type { Outcome } from '../../loop/outcome.ts';
import type { AcquireRequest } from '../../loop/take.ts';
import { type BeadClaimed, claimBead } from '../claim.ts';
import type { Tracker } from '../issue.ts';
import { noteOf, type WorkNote, writeNote } from './note.ts';
import { branchFor, nextAttempt, pathFor, rootOf } from './place.ts';
import { leasePools, releasePools } from './pools.ts';
import { type Prepared, prepare } from './recipe.ts';
import { openSession, sessionIn, type WorkSession } from './session.ts';

export interface WorkStarted {
  readonly tree: WorkTree;
  readonly note: WorkNote;
  readonly session: WorkSession;
  readonly claimed: BeadClaimed;
  /** Null where it was there already. */
  readonly prepared: Prepared | null;
}

interface StartWish extends AcquireRequest {
  readonly bead: string;
  readonly from: string | undefined;
  readonly isForced: boolean;
  /** The key of the session that asks. */
  readonly key: string | undefined;
}

export async function startWork(
  world: RealWorld,
  tracker: Tracker,
  wish: StartWish,
): Promise<Outcome<WorkStarted>> {
  const { repository } = world;
  const bead = parseBead(wish.bead);
  const from = commitAt(repository, wish.from ?? 'HEAD');
  if (from === null)
    throw new CoordError(
      'usage',
      `'${wish.from ?? 'HEAD'}' is not a commit`,
      'git log --oneline -5',
    );
  const claimed = await claimBead(world, tracker, bead, wish, wish.isForced);
  if (claimed.kind === 'refused') return claimed;
  const agent = holderOf(claimed.result);
  const there = workTreesOf(repository).find((tree) => {
    const note = tree.isThere ? noteOf(tree) : null;
    return note?.bead === bead && note.agent.id === agent.id && note.isOver !== true;
  });
  const note = there === undefined ? null : noteOf(there);
  if (there !== undefined && note !== null) {
    const prepared = note.isBeingMade === true ? await ready(world, there, note) : null;
    return begun(world, wish, claimed.result, there, note, prepared);
  }
  const pools = await givingBack(world, bead, () =>
    leasePools(world, world.settings.workPools, `work on ${bead}`),
  );
  const made = await givingBack(
    world,
    bead,
    () => newTree(world, { bead, agent, base: from, pools }),
    pools,
  );
  const prepared = await ready(world, made.tree, made.note);
  return begun(world, wish, claimed.result, made.tree, made.note, prepared);
}

function holderOf({ leases: [lease] }: BeadClaimed): AgentName {
  if (lease === undefined) throw new CoordError('bug', 'a claim was granted without a lease');
  return lease.agent;
}

/** The session comes last: until then its agent needs no key to go on. */
async function begun(
  world: RealWorld,
  { key }: Pick<StartWish, 'key'>,
  claimed: BeadClaimed,
  tree: WorkTree,
  note: WorkNote,
  prepared: Prepared | null,
): Promise<Outcome<WorkStarted>> {
  const opened = await openSession(world, key);
  if (opened.kind === 'refused') return opened;
  const session = sessionIn(world, tree, opened.result);
  return { ...opened, result: { tree, note, session, claimed, prepared } };
}

/** Whoever is killed before it is ready makes it ready the next time. */
async function ready(
  world: RealWorld,
  tree: WorkTree,
  { isBeingMade: _, ...note }: WorkNote,
): Promise<Prepared> {
  const prepared = await prepare(world, tree, note.pools);
  writeNote(tree, note);
  return prepared;
}

/** What was taken for a work tree that could not be made is free again. */
async function givingBack<T>(
  world: RealWorld,
  bead: string,
  effort: () => Promise<T>,
  pools: Readonly<Record<string, string>> = {},
): Promise<T> {
  try {
    return await effort();
  } catch (error) {
    await releasePools(world, pools);
    await release(world, { by: 'bead', bead });
    throw error;
  }
}

async function newTree(
  world: RealWorld,
  about: Omit<WorkNote, 'attempt'>,
): Promise<{ readonly tree: WorkTree; readonly note: WorkNote }> {
  const { repository, settings } = world;
  const root = rootOf(repository, settings.workRoot);
  const attempt = nextAttempt(repository, root, about.bead);
  const tree = await addWorkTree(repository, {
    path: pathFor(root, about.bead, attempt),
    branch: branchFor(about.bead, attempt),
    from: about.base,
  });
  const note = { ...about, attempt };
  writeNote(tree, { ...note, isBeingMade: true });
  return { tree, note };
}

/** Work that somebody has left is gone on with where it is. */
export async function adoptWork(
  world: RealWorld,
  tracker: Tracker,
  tree: WorkTree,
  wish: Omit<StartWish, 'bead' | 'from'>,
): Promise<Outcome<WorkStarted>> {
  const note = noteOf(tree);
  if (note === null)
    throw new CoordError('usage', `coord has not made '${tree.path}'`, 'coord work list');
  const claimed = await claimBead(
    world,
    tracker,
    note.bead,
    { ...wish, take: true },
    wish.isForced,
  );
  if (claimed.kind === 'refused') return claimed;
  const agent = holderOf(claimed.result);
  const theirs = world.settings.workPools.filter(({ name }) => name in note.pools);
  const isOwn = note.agent.id === agent.id;
  const pools = isOwn ? note.pools : await leasePools(world, theirs, `work on ${note.bead}`);
  const { isOver: _, ...rest } = note;
  const next = { ...rest, agent, pools };
  writeNote(tree, next);
  return begun(world, wish, claimed.result, tree, next, null);
}
