/**
 * Is a commit finished work? Its bead, the claim on it, and a passing run of every required command
 * on this very content since that claim. All that is missing is listed; nothing is taken for
 * granted.
 */

import type { RealWorld } from '../agent/world.ts';
import { agentNamed } from '../core/decide/enrol.ts';
import { claimOf, decideGated } from '../core/decide/work.ts';
import { CoordError } from '../core/errors.ts';
import { type Evidence, evidenceIn, isSameRun } from '../core/evidence.ts';
import { harmless, shorten } from '../core/harmless.ts';
import { areKin, type Oid } from '../core/ids.ts';
import { beginningOf } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import type { Asked } from '../core/next.ts';
import { shellLine } from '../core/shell-line.ts';
import { type BeadsOfCommit, beadsOf } from '../git/bead-commits.ts';
import { commitAt, isAncestor } from '../git/commits.ts';
import { treeOf } from '../git/files-at.ts';
import { readNote } from '../git/notes.ts';
import { testedTree } from '../git/tested-tree.ts';
import type { Observation } from '../log/log-store.ts';
import { decisionContext, operate } from '../loop/operate.ts';
import { askedBy } from '../loop/outcome.ts';
import { atTop, type Command, requiredAt } from './required.ts';

interface Missing {
  readonly what: 'bead' | 'claim' | 'base' | 'held' | 'evidence' | 'clean' | 'rerun';
  readonly why: string;
  /** The required command that it is about. */
  readonly command?: Command;
}

interface Verdict {
  readonly commit: Oid;
  readonly bead: string | null;
  readonly required: readonly Command[];
  readonly missing: readonly Missing[];
  /** What was found of the required commands. */
  readonly evidence: readonly Evidence[];
}

interface Claimed {
  readonly token: number;
  readonly base: Oid | null;
  readonly acquiredAt: number;
  /** Null while it is held. */
  readonly endedAt: number | null;
  readonly agents: readonly string[];
}

/** Who had it when; the claim that stands, else the last one that ended in done or failed. */
function claimed(world: RealWorld, at: Observation, bead: string): Claimed | null {
  const lease = claimOf(at.state, bead, decisionContext(world, at));
  if (lease === null) return at.state.beads.records.get(bead)?.claim ?? null;
  const { token, at: acquiredAt, agents } = beginningOf(lease);
  return { token, base: lease.base ?? null, acquiredAt, endedAt: null, agents };
}

/** The beads that its trailers name, or else the words of the message that coord knows as one. */
export function beadsNamed({ beads, message }: BeadsOfCommit, at: Observation): readonly string[] {
  if (beads.length > 0) return beads;
  const known = new Set([
    ...at.state.beads.records.keys(),
    ...[...at.state.leases.values()].flatMap((lease) => (lease.kind === 'claim' ? lease.bead : [])),
  ]);
  return message
    .split(/[\s,;()[\]]+/)
    .map((word) => word.replace(/[.:!?]+$/, ''))
    .filter((word) => known.has(word));
}

function missingOfClaim(
  world: RealWorld,
  claim: Claimed,
  commit: BeadsOfCommit,
  bead: string,
): readonly Missing[] {
  const missing: Missing[] = [];
  const { base, acquiredAt, endedAt, agents } = claim;
  if (base !== null && (base === commit.oid || !isAncestor(world.repository, base, commit.oid)))
    missing.push({
      what: 'base',
      why: `it does not come after ${base.slice(0, 12)}, where the claim of ${bead} began`,
    });
  // Commits tell whole seconds.
  const isHeld =
    commit.committedAt >= Math.floor(acquiredAt / 1_000) * 1_000 &&
    (endedAt === null || commit.committedAt <= endedAt);
  if (!isHeld) missing.push({ what: 'held', why: `${bead} was not claimed when it was committed` });
  const isTheirs = commit.agents.some((signed) =>
    agents.some((name) => areKin(signed.replace(/ \([0-9a-z]{8}\)$/, ''), name)),
  );
  if (commit.agents.length > 0 && !isTheirs)
    missing.push({
      what: 'held',
      why: `it was committed by ${harmless(commit.agents.join(', '))}, and ${bead} was claimed by ${agents.join(', ')}`,
    });
  return missing;
}

function missingEvidence(
  command: Command,
  found: readonly Evidence[],
  tree: Oid,
  since: number,
  until: number,
): Missing | null {
  const runs = found.filter(
    (evidence) => isSameRun(evidence, atTop(command)) && evidence.tree === tree,
  );
  const last = runs
    .filter(({ seq }) => seq >= since && seq <= until)
    .toSorted((a, b) => a.seq - b.seq || a.at - b.at)
    .at(-1);
  if (last?.exit === 0) return null;
  const why =
    last !== undefined
      ? `it failed with exit ${last.exit} there`
      : runs.length > 0
        ? 'it was run before the bead was claimed, not since'
        : 'it was never run on this content';
  return { what: 'evidence', command, why };
}

