/**
 * Judges a swarm as it goes: the log after each step, each answer against the log, each expiry
 * against the true time. It reads the state as it is stored and shares no code with what decides.
 */

import { clash, LogChecker, type Stand } from '../core/check-log.ts';
import { CoordError } from '../core/errors.ts';
import type { Stamp } from '../core/instant.ts';
import type { Lease, Wait } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import { unauthorizedChanges } from '../core/rights.ts';
import { decodeState, emptyState, type State } from '../core/state.ts';
import type { MemoryLog } from '../log/memory-log-store.ts';
import type { World } from '../loop/world.ts';
import { taking } from './deeds.ts';
import type { Machine } from './machine.ts';
import { type DeedOutcome, wordOf } from './scene.ts';
import { standsOf } from './stands.ts';
import type { SwarmDeed } from './swarm-deeds.ts';
import { untruths } from './verdict.ts';

/** Uptimes are kept in whole milliseconds. */
const roundingMs = 3;

export class SwarmJudge {
  readonly problems: string[] = [];
  readonly decisions: string[] = [];
  readonly #log: MemoryLog;
  readonly #machines: readonly Machine[];
  readonly #ownGraces: boolean;
  readonly #checker = new LogChecker();
  readonly #stands: Stand[] = [];
  readonly #decidedMs = new Map<string, number>();
  #longestMs: number = limits.claimTtlMs;

  constructor(log: MemoryLog, machines: readonly Machine[], ownGraces: boolean) {
    this.#log = log;
    this.#ownGraces = ownGraces;
    this.#machines = machines;
  }

  /** The operation under this nonce was decided when the true time was this. */
  decidedAt(nonce: string, trueMs: number): void {
    this.#decidedMs.set(nonce, trueMs);
  }

  state(): State {
    return this.#stands.at(-1)?.state ?? emptyState(0);
  }

  longestMs(): number {
    return this.#longestMs + limits.graceMaxMs;
  }

  /** At what the log has grown by. */
  look(): void {
    for (const stand of standsOf(this.#log, this.#stands.length)) {
      this.problems.push(
        ...this.#checker.add(stand),
        ...unauthorizedChanges(stand.entry, this.#stands.at(-1)?.state ?? null, stand.state),
        ...this.#checkTimes(stand),
      );
      this.#stands.push(stand);
      for (const { ttlMs } of stand.state.leases.values())
        this.#longestMs = Math.max(this.#longestMs, ttlMs);
    }
  }

  #checkTimes({ entry, state }: Stand): readonly string[] {
    const decidedMs = this.#decidedMs.get(entry.nonce) ?? Number.NaN;
    const before = this.state();
    const acquired = [...state.leases.values()].filter(({ id }) => !before.leases.has(id));
    return [
      ...entry.events
        .filter(({ event }) => event === 'expired')
        .flatMap(({ lease }) => this.#early(before.leases.get(lease ?? ''), decidedMs)),
      ...entry.events
        .filter(({ event, why }) => event === 'wait-ended' && why === 'abandoned')
        .flatMap(({ lease }) => this.#stillWaits(before.waits.get(lease ?? ''), decidedMs)),
      ...[...state.leases.values()].flatMap((lease) =>
        this.#late(before.leases.get(lease.id), lease, decidedMs),
      ),
      ...acquired.flatMap((lease) => this.#passedOver(before, state, lease, decidedMs)),
    ].map((problem) => `at ${entry.seq}: ${problem}`);
  }

  /** By the clock of the machine that made the stamp, whichever that was. */
  #elapsedMs(stamp: Stamp, trueMs: number): number {
    return (
      this.#machines.flatMap((machine) => machine.ownElapsedMs(stamp, trueMs) ?? [])[0] ??
      Number.NaN
    );
  }

  /** A TTL is a lower bound, by the clock of the holder's own machine. */
  #early(lease: Lease | undefined, decidedMs: number): readonly string[] {
    if (lease === undefined) return ['a lease expired that was not there'];
    const wholeMs = lease.ttlMs + (lease.protection?.graceMs ?? limits.graceMs);
    const elapsedMs = this.#elapsedMs(lease.renewed, decidedMs);
    return elapsedMs + roundingMs >= wholeMs
      ? []
      : [`lease ${lease.id} of ${lease.agent.name} was taken after ${elapsedMs} of ${wholeMs} ms`];
  }

  #stillWaits(wait: Wait | undefined, decidedMs: number): readonly string[] {
    if (wait === undefined) return ['a wait was abandoned that was not there'];
    const elapsedMs = this.#elapsedMs(wait.renewed, decidedMs);
    return elapsedMs + roundingMs >= limits.waitTtlMs
      ? []
      : [
          `wait ${wait.id} of ${wait.agent.name} was cleared away after ${elapsedMs} of ${limits.waitTtlMs} ms`,
        ];
  }

  /** What has run out is not renewed, by whoever can tell: the same boot of the same machine. */
  #late(before: Lease | undefined, now: Lease, decidedMs: number): readonly string[] {
    if (
      before === undefined ||
      before.renewed.uptimeMs === now.renewed.uptimeMs ||
      before.renewed.domain !== now.renewed.domain
    )
      return [];
    // Whoever renews may have a longer one, and it is the longer one that counts.
    const wholeMs = before.ttlMs + (this.#ownGraces ? limits.graceMaxMs : limits.graceMs);
    const elapsedMs = this.#elapsedMs(before.renewed, decidedMs);
    return elapsedMs - roundingMs <= wholeMs
      ? []
      : [`lease ${now.id} of ${now.agent.name} was renewed after ${elapsedMs} of ${wholeMs} ms`];
  }

  /** Nobody takes what somebody else asked for earlier and still waits for, on the same machine. */
  #passedOver(before: State, after: State, lease: Lease, decidedMs: number): readonly string[] {
    const own = [...before.waits.values()].find(
      ({ id, agent }) => agent.id === lease.agent.id && !after.waits.has(id),
    );
    const first = [...before.waits.values()].filter(
      (wait) =>
        wait.since < (own?.since ?? Infinity) &&
        wait.renewed.domain === lease.renewed.domain &&
        this.#elapsedMs(wait.renewed, decidedMs) + roundingMs < limits.waitTtlMs &&
        clash(wait, lease),
    );
    return first.map(
      (wait) =>
        `${lease.agent.name} got lease ${lease.id}, for which ${wait.agent.name} had waited since ${wait.since}`,
    );
  }

