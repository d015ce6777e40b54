/**
 * The use cases: what can be asked of coord, each from its request to a report. The command line,
 * the library and whatever else comes differ only in how they make the request and show the report.
 */

import { nameOf, showAgent } from '../core/agent.ts';
import { type AnswerRequest, decideAnswer, decideAsk } from '../core/decide/ask.ts';
import { breakableInMs, decideBreak } from '../core/decide/break.ts';
import { type Decide, refused } from '../core/decide/decision.ts';
import { enrol } from '../core/decide/enrol.ts';
import { check as decideCheck } from '../core/decide/look.ts';
import {
  decideRelease,
  decideTransfer,
  type Release,
  type Selection,
} from '../core/decide/release.ts';
import { decideRenew } from '../core/decide/renew.ts';
import { decideAdopt, decideEnd, decideStart, decideSweep } from '../core/decide/session.ts';
import { decideHandOff } from '../core/decide/work.ts';
import { CoordError } from '../core/errors.ts';
import { hashKey } from '../core/hash.ts';
import { isId, parseBead, parseLockName, parseReason } from '../core/ids.ts';
import { formatDuration } from '../core/instant.ts';
import { checkTtl, describe, type Lease, type Mode, type Resource } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import { type Asked, afterAsked, afterCheck } from '../core/next.ts';
import { matchEverything } from '../core/overlap.ts';
import type { Refusal } from '../core/refusal.ts';
import type { Observation } from '../log/log-store.ts';
import {
  adviceOf,
  agentFacts,
  exits,
  explained,
  isAdvice,
  leaseFacts,
  leaseLine,
  type Report,
  refusalReport,
  requestFacts,
  shellLine,
} from '../render/report.ts';
import { answerWords, few } from '../render/wording.ts';
import { type AcquireOptions, acquire, replayLeases } from './acquire.ts';
import { actorOf, decisionContext, type Outcome, operate } from './operate.ts';
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

export function reserve(
  world: World,
  patterns: readonly string[],
  wish: AcquireRequest,
): Promise<Report> {
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
    ['reserve', '--wait', '2m', '--', ...distinct],
    wish,
  );
}

export function claim(world: World, bead: string, wish: AcquireRequest): Promise<Report> {
  return take(
    world,
    { kind: 'claim', bead: parseBead(bead) },
    world.settings.claimTtlMs,
    ['claim', bead, '--wait', '2m'],
    wish,
  );
}

export function lock(world: World, name: string, wish: AcquireRequest): Promise<Report> {
  return take(
    world,
    { kind: 'lock', name: parseLockName(name) },
    world.settings.ttlMs,
    ['lock', name, '--wait', '2m'],
    wish,
  );
}

async function take(
  world: World,
  want: Resource,
  defaultTtlMs: number,
  verb: readonly string[],
  wish: AcquireRequest,
): Promise<Report> {
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
    signal: wish.signal,
  });
  if (outcome.kind === 'refused') {
    const id = noteRefusal(world, request.caller.name, want, outcome.refusal);
    const given = 'yielded' in outcome.refusal ? (outcome.refusal.yielded ?? []) : [];
    const more = given.length === 0 ? undefined : (wish.retryWith?.(given) ?? [...verb, ...given]);
    const report = explained(
      refusedReport(world, outcome, more ?? wish.retry ?? verb, wish.hasTracker),
      id,
    );
    return wish.signal?.aborted === true
      ? { ...report, exit: exits.interrupted, result: 'interrupted' }
      : report;
  }
  const { leases, waitedMs } = outcome.result;
  return leasesReport(
    world,
    outcome.at,
    'granted',
    leases,
    waitedMs === 0 ? '' : ` after ${formatDuration(waitedMs)}`,
  );
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

type Refused = Extract<Outcome<unknown>, { kind: 'refused' }>;

export function refusedReport(
  world: World,
  { refusal, at }: Refused,
  retry: readonly string[],
  hasTracker = false,
): Report {
  const asked = askedBy(world, retry, hasTracker);
  return refusalReport(refusal, at.state, decisionContext(world, at), asked);
}

export function askedBy({ self = [] }: World, again: readonly string[], hasTracker = false): Asked {
  return { again, self, hasTracker };
}

