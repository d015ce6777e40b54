/** Changes of what others have that no coord makes: each is found. */
import { describe, expect, test } from 'vitest';
import type { Agent } from '../../src/core/agent.ts';
import { type BeadRecord, newBead } from '../../src/core/bead.ts';
import type { Stand } from '../../src/core/check-log.ts';
import { decideAcquire } from '../../src/core/decide/acquire.ts';
import { decideDone } from '../../src/core/decide/finish.ts';
import type { Event } from '../../src/core/event.ts';
import type { Lease } from '../../src/core/lease.ts';
import { limits } from '../../src/core/limits.ts';
import { unauthorizedChanges } from '../../src/core/rights.ts';
import { Beads, type State } from '../../src/core/state.ts';
import { operate } from '../../src/loop/operate.ts';
import { ask, claim, reserve } from '../support/rendered.ts';
import { ending, idOf, last, scene } from './rights-scene.ts';

const eve = { id: 'eeeeeeee', name: 'eve' };

function put<T extends { readonly id: string }>(
  records: ReadonlyMap<string, T>,
  ...changed: readonly T[]
): ReadonlyMap<string, T> {
  return new Map([...records, ...changed.map((record) => [record.id, record] as const)]);
}

function first<T>(records: ReadonlyMap<string, T>): T {
  const [record] = records.values();
  if (record === undefined) throw new Error('there is none');
  return record;
}

const none = new Map<string, never>();

const annsLease = (state: State): Lease =>
  [...state.leases.values()].find(
    ({ agent, kind }) => agent.name === 'ann' && kind === 'reservation',
  ) as Lease;

const withBead = (state: State, change: (bead: BeadRecord) => BeadRecord): State => ({
  ...state,
  beads: state.beads.with([change(first(state.beads.records))], limits.beadsKept),
});

/**
 * What eve does to a log in which ann holds src and works on a bead, bob asks for src and waits for
 * the bead, and another bead is done.
 */