  async perform(
    agent: string,
    deed: SwarmDeed,
    world: World,
    nonces: ReadonlySet<string>,
  ): Promise<void> {
    const { told, word, error } = await answer(deed, world);
    this.look();
    this.decisions.push(`${agent}: ${deed.words} -> ${word} ${grantedBy(told)}`);
    if (told?.kind === 'acquired')
      this.problems.push(
        ...untruths(
          { agent, workTree: world.workTree?.(), ...told.request, again: deed.name === 'retry' },
          told.outcome,
          this.#stands,
        ),
      );
    const effects = this.#log.entries.filter(({ logged }) => nonces.has(logged.nonce)).length;
    const most = mostEffects(deed, told, word);
    if (most !== null && (effects > most || (told !== null && effects < most))) {
      this.problems.push(`${agent}: ${deed.words} -> ${word}, and it took effect ${effects} times`);
    }
    if (error !== null && !isExpected(error))
      this.problems.push(`${agent}: ${deed.words} -> ${word}: ${error.message}`);
  }

  /**
   * What is wrong if this agent, which holds nothing, cannot take everything once enough time has
   * passed.
   */
  async takesAll(world: World, wait: () => void): Promise<readonly string[]> {
    const { act } = taking({ kind: 'reservation', patterns: ['**'] });
    await act(world);
    wait();
    const told = await act(world);
    const last = this.#log.entries.at(-1);
    const left =
      last === undefined
        ? []
        : [...decodeState(last.files, last.logged.oid).leases.values()].map(({ id }) => id);
    return told.kind === 'acquired' && told.outcome.kind === 'done'
      ? []
      : [`${world.caller().name} was still refused after every TTL: ${left.join(' ')}`];
  }
}

async function answer(
  deed: SwarmDeed,
  world: World,
): Promise<{
  readonly told: DeedOutcome | null;
  readonly word: string;
  readonly error: Error | null;
}> {
  try {
    const told = await deed.act(world);
    return { told, word: wordOf(told), error: null };
  } catch (thrown) {
    const error =
      thrown instanceof Error
        ? thrown
        : new Error('something was thrown that is no error', { cause: thrown });
    return { told: null, word: error instanceof CoordError ? error.code : 'failed', error };
  }
}

/**
 * How often this answer may have taken effect, and has to have if it is one; null where it may be
 * any number.
 */
function mostEffects({ name }: SwarmDeed, told: DeedOutcome | null, word: string): number | null {
  // One who waits has effects before it is answered; one who asks twice may be refused at first;
  // one who looks has none that it needs.
  if (['wait', 'lock', 'retry', 'check', 'sweep', 'whoami'].includes(name)) return null;
  if (told === null) return word === 'unknown_outcome' ? 1 : 0;
  return (told.kind === 'acquired' ? told.outcome.kind === 'done' : told.isDone) ? 1 : 0;
}

/** What a broken store may lead to; anything else is a mistake of ours. */
function isExpected(error: Error): boolean {
  if (error instanceof CoordError) return error.code === 'unknown_outcome' || error.code === 'busy';
  return error.message === 'the answer was lost';
}

function grantedBy(told: DeedOutcome | null): string {
  if (told?.kind !== 'acquired' || told.outcome.kind !== 'done') return '';
  return told.outcome.result.leases.map(({ id, token }) => `${id}#${token}`).join(' ');
}