/** The leases that an operation granted, renewed or freed, as facts and as lines. */
export function leasesReport(
  world: World,
  at: Observation,
  result: string,
  leases: readonly Lease[],
  suffix = '',
  facts: Readonly<Record<string, unknown>> = {},
  first: readonly string[] = [],
): Report {
  const c = decisionContext(world, at);
  const advice = adviceOf(
    at,
    'this is advice (coord.offline=advisory): nobody elsewhere knows of it',
  );
  return {
    ok: true,
    exit: exits.done,
    result,
    facts: {
      leases: leases.map((lease) => leaseFacts(lease, at.state, c)),
      ...facts,
      ...advice.facts,
    },
    notes: advice.notes,
    says: [
      ...first,
      ...leases.map(
        (lease) =>
          `${result} ${describe(lease)}${lease.mode === 'shared' ? ' (shared)' : ''}${suffix}${isAdvice(lease, c) ? ' locally only (offline)' : ''}: ${
            result === 'granted' || result === 'renewed'
              ? `${showAgent(lease.agent)} for ${formatDuration(lease.ttlMs)}, lease ${lease.id}, token ${lease.token}`
              : `lease ${lease.id}`
          }`,
      ),
    ],
  };
}

export async function check(
  world: World,
  patterns: readonly string[],
  retry: readonly string[] = patterns,
): Promise<Report> {
  await world.store.mayGrant?.();
  const at = await world.store.observe();
  const c = decisionContext(world, at);
  const checked = decideCheck(patterns, () => world.caller().name, at.state, c);
  if (checked.kind !== 'free') world.tally.note(world.caller().name, { what: 'check' });
  const blockers = checked.kind === 'held' ? checked.blockers : [];
  const advice = adviceOf(at, 'this goes by what it said last, and by advice to this clone alone');
  const next = afterCheck(blockers.length > 0, retry);
  const paths = patterns.map((path) => ({
    path,
    result: decideCheck([path], () => world.caller().name, at.state, c).kind,
  }));
  return {
    ok: blockers.length === 0,
    exit: blockers.length > 0 ? exits.refused : exits.done,
    result: checked.kind,
    facts: {
      paths,
      blockers: blockers.map((lease) => leaseFacts(lease, at.state, c)),
      ...(checked.kind === 'mine' ? {} : { next }),
      ...advice.facts,
    },
    notes: advice.notes,
    says: [
      ...paths.map(
        ({ path, result }) =>
          `${result} ${path}${checked.kind === 'mine' && checked.leases.some((lease) => isAdvice(lease, c)) ? ' locally only (offline)' : ''}`,
      ),
      ...blockers.map((lease) => `  ${leaseLine(lease, at.state, c)}`),
      ...(blockers.length > 0 ? [`  next: ${next}`] : []),
    ],
  };
}

export async function renew(
  world: World,
  ids: readonly string[],
  ttlMs: number | undefined,
  edited: readonly string[],
): Promise<Report> {
  const request = { caller: world.caller(), ids, ttlMs: checkTtl(ttlMs), edited };
  const outcome = await operate(world, (state, c) => decideRenew(request, state, c), {
    replay: replayLeases,
    isAdvisable: true,
  });
  return outcome.kind === 'refused'
    ? refusedReport(world, outcome, [])
    : leasesReport(world, outcome.at, 'renewed', outcome.result);
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
): Promise<Report> {
  const request: Release = { caller: world.caller(), selection, outcome: came ?? {} };
  const outcome = await operate(world, (state, c) => decideRelease(request, state, c), {
    nonce,
    isAdvisable: true,
    replay: () => ({ kind: 'replayed', result: { leases: [], notReleased: [], kept: [] } }),
  });
  if (outcome.kind === 'refused') return refusedReport(world, outcome, []);
  const { leases, notReleased, kept } = outcome.result;
  const rest = notReleased.length === 0 ? {} : { notReleased };
  const facts = { ...rest, ...(kept.length === 0 ? {} : { kept }) };
  const report = leasesReport(world, outcome.at, 'released', leases, '', facts);
  const words = notReleased.map(({ named: what, heldBy }) => {
    const why = heldBy === null ? 'which you do not hold' : `held by ${showAgent(heldBy)}`;
    return `note: not released: ${what}, ${why}`;
  });
  const held = kept.length === 0 ? [] : [`note: kept what has uncommitted changes: ${few(kept)}`];
  return { ...report, notes: [...(report.notes ?? []), ...words, ...held] };
}

