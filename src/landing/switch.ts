/**
 * Which log is the truth, changed by one compare-and-swap of this repository's own: before it the
 * one here, after it the one on the remote. What is held goes along first, so that at no time
 * anybody could be granted what another holds; if it cannot all go along, nothing has changed.
 */

import type { RealWorld } from '../agent/world.ts';
import {
  areSame,
  type Carried,
  decideCarry,
  decideGone,
  decideLeave,
  decideReturn,
  standingOf,
} from '../core/decide/carry.ts';
import { type DecisionContext, isActive } from '../core/decide/decision.ts';
import { CoordError } from '../core/errors.ts';
import { type AgentName, inConflict, type Lease } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import type { RemoteLocation } from '../core/record.ts';
import type { State } from '../core/state.ts';
import { setConfig } from '../git/config.ts';
import { localPath } from '../git/local.ts';
import { queueFolder, takeTurn } from '../log/queue.ts';
import { logRef } from '../log/view.ts';
import { actorOf, decisionContext, operate } from '../loop/operate.ts';
import type { Outcome } from '../loop/operation.ts';
import { type Refused, refusedWith } from '../loop/outcome.ts';
import { noteOurs, oursAmong } from '../remote/clone-agents.ts';
import { dropCopy } from '../remote/copy-repository.ts';
import { apart } from '../remote/log-beside.ts';
import type { RemoteLogStore } from '../remote/remote-log-store.ts';
import { dropRemoteView, publishRemoteView } from '../remote/view.ts';

/** Which log is the truth now, and what came along. */
export type SwitchOutcome =
  | {
      readonly kind: 'set';
      readonly to: RemoteLocation;
      readonly carried: readonly Lease[];
      /** Given up here, because it is held there. */
      readonly given: readonly Lease[];
      /** False where it was so already. */
      readonly isNew: boolean;
    }
  | {
      readonly kind: 'off';
      /** Where it was; null where it was here already. */
      readonly was: RemoteLocation | null;
      readonly carried: readonly Lease[];
      /** The remote knows that they are not held there any more. */
      readonly isTold: boolean;
    }
  | Refused;

/** One process of this clone at a time: what is known of a remote is thrown away and begun here. */
async function alone(world: RealWorld, work: () => Promise<SwitchOutcome>): Promise<SwitchOutcome> {
  const turn = await takeTurn(
    queueFolder(localPath(world.repository.commonDir, 'switch')),
    limits.pushStuckAfterMs,
  );
  try {
    return await work();
  } finally {
    turn?.leave();
  }
}

/** The log of `to` becomes the truth. With `isMove` what is held here goes along. */
export function switchTo(
  world: RealWorld,
  to: RemoteLocation,
  isMove: boolean,
  yields = false,
): Promise<SwitchOutcome> {
  return alone(world, () => goTo(world, to, isMove, yields));
}

async function goTo(
  world: RealWorld,
  to: RemoteLocation,
  isMove: boolean,
  yields: boolean,
): Promise<SwitchOutcome> {
  const before = await world.local.observe();
  const { moved } = before.state.meta;
  if (moved?.remote === to.remote && moved.ref === to.ref)
    return { kind: 'set', to, carried: [], given: [], isNew: false };
  if (moved !== undefined)
    throw new CoordError(
      'usage',
      `the log is on remote '${moved.remote}' at ${moved.ref}`,
      'coord remote off, first',
    );
  // What was known of an earlier one says nothing of this.
  dropCopy(world.repository);
  const remoteLog = world.connectRemote(to);
  await remoteLog.observe();
  for (let attempt = 0; attempt < limits.swapAttempts; attempt += 1) {
    const here = await world.local.observe();
    const leases = standingOf(here.state, decisionContext(world, here));
    if (leases.length > 0 && !isMove) return refusedToMove(world, here, leases, setAgain(to));
    const by = actorOf(world, here);
    const there = yields ? await remoteLog.observe() : null;
    // What others hold over there is not taken along.
    const kept =
      there === null
        ? leases
        : leases.filter((lease) => !isHeldThere(lease, there.state, decisionContext(world, there)));
    const carried = await carry(world, remoteLog, here, kept, to, by);
    if (carried.kind === 'refused')
      return refusedWith(world, carried.at, carried.refusal, {
        again: [...setAgain(to), '--move', '--yield'],
        self: [],
      });
    const left = await operate<Carried>({ ...world, store: world.local }, (state, c) =>
      decideLeave(leases, to, by, state, c),
    );
    if (left.kind === 'refused') continue;
    const { domain, uptimeMs } = world.clock.now();
    for (const agent of new Set(kept.map((lease) => lease.agent.id)))
      noteOurs(world.repository.commonDir, agent, { domain, uptimeMs });
    setConfig(world.repository, { 'coord.remote': to.remote });
    const shown = await remoteLog.observe();
    await publishRemoteView(world.repository, to.remote, () => shown);
    const given = leases.filter((lease) => !kept.includes(lease));
    return { kind: 'set', to, carried: kept, given, isNew: true };
  }
  throw new CoordError(
    'busy',
    'the log here moved on and on while it was carried over',
    'try again',
  );
}

