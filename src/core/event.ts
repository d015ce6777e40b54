/**
 * What happened, as the log tells it: a subject that a person understands and trailers that a
 * program does. One commit is one operation and may hold several events, in order.
 */

import type { AgentName } from './lease.ts';

export type EventName =
  | 'started'
  | 'adopted'
  | 'ended'
  | 'acquired'
  | 'renewed'
  | 'released'
  | 'expired'
  | 'transferred'
  | 'broken'
  | 'waiting'
  | 'wait-ended'
  | 'conflict'
  | 'tally'
  | 'committed'
  | 'blocked'
  | 'overridden'
  | 'overwritten'
  | 'done'
  | 'failed'
  | 'reopened'
  | 'gated'
  | 'asked'
  | 'answered'
  | 'request-closed'
  | 'taken'
  | 'compacted'
  | 'repaired'
  | 'raised'
  | 'moved'
  | 'landed';

export interface Event {
  readonly event: EventName;
  /** Whom it is about; `by` is who did it, where that is somebody else. */
  readonly agent: AgentName;
  readonly by?: AgentName;
  readonly lease?: string;
  readonly [fact: string]: unknown;
}

export function isAgentName(value: unknown): value is AgentName {
  return (
    typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string'
  );
}

/** The leases that it names, one by one or in a list. */
export function leasesOf(event: Event): readonly string[] {
  const several = event['leases'];
  return [event.lease, ...(Array.isArray(several) ? several : [])].filter(
    (id): id is string => typeof id === 'string',
  );
}
