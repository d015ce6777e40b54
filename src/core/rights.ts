/** Whose records an operation may change: its own agent's and kin's; another's only in the ways that are there for it, each with its event. */
import { showAgent } from './agent.ts';
import type { Entry } from './event.ts';
import { toJson } from './harmless.ts';
import { areKin } from './ids.ts';
import { describe, type Lease } from './lease.ts';
import { encodeLease } from './record.ts';
import type { State } from './state.ts';

/** How what another holds may come to an end, and how it may go on. */
const mayEnd: readonly string[] = ['expired', 'broken', 'taken', 'moved', 'repaired'];
const mayGoOn: readonly string[] = ['taken', 'moved', 'repaired'];

/** What a renewal leaves as it is. */
function essence({ renewed: _renewed, steady: _steady, edited: _edited, ttlMs: _ttl, ...rest }: Lease): string {
  return toJson(rest);
}

export function trespasses(entry: Entry, before: State, after: State): readonly string[] {
  const isOwn = (lease: Lease): boolean => areKin(lease.agent.name, entry.agent.name);
  const told = (id: string, names: readonly string[]): boolean => entry.events.some((event) => names.includes(event.event)
    && (event.lease === id || (Array.isArray(event['leases']) && event['leases'].includes(id))));
  const problems: string[] = [];
  for (const [id, was] of before.leases) {
    const now = after.leases.get(id);
    if (isOwn(was) || (now !== undefined && toJson(encodeLease(now)) === toJson(encodeLease(was)))) continue;
    const isRenewal = now !== undefined && told(id, ['renewed']) && essence(now) === essence(was);
    if (!isRenewal && !told(id, now === undefined ? mayEnd : mayGoOn)) problems.push(`${showAgent(entry.agent)} changed ${describe(was)} of ${showAgent(was.agent)}`);
  }
  for (const [id, now] of after.leases) {
    if (!before.leases.has(id) && !isOwn(now) && !told(id, ['moved', 'repaired'])) problems.push(`${showAgent(entry.agent)} took ${describe(now)} in the name of ${showAgent(now.agent)}`);
  }
  for (const [id, was] of before.agents) {
    const now = after.agents.get(id);
    const isTold = entry.events.some((event) => ['adopted', 'started', 'ended', 'moved', 'repaired'].includes(event.event));
    if (now !== undefined && now.session !== was.session && !isTold) problems.push(`${showAgent(entry.agent)} changed the session of ${showAgent(was)}`);
  }
  return problems;
}
