/** What one holds: looked at, renewed, given up, handed over; and what is left over of others. */
import { type Checked, check as decideCheck } from '../core/decide/look.ts';
import {
  decideRelease,
  type Release,
  type Released,
  type Selection,
} from '../core/decide/release.ts';
import { decideRenew } from '../core/decide/renew.ts';
import { decideSweep } from '../core/decide/session.ts';
import type { Leftovers } from '../core/decide/tidy.ts';
import { decideTransfer } from '../core/decide/transfer.ts';
import { isId, parseReason } from '../core/ids.ts';
import { type AgentName, checkTtl, type Lease } from '../core/lease.ts';
import type { State } from '../core/state.ts';
import { type AcquireOptions, replayLeases } from './acquire.ts';
import { actorOf, operate } from './operate.ts';
import { type Outcome, outcomeOf, type Seen, seen } from './outcome.ts';
import type { World } from './world.ts';

export interface CheckedPaths extends Seen {
  readonly checked: Checked;
  /** Of each path by itself. */
  readonly paths: readonly { readonly path: string; readonly result: Checked['kind'] }[];
  /** What would be asked for next, in the words that it was asked in. */
  readonly retry: readonly string[];
}

export async function check(
  world: World,
  patterns: readonly string[],
  retry: readonly string[] = patterns,
): Promise<CheckedPaths> {
  await world.store.mayGrant?.();
  const as = seen(world, await world.store.observe());
  const of = (asked: readonly string[]): Checked =>
    decideCheck(asked, () => world.caller().name, as.at.state, as.ctx);
  const checked = of(patterns);
  if (checked.kind !== 'free') world.tally.note(world.caller().name, { what: 'check' });
  return {
    ...as,
    checked,
    retry,
    paths: patterns.map((path) => ({ path, result: of([path]).kind })),
  };
}

export async function renew(
  world: World,
  ids: readonly string[],
  ttlMs: number | undefined,
  edited: readonly string[],
): Promise<Outcome<readonly Lease[]>> {
  const request = { caller: world.caller(), ids, ttlMs: checkTtl(ttlMs), edited };
  const outcome = await operate(world, (state, c) => decideRenew(request, state, c), {
    replay: replayLeases,
    isAdvisable: true,
  });
  return outcomeOf(world, outcome, (leases) => leases);
}

export interface ReleaseWish extends Pick<AcquireOptions, 'nonce'> {
  readonly outcome?: Release['outcome'];
}

/** What was named on the command line: things that look like ids are ids if they are on record. */
export function selectionOf(named: readonly string[], keyOf: (arg: string) => string): Selection {
  return {
    by: 'named',
    ids: named.filter(isId),
    patterns: named.filter((text) => !isId(text)).map(keyOf),
  };
}

export async function release(
  world: World,
  selection: Selection,
  { nonce, outcome: came }: ReleaseWish = {},
): Promise<Outcome<Released>> {
  const request: Release = { caller: world.caller(), selection, outcome: came ?? {} };
  const outcome = await operate(world, (state, c) => decideRelease(request, state, c), {
    nonce,
    isAdvisable: true,
    replay: () => ({ kind: 'replayed', result: { leases: [], notReleased: [], kept: [] } }),
  });
  return outcomeOf(world, outcome, (released) => released);
}

export interface Transferred {
  readonly leases: readonly Lease[];
  readonly to: AgentName;
}

export async function transfer(
  world: World,
  selection: Selection,
  to: string,
  reason: string,
): Promise<Outcome<Transferred>> {
  const request = { caller: world.caller(), selection, to, reason: parseReason(reason) };
  const outcome = await operate(world, (state, c) => decideTransfer(request, state, c));
  return outcomeOf(world, outcome, (transferred) => transferred);
}

export interface Swept extends Leftovers {
  readonly dryRun: boolean;
  /** As it was before. */
  readonly before: State;
}

export async function sweep(
  world: World,
  olderThanMs: number,
  dryRun: boolean,
): Promise<Outcome<Swept>> {
  const before = await world.store.observe();
  const caller = actorOf(world, before);
  const outcome = await operate(world, (state, c) =>
    decideSweep({ caller, olderThanMs, dryRun }, state, c),
  );
  return outcomeOf(world, outcome, (swept) => ({ ...swept, dryRun, before: before.state }));
}