export async function transfer(
  world: World,
  selection: Selection,
  to: string,
  reason: string,
): Promise<Report> {
  const request = { caller: world.caller(), selection, to, reason: parseReason(reason) };
  const outcome = await operate(world, (state, c) => decideTransfer(request, state, c));
  if (outcome.kind === 'refused') return refusedReport(world, outcome, []);
  return leasesReport(
    world,
    outcome.at,
    'transferred',
    outcome.result.leases,
    ` to ${showAgent(outcome.result.to)}`,
    { to: outcome.result.to },
  );
}

export async function ask(
  world: World,
  lease: string,
  reason: string,
  urgent: boolean,
): Promise<Report> {
  if (parseReason(reason) === '')
    throw new CoordError(
      'needs_reason',
      'a request needs a reason',
      shellLine('coord', 'ask', lease, '--reason', '<why>'),
    );
  if (!isId(lease))
    throw new CoordError('usage', `'${lease}' is not the id of a lease`, 'coord status shows them');
  const request = { caller: world.caller(), lease, reason, urgent };
  const outcome = await operate(world, (state, c) => decideAsk(request, state, c));
  if (outcome.kind === 'refused') return refusedReport(world, outcome, []);
  const c = decisionContext(world, outcome.at);
  const asked = outcome.result.request;
  const held = outcome.at.state.leases.get(asked.lease);
  const mayBreakInMs =
    held === undefined ? 0 : breakableInMs(held, asked.from, outcome.at.state, c);
  const next = afterAsked({ id: asked.lease }, askedBy(world, []));
  return {
    ok: true,
    exit: exits.done,
    result: 'asked',
    facts: { request: requestFacts(asked), mayBreakIn: Math.ceil(mayBreakInMs / 1_000), next },
    says: [`asked ${showAgent(asked.to)} for ${describe(asked.what)}, request ${asked.id}`],
    notes: [
      `note: ${asked.to.name} will see this at its next command; without an answer you can break the lease in ${formatDuration(mayBreakInMs)}: ${next}`,
    ],
  };
}

export interface AnswerWish {
  readonly etaMs?: number | undefined;
  readonly reason?: string | undefined;
  readonly frees?: boolean;
}

export async function answer(
  world: World,
  named: string,
  verdict: AnswerRequest['verdict'],
  { etaMs, reason, frees }: AnswerWish,
): Promise<Report> {
  if (verdict === 'defer' && etaMs === undefined)
    throw new CoordError(
      'usage',
      'until when is it deferred?',
      shellLine('coord', 'answer', named, 'defer', '--eta', '10m'),
    );
  if ((etaMs ?? 0) > limits.etaMaxMs)
    throw new CoordError(
      'bad_duration',
      `an answer cannot be put off for ${formatDuration(etaMs ?? 0)}`,
      `choose up to ${formatDuration(limits.etaMaxMs)}`,
    );
  const request: AnswerRequest = {
    caller: world.caller(),
    named,
    verdict,
    etaMs: etaMs ?? 0,
    reason: parseReason(reason ?? ''),
    frees: frees === true,
  };
  const outcome = await operate(world, (state, c) => decideAnswer(request, state, c));
  if (outcome.kind === 'refused') return refusedReport(world, outcome, []);
  const { request: asked, leases } = outcome.result;
  const words = answerWords(verdict, describe(asked.what), asked.from.name, request.etaMs);
  return leasesReport(
    world,
    outcome.at,
    'answered',
    leases,
    ` to ${showAgent(asked.from)}`,
    { request: requestFacts(asked), verdict },
    [words],
  );
}

export async function breakLease(world: World, id: string, reason: string): Promise<Report> {
  if (parseReason(reason) === '')
    throw new CoordError(
      'needs_reason',
      'break needs a reason',
      shellLine('coord', 'break', id, '--reason', '<why>'),
    );
  if (!isId(id))
    throw new CoordError('usage', `'${id}' is not the id of a lease`, 'coord status shows them');
  const request = { caller: world.caller(), id, reason };
  const outcome = await operate(world, (state, c) => decideBreak(request, state, c));
  return outcome.kind === 'refused'
    ? refusedReport(world, outcome, [])
    : leasesReport(world, outcome.at, 'broken', [outcome.result.lease]);
}

