/** Whose records an operation may change: its own agent's and kin's; another's only in the ways that are there for it, each with its event. */
import { showAgent, type Agent } from './agent.ts';
import type { BeadRecord } from './bead.ts';
import { encodeBead } from './bead.ts';
import type { Entry, EventName } from './event.ts';
import { toJson } from './harmless.ts';
import { areKin } from './ids.ts';
import { describe, type AgentName, type Lease, type Wait } from './lease.ts';
import { limits } from './limits.ts';
import { encodeAgent, encodeLease, encodeRequest, encodeWait, type Request } from './record.ts';
import type { State } from './state.ts';

/** How what another holds may come to an end, and how it may go on. */
const mayEnd: readonly EventName[] = ['expired', 'broken', 'moved', 'repaired'];
const mayGoOn: readonly EventName[] = ['moved', 'repaired'];

/** What an operation says of itself: whose it is, and what it tells of whom. */
interface Told {
  readonly who: AgentName;
  isOwn(record: { readonly agent: AgentName }): boolean;
  /** Is there an event by one of these names about this: a lease or a wait, a request, a bead, an agent? */
  of(id: string, names: readonly EventName[]): boolean;
  /** Carried over from another log, or put together again: whole records come and go. */
  readonly isCarried: boolean;
}

export function trespasses(entry: Entry, before: State, after: State): readonly string[] {
  const told: Told = {
    who: entry.agent,
    isOwn: ({ agent }) => areKin(agent.name, entry.agent.name),
    of: (id, names) => entry.events.some((event) => names.includes(event.event)
      && ([event.lease, event['request'], event['bead'], event.agent.id].includes(id) || (Array.isArray(event['leases']) && event['leases'].includes(id)))),
    isCarried: entry.events.some(({ event }) => event === 'moved' || event === 'repaired'),
  };
  const ofLeases = leases(told, before, after);
  if (told.isCarried) return ofLeases;
  return [...ofLeases, ...agents(told, before, after), ...waits(told, before, after), ...requests(told, before, after), ...beads(told, before, after), ...root(told, before, after)];
}

/** Every record that is not as it was; what it was and what it is are undefined where it was not or is no more. */
function changes<T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>, encode: (record: T) => unknown): readonly (readonly [string, T | undefined, T | undefined])[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((id) => {
    const [was, now] = [before.get(id), after.get(id)];
    const isSame = was === now || (was !== undefined && now !== undefined && toJson(encode(was)) === toJson(encode(now)));
    return isSame ? [] : [[id, was, now] as const];
  });
}

/** Are two records the same but for these fields? */
function differOnlyIn<T extends object>(was: T, now: T, fields: readonly (keyof T)[]): boolean {
  const rest = (record: T): string => toJson(Object.fromEntries(Object.entries(record).filter(([key]) => !fields.includes(key as keyof T))));
  return rest(was) === rest(now);
}

function leases(told: Told, before: State, after: State): readonly string[] {
  return changes<Lease>(before.leases, after.leases, encodeLease).flatMap(([id, was, now]) => {
    if (was === undefined) return now === undefined || told.isOwn(now) || told.of(id, ['moved', 'repaired']) ? [] : [`${showAgent(told.who)} took ${describe(now)} in the name of ${showAgent(now.agent)}`];
    if (told.isOwn(was)) return [];
    // All agents of a clone are renewed together, under the clock that they share.
    const isRenewal = now !== undefined && told.of(id, ['renewed']) && differOnlyIn(was, now, ['renewed'])
      && now.renewed.domain === was.renewed.domain && now.renewed.uptimeMs >= was.renewed.uptimeMs;
    const isTaken = now === undefined && was.kind === 'claim' && told.of(id, ['taken']) && worksOn(told, after, was.bead);
    return isRenewal || isTaken || told.of(id, now === undefined ? mayEnd : mayGoOn) ? [] : [`${showAgent(told.who)} changed ${describe(was)} of ${showAgent(was.agent)}`];
  });
}

