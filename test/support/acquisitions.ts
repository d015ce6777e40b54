/** Requests for something, as an agent makes them. */
import type { Acquired, Acquisition } from '../../src/core/decide/acquisition.ts';
import type { Resource } from '../../src/core/lease.ts';
import { limits } from '../../src/core/limits.ts';
import { callerOf, type Row } from './states.ts';

export function asks(name: string, want: Resource, more: Partial<Acquisition> = {}): Acquisition {
  return {
    caller: callerOf(name),
    want,
    mode: 'exclusive',
    ttlMs: null,
    defaultTtlMs: limits.ttlMs,
    reason: '',
    wait: false,
    waitId: null,
    anew: false,
    ...more,
  };
}
export const paths = (patterns: string): Resource => ({
  kind: 'reservation',
  patterns: patterns.split(' '),
});
export const theBead: Resource = { kind: 'claim', bead: 'bd-1' };
export const theLock: Resource = { kind: 'lock', name: 'test' };

export type AcquireRow = Row<Acquisition, Acquired>;
