/**
 * Whose records an operation may change: its own agent's and kin's; another's only in the ways that
 * are there for it, each with its event.
 */
import { type Agent, showAgent } from './agent.ts';
import { type BeadRecord, encodeBead } from './bead.ts';
import type { Entry } from './entry.ts';
import { type Event, type EventName, leasesOf } from './event.ts';
import { toJson } from './harmless.ts';
import { areKin } from './ids.ts';
import { type AgentName, describe, type Lease, type Wait } from './lease.ts';
import { encodeLease, encodeWait } from './lease-record.ts';
import { limits } from './limits.ts';
import { encodeAgent, encodeRequest, type Request } from './record.ts';
import { emptyState, type State } from './state.ts';

/**
 * How what another holds may come to an end: by time, by force with a reason, or with a clone that
 * takes its own along. Of the times only a reader who saw the renewals come by can judge
 * (`over-by-time.ts`); which agents are a clone's own, only that clone knows.
 */
const mayEnd: readonly EventName[] = ['expired', 'broken', 'moved'];

/** What an operation says of itself: whose it is, and what it tells of whom. */
interface Claims {
  readonly who: AgentName;
  isOwn(record: { readonly agent: AgentName }): boolean;
  /**
   * Is there an event by one of these names about this: a lease or a wait, a request, a bead, an
   * agent?
   */
  of(id: string, names: readonly EventName[]): boolean;
  /** Brings records along from another log. */
  readonly isMoved: boolean;
  /** Puts together what several witnesses know. */
  readonly isRepaired: boolean;
  readonly isRaised: boolean;
}

export function claimsOf({ agent: who, events }: Entry): Claims {
  const has = (name: EventName): boolean => events.some(({ event }) => event === name);
  return {
    who,
    isMoved: has('moved'),
    isRepaired: has('repaired'),
    isRaised: has('raised'),
    isOwn: ({ agent }) => areKin(agent.name, who.name),
    of: (id, names) =>
      events.some(
        (event) =>
          names.includes(event.event) &&
          (event.event !== 'broken' || hasReason(event)) &&
          [...leasesOf(event), event['request'], event['bead'], event.agent.id].includes(id),
      ),
  };
}

function hasReason({ reason }: Event): boolean {
  return typeof reason === 'string' && reason.trim() !== '';
}

/** `earlier` is null for the first of a log. */
export function unauthorizedChanges(
  entry: Entry,
  earlier: State | null,
  after: State,
): readonly string[] {
  const told = claimsOf(entry);
  const before = earlier ?? emptyState(entry.at);
  return [
    ...leases(told, before, after),
    ...agents(told, before, after),
    ...waits(told, before, after),
    ...requests(told, before, after, entry.at),
    ...beads(told, before, after),
    ...(earlier === null ? [] : root(told, earlier, after)),
  ];
}

/**
 * Every record that is not as it was; what it was and what it is are undefined where it was not or
 * is no more.
 */
function changes<T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  encode: (record: T) => unknown,
): readonly (readonly [string, T | undefined, T | undefined])[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((id) => {
    const [was, now] = [before.get(id), after.get(id)];
    const isSame =
      was === now ||
      (was !== undefined && now !== undefined && toJson(encode(was)) === toJson(encode(now)));
    return isSame ? [] : [[id, was, now] as const];
  });
}

/** Are two records the same but for these fields? */
function differOnlyIn<T extends object>(was: T, now: T, fields: readonly (keyof T)[]): boolean {
  const rest = (record: T): string =>
    toJson(
      Object.fromEntries(
        Object.entries(record).filter(([key]) => !fields.includes(key as keyof T)),
      ),
    );
  return rest(was) === rest(now);
}

function leases(told: Claims, before: State, after: State): readonly string[] {
  return changes<Lease>(before.leases, after.leases, encodeLease).flatMap(([id, was, now]) => {
    if (was === undefined)
      return now === undefined || told.isOwn(now) || told.of(id, ['moved', 'repaired'])
        ? []
        : [`${showAgent(told.who)} took ${describe(now)} in the name of ${showAgent(now.agent)}`];
    // All agents of a clone are renewed together, under the clock that they share.
    const isRenewal =
      now !== undefined &&
      told.of(id, ['renewed']) &&
      differOnlyIn(was, now, ['renewed']) &&
      now.renewed.domain === was.renewed.domain &&
      now.renewed.uptimeMs >= was.renewed.uptimeMs;
    const isTaken =
      now === undefined &&
      was.kind === 'claim' &&
      told.of(id, ['taken']) &&
      worksOn(told, after, was.bead);
    const isOver = now === undefined && told.of(id, mayEnd);
    return told.isOwn(was) || isRenewal || isTaken || isOver
      ? []
      : [`${showAgent(told.who)} changed ${describe(was)} of ${showAgent(was.agent)}`];
  });
}