export async function sweep(world: World, olderThanMs: number, dryRun: boolean): Promise<Report> {
  const seen = await world.store.observe();
  const caller = actorOf(world, seen);
  const outcome = await operate(world, (state, c) =>
    decideSweep({ caller, olderThanMs, dryRun }, state, c),
  );
  if (outcome.kind === 'refused') return refusedReport(world, outcome, []);
  const { leases, waits, agents } = outcome.result;
  const c = decisionContext(world, outcome.at);
  const count = leases.length + waits.length + agents.length;
  const verb = dryRun ? 'would sweep' : 'swept';
  return {
    ok: true,
    exit: exits.done,
    result: count === 0 ? 'nothing' : dryRun ? 'would-sweep' : 'swept',
    facts: {
      dryRun,
      count,
      leases: leases.map((lease) => leaseFacts(lease, seen.state, c)),
      waits: waits.map(({ id, agent }) => ({ id, agent })),
      agents: agents.map(nameOf),
    },
    says:
      count === 0
        ? ['nothing to sweep']
        : [
            ...leases.map(
              (lease) =>
                `${verb} ${describe(lease)} of ${showAgent(lease.agent)}, lease ${lease.id}`,
            ),
            ...waits.map(
              (wait) => `${verb} the wait of ${showAgent(wait.agent)} for ${describe(wait)}`,
            ),
            ...agents.map(
              (agent) =>
                `${verb} ${showAgent(agent)}, not seen since ${formatDuration(c.now.at - agent.active.at)}`,
            ),
          ],
  };
}

function sessionReport(
  agent: Parameters<typeof agentFacts>[0],
  result: string,
  key: string | null,
): Report {
  const env = { COORD_AGENT: agent.name, ...(key === null ? {} : { COORD_SESSION: key }) };
  return {
    ok: true,
    exit: exits.done,
    result,
    facts: { agent: { id: agent.id, name: agent.name, kind: agent.kind }, token: key, env },
    says: [
      `${result} ${showAgent(agent)}`,
      ...Object.entries(env).map(([name, value]) => `  export ${name}=${value}`),
      ...(key === null
        ? []
        : ['  keep the session key: coord session adopt --token takes it over from elsewhere']),
    ],
  };
}

export async function startSession(
  world: World,
  parentKey: string | undefined,
  takes: string | null = null,
): Promise<Report> {
  const key = world.random.key();
  const request = { caller: world.caller(), newSession: hashKey(key), takes };
  const outcome = await operate(world, (state, c) => decideStart(request, state, c), {
    isAdvisable: true,
  });
  if (outcome.kind === 'refused') return refusedReport(world, outcome, []);
  const { agent } = outcome.result;
  return sessionReport(
    agent,
    'started',
    agent.session === request.newSession ? key : (parentKey ?? null),
  );
}

export async function adoptSession(world: World, token: string, host: string): Promise<Report> {
  const key = world.random.key();
  const request = { token: hashKey(token), newSession: hashKey(key), host };
  const outcome = await operate(world, (state, c) => decideAdopt(request, state, c));
  return outcome.kind === 'refused'
    ? refusedReport(world, outcome, [])
    : sessionReport(outcome.result.agent, 'adopted', key);
}

export async function endSession(
  world: World,
  handOff?: { readonly to: string | null; readonly reason: string },
): Promise<Report> {
  const caller = world.caller();
  const outcome = await operate(world, (state, c) =>
    handOff === undefined
      ? decideEnd(caller, state)
      : decideHandOff({ caller, to: handOff.to, reason: parseReason(handOff.reason) }, state, c),
  );
  if (outcome.kind === 'refused') return refusedReport(world, outcome, []);
  const { agent, leases } = outcome.result;
  return leasesReport(world, outcome.at, 'ended', leases, '', { agent: nameOf(agent) });
}

/** Registers the caller if it is new, so that the id it is told is the one it keeps. */
export async function whoami(world: World): Promise<Report> {
  const caller = world.caller();
  const decide: Decide<{ readonly agent: Parameters<typeof agentFacts>[0] }> = (state, c) => {
    const enrolled = enrol(state, caller, c);
    if (enrolled.kind !== 'enrolled') return refused(enrolled);
    const { agent, events } = enrolled;
    return events.length === 0
      ? { kind: 'same', result: { agent } }
      : { kind: 'change', state: enrolled.state, events, actor: nameOf(agent), result: { agent } };
  };
  const outcome = await operate(world, decide, { isAdvisable: true });
  if (outcome.kind === 'refused') return refusedReport(world, outcome, []);
  const { agent } = outcome.result;
  return {
    ok: true,
    exit: exits.done,
    result: 'known',
    facts: { agent: agentFacts(agent) },
    says: [`${showAgent(agent)}, ${agent.kind} on ${agent.host}`],
  };
}
