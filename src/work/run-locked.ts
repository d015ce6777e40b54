/**
 * A command under a lock: queues for it, renews it while the command lives, passes signals and the
 * exit code on, and frees it however the command ends. If the lock is lost meanwhile, the command
 * is asked to stop, because somebody else may be running by now.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { CoordError } from '../core/errors.ts';
import { exits } from '../core/exits.ts';
import { limits } from '../core/limits.ts';
import { release } from '../loop/hold.ts';
import type { Done, Outcome, Refused } from '../loop/outcome.ts';
import { type AcquireRequest, lock, type Taken } from '../loop/take.ts';
import type { World } from '../loop/world.ts';
import {
  type Apart,
  drainMs,
  type End,
  type EndedBy,
  endCommand,
  endInTime,
  endOf,
  passSignals,
} from './command.ts';
import { type Hold, keepLock } from './keep-lock.ts';
import type { Already, Around, Recorded } from './recorded.ts';
import { RunNote, standingOf } from './running.ts';

export interface LockedRun {
  readonly world: World;
  readonly name: string;
  readonly commonDir: string;
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** stdout is for the report alone, so the command's goes to stderr. */
  readonly json: boolean;
  readonly wish: AcquireRequest;
  readonly keep: boolean;
  /** Without it the command has the terminal of this process, and its signals. */
  readonly apart?: Apart;
  /** For whoever wants to know what was run and what came of it, while the lock is held. */
  readonly around?: Around;
  tell(line: string): void;
  interruption(): AbortSignal;
}

/** A command that was run to its end. */
export interface Ran {
  readonly kind: 'ran';
  readonly lock: string;
  readonly lease: Hold;
  readonly end: End;
  readonly exit: number;
  readonly heldMs: number;
  readonly lost: boolean;
  readonly released: boolean;
  readonly endedBy: EndedBy;
  /** The lock is that of a run around this one where this is null. */
  readonly granted: Done<Taken> | null;
  readonly recorded: Recorded | null;
}

export type RunOutcome =
  | Ran
  | Already
  | Refused
  | { readonly kind: 'not-started'; readonly error: CoordError; readonly exit: number }
  | { readonly kind: 'interrupted'; readonly granted: Done<Taken> | null };

const orphanPollMs = 100;

export async function runLocked(run: LockedRun): Promise<RunOutcome> {
  const signal = run.interruption();
  const outer = await outerLock(run);
  const note = new RunNote(run.commonDir, run.world.caller().name, run.name);
  if (outer === null) note.asking(await freeOwnDead(run, signal));
  const granted = outer === null ? await takeLock(run, signal) : null;
  if (granted?.kind === 'refused') {
    note.drop();
    return granted;
  }
  const hold = outer ?? holdOf(granted);
  if (granted !== null) note.holding(hold.id, [process.pid]);
  try {
    const already = signal.aborted ? null : ((await run.around?.begin()) ?? null);
    const early: RunOutcome | null = signal.aborted ? { kind: 'interrupted', granted } : already;
    if (early === null) return await runUnder(run, hold, granted, note);
    if (granted !== null)
      await free(run, hold.id, signal.aborted ? { exit: exits.interrupted } : {});
    return early;
  } catch (error) {
    if (granted !== null) await free(run, hold.id, {});
    throw error;
  } finally {
    note.drop();
  }
}

function takeLock(run: LockedRun, signal: AbortSignal): Promise<Outcome<Taken>> {
  const ttlMs = run.wish.ttlMs ?? limits.runTtlMs;
  return lock(run.world, run.name, { ...run.wish, ttlMs, anew: true, signal });
}

function holdOf(granted: Done<Taken> | null): Hold {
  const [lease] = granted?.result.leases ?? [];
  if (lease === undefined) throw new CoordError('bug', 'a lock was granted without a lease');
  return lease;
}