function agents(told: Claims, before: State, after: State): readonly string[] {
  const isBusy = (state: State, id: string): boolean =>
    [...state.leases.values(), ...state.waits.values()].some(({ agent }) => agent.id === id);
  return changes<Agent>(before.agents, after.agents, encodeAgent).flatMap(([id, was, now]) => {
    const agent = was ?? now;
    if (agent === undefined || told.isOwn({ agent })) return [];
    const comesAlong =
      (told.isMoved || told.isRepaired) && (was === undefined || !isBusy(before, id));
    if (
      comesAlong ||
      (was !== undefined && now === undefined && told.of(id, ['ended']) && !isBusy(after, id))
    )
      return [];
    if (was === undefined) return [`${showAgent(told.who)} put ${showAgent(agent)} on record`];
    if (now === undefined)
      return [`${showAgent(told.who)} took ${showAgent(agent)} off the record`];
    return differOnlyIn(was, now, ['active'])
      ? []
      : [`${showAgent(told.who)} changed the session of ${showAgent(agent)}`];
  });
}

function waits(told: Claims, before: State, after: State): readonly string[] {
  return changes<Wait>(before.waits, after.waits, encodeWait).flatMap(([id, was, now]) => {
    const wait = was ?? now;
    const isGone = was !== undefined && now === undefined;
    // A line is not mended: whoever still waits steps into it anew.
    if (
      wait === undefined ||
      told.isOwn(wait) ||
      (isGone && (told.isRepaired || told.of(id, ['wait-ended'])))
    )
      return [];
    return [
      `${showAgent(told.who)} changed the wait of ${showAgent(wait.agent)} for ${describe(wait)}`,
    ];
  });
}

/**
 * Made by who asks, answered by whom it is put to, and closed by anybody once the grant is gone
 * that it was made for, or of age.
 */
function requests(told: Claims, before: State, after: State, at: number): readonly string[] {
  const may = (id: string, agent: AgentName, name: EventName): boolean =>
    told.isOwn({ agent }) && told.of(id, [name]);
  return changes<Request>(before.requests, after.requests, encodeRequest).flatMap(
    ([id, was, now]) => {
      const request = was ?? now;
      if (request === undefined || (was === undefined && told.isMoved)) return [];
      const holder = before.leases.get(request.lease)?.agent ?? request.to;
      const isAsked =
        now !== undefined &&
        may(id, request.from, 'asked') &&
        (was === undefined || differOnlyIn(was, now, ['reason', 'urgent']));
      const isAnswered =
        was !== undefined &&
        may(id, holder, 'answered') &&
        (now === undefined || differOnlyIn(was, now, ['deferred']));
      const isOver =
        now === undefined &&
        told.of(id, ['request-closed']) &&
        (after.leases.get(request.lease)?.token !== request.token ||
          !after.agents.has(request.from.id) ||
          at - request.asked.at > limits.requestAgeMs);
      if (isAsked || isAnswered || isOver) return [];
      return [
        `${showAgent(told.who)} changed the request of ${showAgent(request.from)} for ${describe(request.what)}`,
      ];
    },
  );
}

function worksOn(told: Claims, state: State, bead: string): boolean {
  return [...state.leases.values()].some(
    (lease) => lease.kind === 'claim' && lease.bead === bead && told.isOwn(lease),
  );
}

/**
 * By who works on it; by who begins it again; its list of what is missing by whoever asks the gate.
 * What is done goes once there are too many.
 */
function beads(told: Claims, before: State, after: State): readonly string[] {
  if (before.beads === after.beads || before.beads.text() === after.beads.text()) return [];
  const isFull = after.beads.records.size >= limits.beadsKept;
  const isAllOpen = [...after.beads.records.values()].every(({ status }) => status !== 'done');
  return changes<BeadRecord>(before.beads.records, after.beads.records, encodeBead).flatMap(
    ([id, was, now]) => {
      const isDropped = now === undefined && isFull && (was?.status === 'done' || isAllOpen);
      const isNewer = told.isMoved && now !== undefined && now.at > (was?.at ?? -1);
      const isReopened =
        now !== undefined &&
        was !== undefined &&
        told.of(id, ['reopened']) &&
        worksOn(told, after, id) &&
        differOnlyIn(was, now, ['status', 'failures', 'at']);
      const isGated =
        now !== undefined &&
        told.of(id, ['gated']) &&
        (was === undefined ? now.status === 'open' : differOnlyIn(was, now, ['followUp']));
      return worksOn(told, before, id) || isDropped || isNewer || isReopened || isGated
        ? []
        : [`${showAgent(told.who)} changed bead ${id}, which is not its work`];
    },
  );
}

/** A log that others follow never begins anew, and its format goes up alone, with a word of it. */
function root(told: Claims, before: State, after: State): readonly string[] {
  const [was, now] = [before.meta.version, after.meta.version];
  if (now < was || (now > was && !told.isRaised)) {
    return [`${showAgent(told.who)} changed the format of the log from ${was} to ${now}`];
  }
  return before.meta.rootSeq === after.meta.rootSeq &&
    before.meta.previous === after.meta.previous &&
    before.meta.stateHash === after.meta.stateHash
    ? []
    : [`${showAgent(told.who)} gave the log another root`];
}