function agents(told: Told, before: State, after: State): readonly string[] {
  const isBusy = (id: string): boolean => [...after.leases.values(), ...after.waits.values()].some(({ agent }) => agent.id === id);
  return changes<Agent>(before.agents, after.agents, encodeAgent).flatMap(([id, was, now]) => {
    const agent = was ?? now;
    if (agent === undefined || told.isOwn({ agent })) return [];
    if (was === undefined) return [`${showAgent(told.who)} put ${showAgent(agent)} on record`];
    if (now === undefined) return told.of(id, ['ended']) && !isBusy(id) ? [] : [`${showAgent(told.who)} took ${showAgent(agent)} off the record`];
    return differOnlyIn(was, now, ['active']) ? [] : [`${showAgent(told.who)} changed the session of ${showAgent(agent)}`];
  });
}

function waits(told: Told, before: State, after: State): readonly string[] {
  return changes<Wait>(before.waits, after.waits, encodeWait).flatMap(([id, was, now]) => {
    const wait = was ?? now;
    if (wait === undefined || told.isOwn(wait) || (was !== undefined && now === undefined && told.of(id, ['wait-ended']))) return [];
    return [`${showAgent(told.who)} changed the wait of ${showAgent(wait.agent)} for ${describe(wait)}`];
  });
}

/** Made by who asks, answered by whom it is put to, and closed by anybody once it is over. */
function requests(told: Told, before: State, after: State): readonly string[] {
  const may = (id: string, agent: AgentName, name: EventName): boolean => told.isOwn({ agent }) && told.of(id, [name]);
  return changes<Request>(before.requests, after.requests, encodeRequest).flatMap(([id, was, now]) => {
    const request = was ?? now;
    if (request === undefined) return [];
    const holder = before.leases.get(request.lease)?.agent ?? request.to;
    const isAsked = now !== undefined && may(id, request.from, 'asked') && (was === undefined || differOnlyIn(was, now, ['reason', 'urgent']));
    const isAnswered = was !== undefined && may(id, holder, 'answered') && (now === undefined || differOnlyIn(was, now, ['deferred']));
    if (isAsked || isAnswered || (now === undefined && told.of(id, ['request-closed']))) return [];
    return [`${showAgent(told.who)} changed the request of ${showAgent(request.from)} for ${describe(request.what)}`];
  });
}

function worksOn(told: Told, state: State, bead: string): boolean {
  return [...state.leases.values()].some((lease) => lease.kind === 'claim' && lease.bead === bead && told.isOwn(lease));
}

/** By who works on it; by who begins it again; its list of what is missing by whoever asks the gate. What is done goes once there are too many. */
function beads(told: Told, before: State, after: State): readonly string[] {
  if (before.beads === after.beads || before.beads.text() === after.beads.text()) return [];
  const isFull = after.beads.records.size >= limits.beadsKept;
  return changes<BeadRecord>(before.beads.records, after.beads.records, encodeBead).flatMap(([id, was, now]) => {
    if (worksOn(told, before, id) || (now === undefined && isFull)) return [];
    if (now !== undefined && was !== undefined && told.of(id, ['reopened']) && worksOn(told, after, id) && differOnlyIn(was, now, ['status', 'failures', 'at'])) return [];
    if (now?.status !== 'done' && told.of(id, ['gated']) && was === undefined) return [];
    if (now !== undefined && was !== undefined && told.of(id, ['gated']) && differOnlyIn(was, now, ['followUp'])) return [];
    return [`${showAgent(told.who)} changed bead ${id}, which is not its work`];
  });
}

/** Leases of others that it calls expired; where a log is put together again, what had ended once is not held a second time. */
export function calledExpired(entry: Entry, before: State, after: State): readonly Lease[] {
  if (entry.events.some(({ event }) => event === 'repaired')) return [];
  const told = new Set(entry.events.flatMap(({ event, lease }) => (event === 'expired' ? lease ?? [] : [])));
  return [...before.leases.values()].filter(({ id, agent }) => told.has(id) && !after.leases.has(id) && !areKin(agent.name, entry.agent.name));
}

/** A log that others follow never begins anew. */
function root(told: Told, before: State, after: State): readonly string[] {
  return before.meta.rootSeq === after.meta.rootSeq && before.meta.previous === after.meta.previous && before.meta.stateHash === after.meta.stateHash
    ? [] : [`${showAgent(told.who)} gave the log another root`];
}