/** As the work on one bead, where a commit names several. */
export function judge(world: RealWorld, at: Observation, name: string, wanted?: string): Verdict {
  const { repository } = world;
  const oid = commitAt(repository, name);
  if (oid === null) throw new CoordError('usage', `'${name}' is not a commit`);
  const [commit] = beadsOf(repository, [oid], 1);
  if (commit === undefined) throw new CoordError('usage', `'${name}' is not a commit`);
  const named = beadsNamed(commit, at);
  const bead = named.find((one) => one === wanted) ?? named[0] ?? null;
  const claim = bead === null ? null : claimed(world, at, bead);
  const required = requiredAt(world, [
    oid,
    ...(claim?.base == null || fileAtExists(world, claim.base) === null ? [] : [claim.base]),
  ]);
  const tree = treeOf(repository, oid);
  const found = [
    ...evidenceIn(readNote(repository, tree)),
    ...evidenceIn(readNote(repository, oid)),
  ];
  const missing: readonly Missing[] = [
    ...(bead === null
      ? [{ what: 'bead', why: 'its message names no bead: a trailer Bead: <id>' } as const]
      : []),
    ...(bead !== null && claim === null
      ? [{ what: 'claim', why: `nobody has claimed ${bead}` } as const]
      : []),
    ...(bead === null || claim === null ? [] : missingOfClaim(world, claim, commit, bead)),
    ...required.flatMap(
      (command) => missingEvidence(command, found, tree, claim?.token ?? 0, at.seq) ?? [],
    ),
  ];
  return {
    commit: oid,
    bead,
    required,
    missing,
    evidence: found.filter(
      (evidence) =>
        evidence.tree === tree && required.some((command) => isSameRun(evidence, atTop(command))),
    ),
  };
}

/** A base that was rewritten away asks for nothing. */
function fileAtExists(world: RealWorld, commit: Oid): Oid | null {
  return commitAt(world.repository, commit);
}

interface GateWish {
  readonly commit: string;
  /** Runs again what was run as evidence, by its words; its exit code. */
  readonly rerun: ((command: Command) => Promise<number>) | null;
}

export interface Judged {
  readonly kind: 'judged';
  readonly verdict: Verdict;
  /** What it missed is marked on the bead. */
  readonly recorded: boolean;
  /** The bead that the commit should name, where that can be told. */
  readonly meant: string | null;
  readonly asked: Asked;
}

export async function gate(world: RealWorld, wish: GateWish): Promise<Judged> {
  const at = await world.store.observe();
  const judged = judge(world, at, wish.commit);
  const strict = wish.rerun === null ? [] : await strictly(world, judged, wish.rerun);
  const verdict: Verdict = { ...judged, missing: [...judged.missing, ...strict] };
  const recorded = await record(world, at, verdict);
  const me = agentNamed(at.state, world.caller().name);
  const claims = [...at.state.leases.values()].flatMap((lease) =>
    lease.kind === 'claim' && lease.agent.id === me?.id ? lease.bead : [],
  );
  const meant = claims.length === 1 ? (claims[0] ?? null) : null;
  return { kind: 'judged', verdict, recorded, meant, asked: askedBy(world, []) };
}

/**
 * Nothing but the commit in the work tree, and all of it once more. What a repository's files say
 * is never run: only what somebody here has run as evidence, word for word.
 */
async function strictly(
  world: RealWorld,
  { commit, required, evidence }: Verdict,
  rerun: NonNullable<GateWish['rerun']>,
): Promise<readonly Missing[]> {
  if (!holds(world, treeOf(world.repository, commit)))
    return [{ what: 'clean', why: 'the work tree holds something else than this commit' }];
  const missing: Missing[] = [];
  for (const command of required) {
    const before = evidence.findLast((one) => isSameRun(one, atTop(command)));
    const exit = before === undefined ? 0 : await rerun(before.command);
    if (exit !== 0)
      missing.push({ what: 'rerun', command, why: `run again it failed with exit ${exit}` });
  }
  return missing;
}

function holds(world: RealWorld, tree: Oid): boolean {
  try {
    return testedTree(world.repository) === tree;
  } catch (error) {
    if (error instanceof CoordError && error.code === 'not_testable') return false;
    throw error;
  }
}

/** What it missed is marked on the bead; where nothing changes nothing is written. */
async function record(
  world: RealWorld,
  at: Observation,
  { bead, commit, missing }: Verdict,
): Promise<boolean> {
  const marked = bead === null ? [] : (at.state.beads.records.get(bead)?.followUp ?? []);
  const words = missing
    .slice(0, limits.toldAlong)
    .map((one) => shorten(missingWords(one), limits.toldAlongChars));
  if (missing.length === 0 && marked.length === 0) return true;
  if (agentNamed(at.state, world.caller().name) === null && at.tip === null) return false;
  try {
    const outcome = await operate(world, (state, c) =>
      decideGated(world.caller(), { bead, commit, missing: words }, state, c),
    );
    return outcome.kind === 'done' && outcome.result.recorded;
  } catch (error) {
    // Whoever may only read has its answer all the same.
    if (error instanceof CoordError) return false;
    throw error;
  }
}

export function missingWords({ what, why, command }: Missing): string {
  return command === undefined ? `${what}: ${why}` : `${what} of ${shellLine(...command)}: ${why}`;
}
