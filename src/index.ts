/**
 * The public library. `createCoord` gives the use cases, each answering with the very object that
 * the command line prints with `--json`; a refusal is an answer, a failure is a thrown CoordError.
 */
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { realWorld } from './agent/world.ts';
import { parseDuration } from './core/instant.ts';
import { matches as matchesKey, overlaps as overlapsKey } from './core/overlap.ts';
import { canonical, literal, pathOf } from './core/pattern.ts';
import { keyOf, precheck } from './git/paths.ts';
import type { LoggedEntry } from './log/log-store.ts';
import * as useCases from './loop/coord.ts';
import { decisionContext } from './loop/operate.ts';
import type { Report } from './render/report.ts';
import { statusReport } from './show/status.ts';

export { CoordError, type ErrorCode } from './core/errors.ts';
export type { AgentName, Mode } from './core/lease.ts';

export interface CoordOptions {
  readonly cwd?: string;
  readonly agent?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Settings for this instance, such as `coord.grace=30s`. */
  readonly config?: readonly string[];
}

/** `ok`, `result` and the facts, as documented for `--json`. */
export interface CoordAnswer {
  readonly ok: boolean;
  readonly result: string;
  readonly [fact: string]: unknown;
}

export interface TakeOptions {
  /** `15m`, `2h`, or milliseconds. */
  readonly ttl?: string | number;
  readonly wait?: string | number;
  readonly reason?: string;
  readonly shared?: boolean;
  readonly wide?: boolean;
  readonly literal?: boolean;
  /** 32 hexadecimal digits: the same request under the same nonce takes effect once. */
  readonly nonce?: string;
  readonly signal?: AbortSignal;
}

type Names = string | readonly string[];

export interface Coord {
  whoami(): Promise<CoordAnswer>;
  reserve(patterns: Names, options?: TakeOptions): Promise<CoordAnswer>;
  check(paths: Names): Promise<CoordAnswer>;
  renew(
    ids?: Names,
    options?: { readonly ttl?: string | number; readonly edited?: readonly string[] },
  ): Promise<CoordAnswer>;
  /** Ids or patterns; without any, everything. */
  release(named?: Names, options?: { readonly nonce?: string }): Promise<CoordAnswer>;
  claim(bead: string, options?: TakeOptions): Promise<CoordAnswer>;
  unclaim(bead: string): Promise<CoordAnswer>;
  lock(name: string, options?: TakeOptions): Promise<CoordAnswer>;
  unlock(name: string): Promise<CoordAnswer>;
  transfer(named: Names | null, to: string, reason?: string): Promise<CoordAnswer>;
  break(id: string, reason: string): Promise<CoordAnswer>;
  sweep(options?: {
    readonly olderThan?: string | number;
    readonly dryRun?: boolean;
  }): Promise<CoordAnswer>;
  status(): Promise<CoordAnswer>;
  log(since?: number): Promise<readonly LoggedEntry[]>;
  startSession(): Promise<CoordAnswer>;
  adoptSession(token: string): Promise<CoordAnswer>;
  endSession(): Promise<CoordAnswer>;
}

/** Do two patterns match a path in common? */
export function overlaps(a: string, b: string): boolean {
  return overlapsKey(canonical(a), canonical(b));
}

/** Does the pattern match the path? The path is a name, whatever characters it has. */
export function matches(pattern: string, path: string): boolean {
  return matchesKey(canonical(pattern), pathOf(canonical(literal(path))) ?? path);
}

export function createCoord(options: CoordOptions = {}): Coord {
  const cwd = options.cwd ?? process.cwd();
  const env = options.env ?? process.env;
  const world = realWorld({
    cwd,
    env,
    agent: options.agent,
    ...(options.config === undefined ? {} : { config: options.config }),
  });
  const key = (arg: string, isLiteral = false): string =>
    keyOf({ repository: world.repository, cwd }, arg, isLiteral);
  const selection = (named: Names | null | undefined): ReturnType<typeof useCases.selectionOf> =>
    named === undefined || named === null
      ? { by: 'all' }
      : useCases.selectionOf(list(named), (arg) => key(arg));
  return {
    whoami: async () => answer(await useCases.whoami(world)),
    reserve: async (patterns, take = {}) => {
      precheck(list(patterns), cwd, take.literal === true);
      return answer(
        await useCases.reserve(
          world,
          list(patterns).map((arg) => key(arg, take.literal)),
          wishOf(take),
        ),
      );
    },
    check: async (paths) =>
      answer(
        await useCases.check(
          world,
          list(paths).map((arg) => key(arg)),
        ),
      ),
    renew: async (ids, { ttl, edited } = {}) =>
      answer(
        await useCases.renew(
          world,
          ids === undefined ? [] : list(ids),
          milliseconds(ttl),
          (edited ?? []).map((file) => dirname(pathOf(key(file, true)) ?? file)),
        ),
      ),
    release: async (named, { nonce } = {}) =>
      answer(await useCases.release(world, selection(named), { nonce })),
    claim: async (bead, take = {}) => answer(await useCases.claim(world, bead, wishOf(take))),
    unclaim: async (bead) => answer(await useCases.release(world, { by: 'bead', bead })),
    lock: async (name, take = {}) => answer(await useCases.lock(world, name, wishOf(take))),
    unlock: async (name) => answer(await useCases.release(world, { by: 'lock', name })),
    transfer: async (named, to, reason = '') =>
      answer(await useCases.transfer(world, selection(named), to, reason)),
    break: async (id, reason) => answer(await useCases.breakLease(world, id, reason)),
    sweep: async ({ olderThan, dryRun } = {}) =>
      answer(await useCases.sweep(world, milliseconds(olderThan) ?? 0, dryRun === true)),
    status: async () => {
      const at = await world.store.observe();
      return answer(statusReport(at, decisionContext(world, at), undefined));
    },
    log: async (since = 0) => world.store.history(await world.store.observe(), since),
    startSession: async () => answer(await useCases.startSession(world, env['COORD_SESSION'])),
    adoptSession: async (token) => answer(await useCases.adoptSession(world, token, hostname())),
    endSession: async () => answer(await useCases.endSession(world)),
  };
}

function list(names: Names): readonly string[] {
  return typeof names === 'string' ? [names] : names;
}

function milliseconds(time: string | number | undefined): number | undefined {
  return typeof time === 'string' ? parseDuration(time, 'duration') : time;
}

function wishOf({
  ttl,
  wait,
  reason,
  shared,
  wide,
  nonce,
  signal,
}: TakeOptions): useCases.AcquireRequest {
  return {
    ttlMs: milliseconds(ttl),
    waitMs: milliseconds(wait) ?? 0,
    reason,
    mode: shared === true ? 'shared' : 'exclusive',
    wide: wide === true,
    nonce,
    signal,
  };
}

function answer({ ok, result, facts }: Report): CoordAnswer {
  return { ok, result, ...facts };
}