/** One operation there; then a look there whether it holds the very same. */
async function carry(
  world: RealWorld,
  remoteLog: RemoteLogStore,
  here: Awaited<ReturnType<RealWorld['local']['observe']>>,
  leases: readonly Lease[],
  to: RemoteLocation,
  by: AgentName,
): Promise<Outcome<Carried>> {
  const remoteWorld = { ...world, store: remoteLog };
  const outcome = await operate<Carried>(
    remoteWorld,
    (state, c) =>
      decideCarry({ from: here.state, leases, to, by, isFirst: !remoteLog.isBegun() }, state, c),
    { afterSeq: here.seq },
  );
  if (outcome.kind === 'refused') return outcome;
  const at = await remoteLog.observe();
  const there = standingOf(at.state, decisionContext(world, at)).filter(({ id }) =>
    leases.some((lease) => lease.id === id),
  );
  if (areSame(there, leases)) return outcome;
  throw new CoordError(
    'arbiter_refused',
    `what is held here did not all arrive on remote '${to.remote}'; the log here is still the truth`,
    'coord remote probe',
  );
}

/** The log here is the truth again. */
export function switchOff(
  world: RealWorld,
  isMove: boolean,
  isForced: boolean,
): Promise<SwitchOutcome> {
  return alone(world, () => goBack(world, isMove, isForced));
}

async function goBack(
  world: RealWorld,
  isMove: boolean,
  isForced: boolean,
): Promise<SwitchOutcome> {
  const here = await world.local.observe();
  const { moved } = here.state.meta;
  if (moved === undefined) {
    setConfig(world.repository, { 'coord.remote': apart });
    return { kind: 'off', was: null, carried: [], isTold: true };
  }
  const remoteLog = world.connectRemote(moved);
  const there = isForced ? await remoteLog.copied() : await remoteLog.observe();
  const leases = standingOf(
    there.state,
    decisionContext(world, there),
    new Set(oursAmong(world.repository.commonDir).keys()),
  );
  if (leases.length > 0 && !isMove) return refusedToMove(world, there, leases, ['remote', 'off']);
  const by = actorOf(world, there);
  const back = await operate<Carried>(
    { ...world, store: world.local },
    (state, c) => decideReturn(there.state, leases, by, state, c),
    { afterSeq: there.seq },
  );
  if (back.kind === 'refused')
    return refusedWith(world, back.at, back.refusal, { again: ['remote', 'off'], self: [] });
  // Whoever leaves a log on purpose is not sent back to it.
  setConfig(world.repository, { 'coord.remote': apart });
  const isTold = leases.length === 0 || (await givenBack(world, remoteLog, leases, by));
  dropRemoteView(world.repository, moved.remote);
  dropCopy(world.repository);
  return { kind: 'off', was: moved, carried: leases, isTold };
}

async function givenBack(
  world: RealWorld,
  remoteLog: RemoteLogStore,
  leases: readonly Lease[],
  by: AgentName,
): Promise<boolean> {
  try {
    await operate<Carried>({ ...world, store: remoteLog }, (state) =>
      decideGone(leases, by, state),
    );
    return true;
  } catch (error) {
    if (error instanceof CoordError) return false;
    throw error;
  }
}

/** The same again, as words of a command. */
function setAgain({ remote, ref }: RemoteLocation): readonly string[] {
  return ['remote', 'set', remote, ...(ref === logRef ? [] : ['--ref', ref])];
}

function refusedToMove(
  world: RealWorld,
  at: Awaited<ReturnType<RealWorld['local']['observe']>>,
  leases: readonly Lease[],
  retry: readonly string[],
): Refused {
  return refusedWith(world, at, { kind: 'live_leases', leases }, { again: retry, self: [] });
}

function isHeldThere(lease: Lease, { leases }: State, c: DecisionContext): boolean {
  return [...leases.values()].some(
    (other) => isActive(other, c) && inConflict(lease, other, c.folding),
  );
}
