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
import * as handOver from './loop/hand-over.ts';
import * as hold from './loop/hold.ts';
import { decisionContext } from './loop/operate.ts';
import * as sessions from './loop/session.ts';
import * as take from './loop/take.ts';
import {
  renderBroken,
  renderChecked,
  renderReleased,
  renderRenewed,
  renderSwept,
  renderTaken,
  renderTransferred,
} from './render/leases.ts';
import type { Report } from './render/report.ts';
import { renderEnded, renderSession, renderWhoami } from './render/session.ts';
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

export interface ReserveOptions extends TakeOptions {
  /** To edit it beside others in this work tree; `shared` is to read it. */
  readonly lines?: boolean;
}

type Names = string | readonly string[];

export interface Coord {
  whoami(): Promise<CoordAnswer>;
  reserve(patterns: Names, options?: ReserveOptions): Promise<CoordAnswer>;
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
  const selection = (named: Names | null | undefined): ReturnType<typeof hold.selectionOf> =>
    named === undefined || named === null
      ? { by: 'all' }
      : hold.selectionOf(list(named), (arg) => key(arg));
  const keysOf = (names: Names, isLiteral = false): readonly string[] =>
    list(names).map((arg) => key(arg, isLiteral));
  return {
    whoami: async () => answer(renderWhoami(await sessions.whoami(world))),
    reserve: async (patterns, options = {}) => {
      precheck(list(patterns), cwd, options.literal === true);
      const keys = keysOf(patterns, options.literal);
      return answer(renderTaken(await take.reserve(world, keys, wishOf(options))));
    },
    check: async (paths) => answer(renderChecked(await hold.check(world, keysOf(paths)))),
    renew: async (ids, { ttl, edited = [] } = {}) => {
      const folders = edited.map((file) => dirname(pathOf(key(file, true)) ?? file));
      const named = ids === undefined ? [] : list(ids);
      return answer(renderRenewed(await hold.renew(world, named, milliseconds(ttl), folders)));
    },
    release: async (named, { nonce } = {}) =>
      answer(renderReleased(await hold.release(world, selection(named), { nonce }))),
    claim: async (bead, options = {}) =>
      answer(renderTaken(await take.claim(world, bead, wishOf(options)))),
    unclaim: async (bead) =>
      answer(renderReleased(await hold.release(world, { by: 'bead', bead }))),
    lock: async (name, options = {}) =>
      answer(renderTaken(await take.lock(world, name, wishOf(options)))),
    unlock: async (name) => answer(renderReleased(await hold.release(world, { by: 'lock', name }))),
    transfer: async (named, to, reason = '') =>
      answer(renderTransferred(await hold.transfer(world, selection(named), to, reason))),
    break: async (id, reason) => answer(renderBroken(await handOver.breakLease(world, id, reason))),
    sweep: async ({ olderThan, dryRun } = {}) => {
      const olderThanMs = milliseconds(olderThan) ?? 0;
      return answer(renderSwept(await hold.sweep(world, olderThanMs, dryRun === true)));
    },
    status: async () => {
      const at = await world.store.observe();
      return answer(statusReport(at, decisionContext(world, at), undefined));
    },
    log: async (since = 0) => world.store.history(await world.store.observe(), since),
    startSession: async () => {
      const outcome = await sessions.startSession(world, env['COORD_SESSION']);
      return answer(renderSession('started', outcome));
    },
    adoptSession: async (token) =>
      answer(renderSession('adopted', await sessions.adoptSession(world, token, hostname()))),
    endSession: async () => answer(renderEnded(await sessions.endSession(world))),
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
  lines,
  wide,
  nonce,
  signal,
}: ReserveOptions): take.AcquireRequest {
  return {
    ttlMs: milliseconds(ttl),
    waitMs: milliseconds(wait) ?? 0,
    reason,
    mode: take.modeFrom({ shared, lines }),
    wide: wide === true,
    nonce,
    signal,
  };
}

function answer({ ok, result, facts }: Report): CoordAnswer {
  return { ok, result, ...facts };
}