const plants: readonly (readonly [
  string,
  string,
  (state: State) => State,
  (state: State) => readonly Partial<Event>[],
])[] = [
  [
    'ends a lease',
    'eve (eeeeeeee) changed src/** of ann',
    (state) => ({ ...state, leases: none }),
    (state) => [{ event: 'released', lease: annsLease(state).id }],
  ],
  [
    'takes over work that is no claim',
    'changed src/** of ann',
    (state) => ({
      ...state,
      leases: new Map([...state.leases].filter(([id]) => id !== annsLease(state).id)),
    }),
    (state) => [{ event: 'taken', lease: annsLease(state).id }],
  ],
  [
    'breaks a lease without a reason',
    'changed src/** of ann',
    (state) => ({
      ...state,
      leases: new Map([...state.leases].filter(([id]) => id !== annsLease(state).id)),
    }),
    (state) => [{ event: 'broken', lease: annsLease(state).id, reason: ' ' }],
  ],
  [
    'takes a claim away without working on it',
    'changed bead bd-1 of ann',
    (state) => ({ ...state, leases: put(none, annsLease(state)) }),
    (state) => [
      {
        event: 'taken',
        lease: [...state.leases.values()].find(({ kind }) => kind === 'claim')?.id ?? '',
      },
    ],
  ],
  [
    'shortens a lease',
    'changed src/** of ann',
    (state) => ({ ...state, leases: put(state.leases, { ...annsLease(state), ttlMs: 1 }) }),
    (state) => [{ event: 'renewed', lease: annsLease(state).id }],
  ],
  [
    'makes a lease old',
    'changed src/** of ann',
    (state) => ({
      ...state,
      leases: put(state.leases, {
        ...annsLease(state),
        renewed: { ...annsLease(state).renewed, uptimeMs: 0 },
      }),
    }),
    (state) => [{ event: 'renewed', lease: annsLease(state).id }],
  ],
  [
    "takes in another's name",
    'took lib/x in the name of ann',
    (state) => ({
      ...state,
      leases: put(state.leases, {
        ...annsLease(state),
        id: 'eeeeeee1',
        kind: 'reservation',
        patterns: ['lib/x'],
      }),
    }),
    () => [{ event: 'acquired', lease: 'eeeeeee1' }],
  ],
  [
    'puts somebody else on record',
    'put mallory (eeeeeee2) on record',
    (state) => ({
      ...state,
      agents: put<Agent>(state.agents, { ...first(state.agents), id: 'eeeeeee2', name: 'mallory' }),
    }),
    () => [{ event: 'started' }],
  ],
  [
    'takes an agent that holds something off the record',
    'took ann',
    (state) => ({ ...state, agents: none }),
    (state) => [...state.agents.values()].map((agent) => ({ event: 'ended' as const, agent })),
  ],
  [
    'takes a session over',
    'changed the session of ann',
    (state) => ({
      ...state,
      agents: put<Agent>(state.agents, { ...first(state.agents), session: 'f'.repeat(64) }),
    }),
    (state) => [{ event: 'adopted', agent: first(state.agents) }],
  ],
  [
    'pushes another out of the line',
    'changed the wait of bob',
    (state) => ({ ...state, waits: none }),
    () => [{ event: 'waiting' }],
  ],
  [
    'moves another back in the line',
    'changed the wait of bob',
    (state) => ({ ...state, waits: put(state.waits, { ...first(state.waits), since: 999 }) }),
    (state) => [{ event: 'wait-ended', lease: first(state.waits).id }],
  ],
  [
    'answers for another',
    'changed the request of bob',
    (state) => ({ ...state, requests: none }),
    (state) => [{ event: 'answered', request: first(state.requests).id }],
  ],
  [
    'asks for another',
    'changed the request of bob',
    (state) => ({
      ...state,
      requests: put(state.requests, { ...first(state.requests), urgent: true }),
    }),
    (state) => [{ event: 'asked', request: first(state.requests).id }],
  ],
  [
    "finishes another's work",
    'changed bead bd-1, which is not its work',
    (state) => ({
      ...state,
      beads: state.beads.with([{ ...newBead('bd-1', eve, 1), status: 'done' }], 10),
    }),
    () => [{ event: 'done', bead: 'bd-1' }],
  ],
  [
    'calls a new bead done by way of the gate',
    'changed bead bd-7',
    (state) => ({
      ...state,
      beads: state.beads.with([{ ...newBead('bd-7', eve, 1), status: 'done' }], 10),
    }),
    () => [{ event: 'gated', bead: 'bd-7' }],
  ],
  [
    'makes a bead its own by way of the gate',
    'changed bead bd-0',
    (state) => withBead(state, (bead) => ({ ...bead, by: eve })),
    () => [{ event: 'gated', bead: 'bd-0' }],
  ],
  [
    'opens a bead again without working on it',
    'changed bead bd-0',
    (state) => withBead(state, (bead) => ({ ...bead, status: 'open' })),
    () => [{ event: 'reopened', bead: 'bd-0' }],
  ],
  [
    'forgets what is done',
    'changed bead bd-0',
    (state) => ({ ...state, beads: Beads.none }),
    () => [{ event: 'done', bead: 'bd-0' }],
  ],
  [
    'shortens by way of a repair',
    'changed src/** of ann',
    (state) => ({ ...state, leases: put(state.leases, { ...annsLease(state), ttlMs: 1 }) }),
    (state) => [{ event: 'repaired', leases: [annsLease(state).id] }],
  ],
  [
    'answers by way of a move',
    'changed the request of bob',
    (state) => ({ ...state, requests: none }),
    () => [{ event: 'moved' }],
  ],
  [
    'finishes work by way of a repair',
    'changed bead bd-1',
    (state) => ({
      ...state,
      beads: state.beads.with([{ ...newBead('bd-1', eve, 1), status: 'done' }], 10),
    }),
    () => [{ event: 'repaired' }],
  ],
  [
    'takes a session over by way of a move',
    'changed the session of ann',
    (state) => ({
      ...state,
      agents: put<Agent>(state.agents, { ...first(state.agents), session: 'f'.repeat(64) }),
    }),
    () => [{ event: 'moved' }],
  ],
  [
    'begins the log anew by way of a repair',
    'gave the log another root',
    (state) => ({ ...state, meta: { ...state.meta, rootSeq: 99 } }),
    () => [{ event: 'repaired' }],
  ],
  [
    'begins the log anew',
    'gave the log another root',
    (state) => ({ ...state, meta: { ...state.meta, rootSeq: 99 } }),
    () => [{ event: 'compacted' }],
  ],
];

async function busy(): Promise<Stand> {
  const here = scene();
  const { ann, bob } = here;
  await claim(ann, 'bd-0', {});
  await operate(ann, (state, c) => decideDone({ ...ending(ann, 'bd-0'), token: 1 }, state, c));
  await reserve(ann, ['src/**'], {});
  await ask(bob, idOf(here, 'ann'), 'I need it', false);
  await claim(ann, 'bd-1', {});
  const request = {
    caller: bob.caller(),
    want: { kind: 'claim', bead: 'bd-1' },
    mode: 'exclusive',
    ttlMs: null,
    defaultTtlMs: limits.ttlMs,
    reason: '',
    anew: false,
  } as const;
  await operate(bob, (state, c) =>
    decideAcquire({ ...request, wait: true, waitId: null }, state, c),
  );
  return last(here);
}

describe('whose records an operation may change', () => {
  test.for(plants)('%s: found', async ([, problem, change, told]) => {
    const { entry, state } = await busy();
    const events = told(state).map((event): Event => ({ event: 'tally', agent: eve, ...event }));
    expect(
      unauthorizedChanges({ ...entry, agent: eve, events }, state, change(state)),
    ).toContainEqual(expect.stringContaining(problem));
  });
});
