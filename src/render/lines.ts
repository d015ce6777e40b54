/** What is on record in the words of a person, on one line each. */
import { showAgent } from '../core/agent.ts';
import type { DecisionContext } from '../core/decide/decision.ts';
import { isInGrace } from '../core/decide/look.ts';
import { isStalled } from '../core/decide/renew.ts';
import { formatDuration } from '../core/instant.ts';
import { describeHeld, freeInMs, type Lease, liveForMs } from '../core/lease.ts';
import type { State } from '../core/state.ts';
import { isAdvice } from './facts.ts';

/** In the words of a person, marked where it is advice. */
export function named(lease: Lease, c: DecisionContext): string {
  return `${describeHeld(lease)}${isAdvice(lease, c) ? ' (advice)' : ''}`;
}

export function ago(at: number, c: DecisionContext): string {
  return `${formatDuration(c.now.at - at)} ago`;
}

/** `expires in 12m`, `in grace, free in 90s`. */
export function timeLeft(lease: Lease, c: DecisionContext): string {
  const left = freeInMs(lease, c.now, c.graceMs);
  return isInGrace(lease, c)
    ? `in grace, free in ${formatDuration(left)}`
    : `expires in ${formatDuration(liveForMs(lease, c.now))}`;
}

const nowMs = 5_000;

/** `active now`, `idle 3m`. */
export function activity(at: number, c: DecisionContext): string {
  return c.now.at - at < nowMs ? 'active now' : `idle ${formatDuration(c.now.at - at)}`;
}

/** Who holds it since when, and when it is free: `held by ann (k9) for 12m (idle 3m), ...`. */
export function heldBy(lease: Lease, state: State, c: DecisionContext): string {
  const active = state.agents.get(lease.agent.id)?.active.at ?? lease.renewed.at;
  return [
    `held by ${showAgent(lease.agent)} for ${formatDuration(c.now.at - lease.acquiredAt)} (${activity(Math.max(active, lease.renewed.at), c)})`,
    timeLeft(lease, c),
    ...(isStalled(lease, state, c) ? ['stalled'] : []),
    ...(isAdvice(lease, c) ? ['advisory'] : []),
  ].join(', ');
}

/** Who holds what since when and why, on one line. */
export function leaseLine(lease: Lease, state: State, c: DecisionContext): string {
  return [
    describeHeld(lease),
    heldBy(lease, state, c),
    ...(lease.reason === '' ? [] : [`for: ${lease.reason}`]),
    `lease ${lease.id}`,
  ].join(', ');
}
