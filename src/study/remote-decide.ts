/** What a machine decides about all that waits there, on the log as it last saw it. Pure. */
import { limits } from '../core/limits.ts';
import type { Places, SimulatedCopy } from './remote-log.ts';

export interface Request {
  readonly agent: number;
  readonly kind: 'claim' | 'reserve' | 'release';
  readonly file: number;
  /** Until when it stands in line; a moment that has passed if it does not wait. */
  readonly untilMs: number;
  readonly answer: (outcome: 'granted' | 'refused') => void;
}

/** The machine that decides, when, and by which rules. */
export interface Decider {
  readonly machine: number;
  readonly living: ReadonlySet<number>;
  readonly nowMs: number;
  readonly ttlMs: number;
  readonly graceMs: number;
}

export interface Decided {
  /** The state after it; null where there is nothing to write. */
  readonly places: Places | null;
  readonly granted: readonly Request[];
  /** From now on in line, or still. */
  readonly standing: readonly Request[];
  /** Refused if this view is fresh. */
  readonly held: readonly Request[];
}

const free: SimulatedCopy = { holder: null, line: [] };

/** No machine trusts the clock of another one to run as fast as its own. */
function isHeld({ holder }: SimulatedCopy, by: Decider): boolean {
  if (holder === null) return false;
  const slack = holder.machine === by.machine ? 1 : 1 + limits.clockRateError;
  return by.nowMs < holder.renewedMs + (by.ttlMs + by.graceMs) * slack;
}

/** Free, and nobody who asked earlier still waits for it. */
export function isTakable(place: SimulatedCopy | undefined, agent: number, by: Decider): boolean {
  if (place === undefined) return true;
  const first = place.line.find(({ untilMs }) => untilMs > by.nowMs);
  return !isHeld(place, by) && (first === undefined || first.agent === agent);
}

export function decide(
  requests: readonly Request[],
  seen: Places,
  by: Decider,
  renews: boolean,
): Decided {
  const after = new Map(seen);
  const granted: Request[] = [];
  const standing: Request[] = [];
  const held: Request[] = [];
  let writes = renews;
  for (const request of requests) {
    const { agent, kind, file, untilMs } = request;
    const place = after.get(file) ?? free;
    const isIn = place.line.some((waiter) => waiter.agent === agent);
    if (kind === 'claim') granted.push(request);
    else if (kind === 'release' && place.holder?.agent === agent) {
      granted.push(request);
      put(after, file, { holder: null, line: place.line }, by);
    } else if (kind === 'reserve' && isTakable(place, agent, by)) {
      granted.push(request);
      put(
        after,
        file,
        {
          holder: { agent, machine: by.machine, renewedMs: by.nowMs },
          line: place.line.filter((waiter) => waiter.agent !== agent),
        },
        by,
      );
    } else if (untilMs <= by.nowMs) held.push(request);
    else {
      standing.push(request);
      if (isIn) continue;
      put(after, file, { holder: place.holder, line: [...place.line, { agent, untilMs }] }, by);
      writes = true;
    }
  }
  if (!writes && granted.length === 0) return { places: null, granted, standing, held };
  renew(after, by);
  return { places: after, granted, standing, held };
}

function put(
  places: Map<number, SimulatedCopy>,
  file: number,
  { holder, line }: SimulatedCopy,
  { nowMs }: Decider,
): void {
  const waiting = line.filter(({ untilMs }) => untilMs > nowMs);
  if (holder === null && waiting.length === 0) places.delete(file);
  else places.set(file, { holder, line: waiting });
}

function renew(places: Map<number, SimulatedCopy>, { machine, living, nowMs }: Decider): void {
  for (const [file, { holder, line }] of places) {
    if (holder !== null && holder.machine === machine && living.has(holder.agent))
      places.set(file, { holder: { ...holder, renewedMs: nowMs }, line });
  }
}
