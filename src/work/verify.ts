/**
 * A command run for the record: under a lock, on content that is the same before and after, with
 * the outcome in the notes of exactly that content. What has passed on it already is not run again.
 */

import { appendFileSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { RealWorld } from '../agent/world.ts';
import { nameOf } from '../core/agent.ts';
import { agentNamed } from '../core/decide/enrol.ts';
import { CoordError } from '../core/errors.ts';
import { type Evidence, evidenceIn, isSameRun, withEvidence } from '../core/evidence.ts';
import { exits } from '../core/exits.ts';
import { unregistered } from '../core/hash.ts';
import type { Oid } from '../core/ids.ts';
import { beginningOf } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import { commitAt } from '../git/commits.ts';
import { treeOf } from '../git/files-at.ts';
import { localPath } from '../git/local.ts';
import { readNote, writeNotes } from '../git/notes.ts';
import type { Observation } from '../log/log-store.ts';
import type { Already, Around } from './recorded.ts';
import { type LockedRun, type RunOutcome, runLocked } from './run-locked.ts';
import { commitPlace, folderOf, ownPlace, type VerifyPlace, workTree } from './verify-place.ts';

export interface Verification extends Omit<LockedRun, 'world' | 'around'> {
  readonly world: RealWorld;
  readonly force: boolean;
  /** A commit to take out into a folder of its own, instead of the work tree. */
  readonly at: string | undefined;
  /** HEAD and the caller's own changes, in a folder of their own. */
  readonly own: boolean;
  readonly links: readonly string[];
}

type Running = Verification & { readonly place: VerifyPlace };

/** What of the log a piece of evidence rests on. */
interface Footing {
  readonly seq: number;
  readonly bead: string | null;
  /** Evidence from before the claim is nothing to it. */
  readonly since: number;
}

function footing(world: RealWorld, { seq, state }: Observation): Footing {
  const { name } = world.caller();
  const claims = [...state.leases.values()].flatMap((lease) =>
    lease.kind === 'claim' && lease.agent.name === name ? lease : [],
  );
  return {
    seq,
    bead: claims.length === 1 ? (claims[0]?.bead ?? null) : null,
    since: Math.max(0, ...claims.map((claim) => beginningOf(claim).token)),
  };
}

/** The last run of this very command on this very content, if it passed after the claim. */
function passedBefore(run: Running, tree: Oid, { since }: Footing): Evidence | null {
  const here = { command: run.command, folder: folderOf(run) };
  const last = evidenceIn(readNote(run.world.repository, tree))
    .filter(
      (evidence) => evidence.tree === tree && evidence.seq >= since && isSameRun(evidence, here),
    )
    .at(-1);
  return last?.exit === 0 ? last : null;
}

export async function verify(wish: Verification): Promise<RunOutcome> {
  const { world } = wish;
  const run = { ...wish, place: placeOf(wish) };
  const { tree } = await run.place.look();
  const known = run.force
    ? null
    : passedBefore(run, tree, footing(world, await world.store.observe()));
  if (known !== null) return already(run, known);
  try {
    return await runLocked({ ...run, around: recorder(run) });
  } finally {
    run.place.leave();
  }
}

function placeOf(wish: Verification): VerifyPlace {
  const { world, at, own } = wish;
  if (own && at !== undefined)
    throw new CoordError('usage', '--own and --at are two different things to verify', 'say one');
  if (own) return ownPlace(wish);
  if (at === undefined) return workTree(wish);
  const oid = commitAt(world.repository, at);
  if (oid === null) throw new CoordError('usage', `'${at}' is not a commit`);
  return commitPlace(wish, oid);
}

function already({ world }: Running, evidence: Evidence): Already {
  return { kind: 'already', evidence, agoMs: world.clock.now().at - evidence.at };
}

function recorder(run: Running): Around {
  const { world, place } = run;
  const log = new RunLog(world, world.random.id());
  let before = '';
  let ground: Footing = { seq: 0, bead: null, since: 0 };
  let head: Oid | null = null;
  return {
    heard: (chunk) => log.add(chunk),
    where: () => place.where(),
    begin: async () => {
      const tested = await place.look();
      before = tested.tree;
      head = tested.head.oid;
      ground = footing(world, await world.store.observe());
      // Whoever had the lock before may have run it on the same content.
      const known = run.force ? null : passedBefore(run, before, ground);
      if (known !== null) return already(run, known);
      await place.open();
      return null;
    },
    finish: async (end, durationMs) => {
      const folder = place.facts();
      if (end.failure !== null) return { kind: 'nothing', exit: end.code, outcome: {}, folder };
      const outcome = { command: run.command.join(' ').slice(0, 200), tree: before };
      if (!place.isUnchanged()) {
        const exit = end.code === 0 ? exits.tryAgain : end.code;
        return { kind: 'changed', tree: before, log: log.name, outcome, exit, folder };
      }
      const evidence: Evidence = {
        command: run.command,
        folder: folderOf(run),
        exit: end.code,
        durationMs: Math.round(durationMs),
        tree: before,
        base: head,
        seq: ground.seq,
        at: world.clock.now().at,
        agent: await actor(world),
        bead: ground.bead,
        log: log.name,
      };
      await record(world, evidence, head);
      const since = await place.since();
      return { kind: 'recorded', evidence, since, exit: end.code, outcome, folder };
    },
  };
}

async function actor(world: RealWorld): Promise<Evidence['agent']> {
  const { name } = world.caller();
  const known = agentNamed((await world.store.observe()).state, name);
  return known === null ? unregistered(name) : nameOf(known);
}

/** On the content, and on the commit that has exactly it. */
async function record(world: RealWorld, evidence: Evidence, head: Oid | null): Promise<void> {
  const { repository } = world;
  const objects = [
    evidence.tree,
    ...(head !== null && treeOf(repository, head) === evidence.tree ? [head] : []),
  ];
  const { agent } = evidence;
  await writeNotes(repository, {
    objects,
    edit: (note) => withEvidence(note, evidence),
    subject: `${agent.name} verified ${evidence.command.join(' ').slice(0, 60)}`,
    by: { name: agent.name, email: `${agent.id}@coord.invalid`, at: evidence.at },
    pause: () => world.clock.sleep(10 + world.random.fraction() * 40),
  });
}

/** The output of one run, as far as anybody would read it; of old runs the latest stay. */
class RunLog {
  readonly file: string;
  /** Below the git directory, so that a note tells nothing of this machine. */
  readonly name: string;
  #left: number = limits.runLogBytes;

  constructor(world: RealWorld, id: string) {
    const folder = localPath(world.repository.commonDir, 'runs');
    this.name = `coord/runs/${id}.log`;
    this.file = join(folder, `${id}.log`);
    mkdirSync(folder, { recursive: true });
    const old = readdirSync(folder)
      .map((name) => join(folder, name))
      .map((file) => ({ file, at: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
      .sort((a, b) => b.at - a.at);
    for (const { file } of old.slice(limits.runLogsKept - 1)) rmSync(file, { force: true });
  }

  add(chunk: Buffer): void {
    if (this.#left <= 0) return;
    try {
      appendFileSync(this.file, chunk.subarray(0, this.#left));
      this.#left -= chunk.length;
    } catch {
      // What was run counts, not what was kept of its words.
      this.#left = 0;
    }
  }
}
