/** Taking something: paths, a bead, a lock; at once or in line. */
import { CoordError } from '../core/errors.ts';
import { parseBead, parseLockName, parseReason } from '../core/ids.ts';
import { checkTtl, type Lease, type Mode, type Resource } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import { matchEverything } from '../core/overlap.ts';
import type { Refusal } from '../core/refusal.ts';
import { shellLine } from '../core/shell-line.ts';
import { type AcquireOptions, acquire } from './acquire.ts';
import { askedBy, type Outcome, refusedWith, seen } from './outcome.ts';
import type { World } from './world.ts';

export interface AcquireRequest extends Partial<AcquireOptions> {
  readonly mode?: Mode;
  readonly ttlMs?: number | undefined;
  readonly reason?: string | undefined;
  readonly wide?: boolean;
  /** It is about to edit them. */
  readonly edited?: boolean;
  /** Not answered by what the agent itself holds already. */
  readonly anew?: boolean;
  /** The command that would wait for it, together with what was given up for it. */
  readonly retry?: readonly string[];
  readonly retryWith?: (patterns: readonly string[]) => readonly string[];
  /** There are other beads to be had. */
  readonly hasTracker?: boolean;
  /**
   * Rather than close a circle of waits, give up what has none of these paths, and wait for all.
   */
  readonly yields?: { readonly changed: readonly string[] };
  /**
   * Of a claim: where HEAD is, whether a stalled one may be taken over, and one that is over begun
   * again.
   */
  readonly base?: string | undefined;
  readonly take?: boolean;
  readonly again?: boolean;
}

export interface Taken {
  readonly leases: readonly Lease[];
  readonly waitedMs: number;
  /**
   * Lines were asked for, and more is held: because of the format of the log, because the work tree
   * has no id, or because it was so before.
   */
  readonly alone?: 'place' | 'before';
}

export function reserve(
  world: World,
  patterns: readonly string[],
  wish: AcquireRequest,
): Promise<Outcome<Taken>> {
  if ((wish.wide !== true || (wish.reason ?? '') === '') && matchEverything(patterns)) {
    throw new CoordError(
      'needs_wide',
      `${patterns.map((pattern) => `'${pattern}'`).join(' ')} takes the whole repository`,
      `say so: ${shellLine('coord', 'reserve', ...patterns, '--wide', '--reason', '<why>')}`,
    );
  }
  const distinct = [...new Set(patterns)];
  if (distinct.length > limits.patternsPerLease)
    throw new CoordError(
      'pattern_too_complex',
      `${distinct.length} patterns are too many for one lease`,
      `ask for at most ${limits.patternsPerLease} at a time, or reserve the directory`,
    );
  return take(
    world,
    { kind: 'reservation', patterns: distinct },
    world.settings.ttlMs,
    ['reserve', '--wait', '2m', ...modeFlag(wish), '--', ...distinct],
    wish,
  );
}

export function claim(world: World, bead: string, wish: AcquireRequest): Promise<Outcome<Taken>> {
  return take(
    world,
    { kind: 'claim', bead: parseBead(bead) },
    world.settings.claimTtlMs,
    ['claim', bead, '--wait', '2m'],
    wish,
  );
}

export function lock(world: World, name: string, wish: AcquireRequest): Promise<Outcome<Taken>> {
  return take(
    world,
    { kind: 'lock', name: parseLockName(name) },
    world.settings.ttlMs,
    ['lock', name, '--wait', '2m', ...modeFlag(wish)],
    wish,
  );
}

/** As it is asked for by its name. */
export function modeFrom({
  shared = false,
  lines = false,
}: {
  readonly shared?: boolean | undefined;
  readonly lines?: boolean | undefined;
}): Mode {
  if (shared && lines)
    throw new CoordError(
      'usage',
      "'shared' is for readers and 'lines' for editors: it cannot be both",
      'coord reserve --lines <pattern>',
    );
  return shared ? 'shared' : lines ? 'lines' : 'exclusive';
}

function modeFlag({ mode = 'exclusive' }: AcquireRequest): readonly string[] {
  return mode === 'exclusive' ? [] : [`--${mode}`];
}

async function take(
  world: World,
  want: Resource,
  defaultTtlMs: number,
  verb: readonly string[],
  wish: AcquireRequest,
): Promise<Outcome<Taken>> {
  const reason = parseReason(wish.reason ?? '');
  const isEdit = wish.edited === true && want.kind === 'reservation';
  const request = {
    caller: world.caller(),
    want,
    mode: wish.mode ?? 'exclusive',
    reason,
    ttlMs: checkTtl(wish.ttlMs),
    defaultTtlMs,
    anew: wish.anew === true,
    sequential: world.settings.mode === 'sequential',
    base: wish.base,
    take: wish.take === true,
    again: wish.again === true,
    ...(wish.yields === undefined ? {} : { yields: wish.yields }),
    ...(isEdit ? { edited: [...new Set(want.patterns.map(folderOf))] } : {}),
  };
  const outcome = await acquire(world, request, {
    waitMs: wish.waitMs ?? 0,
    nonce: wish.nonce,
    ...(wish.onWaiting === undefined ? {} : { onWaiting: wish.onWaiting }),
    ...(wish.onLook === undefined ? {} : { onLook: wish.onLook }),
    signal: wish.signal,
  });
  if (outcome.kind === 'done') {
    const { leases, waitedMs } = outcome.result;
    const result = { leases, waitedMs, ...aloneFor(world, request.mode, leases) };
    return { ...seen(world, outcome.at), kind: 'done', result };
  }
  const { refusal, at } = outcome;
  const given = 'yielded' in refusal ? (refusal.yielded ?? []) : [];
  const more = given.length === 0 ? undefined : (wish.retryWith?.(given) ?? [...verb, ...given]);
  return {
    ...refusedWith(world, at, refusal, askedBy(world, more ?? wish.retry ?? verb, wish.hasTracker)),
    explainId: noteRefusal(world, request.caller.name, want, refusal),
    isInterrupted: wish.signal?.aborted === true,
  };
}

/** Why more is held than the lines that were asked for. */
function aloneFor({ workTree }: World, mode: Mode, leases: readonly Lease[]): Pick<Taken, 'alone'> {
  if (mode !== 'lines' || leases.every((lease) => lease.mode === 'lines')) return {};
  return { alone: workTree?.() === undefined ? 'place' : 'before' };
}

/** Work is steady where it goes on in one directory. */
function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.';
}

function noteRefusal(world: World, name: string, resource: Resource, refusal: Refusal): string {
  const blockers =
    'blockers' in refusal
      ? refusal.blockers.map((lease) => ({ id: lease.id, agent: lease.agent }))
      : [];
  return world.tally.note(name, {
    what: 'refused',
    at: new Date(world.clock.now().at).toISOString(),
    kind: refusal.kind,
    resource,
    blockers,
  });
}