async function runUnder(
  run: LockedRun,
  lease: Hold,
  granted: Done<Taken> | null,
  note: RunNote,
): Promise<RunOutcome> {
  const startedMs = run.world.clock.now().uptimeMs;
  const child = startCommand(run, lease.id);
  if (granted !== null && child.pid !== undefined) note.holding(lease.id, [process.pid, child.pid]);
  const ended = endOf(child);
  const { apart } = run;
  const ending =
    apart === undefined ? passSignals(child) : endInTime(child, apart, run.interruption());
  const guard = keepLock(run, lease, () => endCommand(child, apart !== undefined));
  const came = await ended;
  const endedBy = ending.stop();
  const end = endedBy !== null && came.code === 0 ? { ...came, code: exits.tryAgain } : came;
  const lost = await guard.stop();
  const heldMs = run.world.clock.now().uptimeMs - startedMs;
  const recorded = lost && !run.keep ? null : ((await run.around?.finish(end, heldMs)) ?? null);
  const released =
    !lost &&
    granted !== null &&
    (await free(run, lease.id, { exit: end.code, ...recorded?.outcome }));
  if (end.failure !== null) return { kind: 'not-started', error: end.failure, exit: end.code };
  // Its success is not to be trusted if somebody else may have run beside it.
  const exit = lost && !run.keep && end.code === 0 ? exits.tryAgain : (recorded?.exit ?? end.code);
  return {
    kind: 'ran',
    lock: run.name,
    lease,
    end,
    exit,
    heldMs,
    lost,
    released,
    endedBy,
    granted,
    recorded,
  };
}

/**
 * Tells a command which locks it runs under, so that a run within a run does not wait for itself.
 */
const heldVariable = 'COORD_RUN_LOCKS';

/** The lock as it was granted to a run around this one, if it still stands. */
async function outerLock({ world, name, env }: LockedRun): Promise<Hold | null> {
  const id = (env[heldVariable] ?? '')
    .split(' ')
    .find((held) => held.startsWith(`${name}=`))
    ?.slice(name.length + 1);
  const lease = id === undefined ? undefined : (await world.store.observe()).state.leases.get(id);
  return lease ?? null;
}

/**
 * A run of this very agent that was killed left its lock behind: it is given up once nothing of
 * that run lives.
 */
async function freeOwnDead(run: LockedRun, signal: AbortSignal): Promise<number> {
  const { name } = run.world.caller();
  for (;;) {
    const { seq, state } = await run.world.store.observe();
    const left = [...state.leases.values()].find(
      (lease) => lease.kind === 'lock' && lease.name === run.name && lease.agent.name === name,
    );
    const standing = left === undefined ? 'unknown' : standingOf(run.commonDir, run.name, left);
    if (left === undefined || signal.aborted || standing === 'unknown' || standing === 'alive')
      return seq;
    if (standing === 'over') await free(run, left.id, {});
    // Its command goes on, with nobody to free the lock after it.
    else await run.world.clock.sleep(orphanPollMs);
  }
}

/** What became of the command counts, even if its lock cannot be freed now. */
async function free(
  { world }: LockedRun,
  id: string,
  outcome: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  try {
    return (
      (await release(world, { by: 'named', ids: [id], patterns: [] }, { outcome })).kind === 'done'
    );
  } catch {
    return false;
  }
}

function startCommand(run: LockedRun, lease: string): ChildProcess {
  const { cwd, env: surroundings } = run.around?.where() ?? run;
  const env = {
    ...surroundings,
    [heldVariable]: [run.env[heldVariable] ?? '', `${run.name}=${lease}`].join(' ').trim(),
  };
  const { around, apart } = run;
  const isHeard = around !== undefined || apart !== undefined;
  const [out, error] = isHeard
    ? (['pipe', 'pipe'] as const)
    : ([run.json ? 2 : 'inherit', 'inherit'] as const);
  const child = spawn(run.command[0] ?? '', run.command.slice(1), {
    cwd,
    env,
    detached: apart !== undefined,
    stdio: [apart === undefined ? 'inherit' : 'ignore', out, error],
  });
  for (const [from, to] of [
    [child.stdout, run.json ? process.stderr : process.stdout],
    [child.stderr, process.stderr],
  ] as const) {
    from?.on('data', (chunk: Buffer) => {
      around?.heard(chunk);
      apart?.heard(chunk);
    });
    if (apart !== undefined) continue;
    // Nobody may read it any more; the command goes on.
    to.on('error', () => from?.resume());
    from?.pipe(to, { end: false });
  }
  child.on('exit', () => {
    setTimeout(() => {
      child.stdout?.destroy();
      child.stderr?.destroy();
    }, drainMs).unref();
  });
  return child;
}
