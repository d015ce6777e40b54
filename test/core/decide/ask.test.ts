/** Hand-over by asking: the request, its answer and its end. */
import { describe, expect, test } from 'vitest';
import {
  type Answered,
  type AnswerRequest,
  type Ask,
  closeRequests,
  decideAnswer,
  decideAsk,
} from '../../../src/core/decide/ask.ts';
import { limits } from '../../../src/core/limits.ts';
import type { Request } from '../../../src/core/record.ts';
import {
  agent,
  ago,
  callerOf,
  changeIn,
  contextOf,
  expired,
  heldIn,
  inGrace,
  minute,
  named,
  type Row,
  request,
  reservation,
  stateOf,
  table,
} from '../../support/states.ts';

const lease = reservation('ann', 'src/a');
const asks = (name: string, more: Partial<Ask> = {}): Ask => ({
  caller: callerOf(name),
  lease: lease.id,
  reason: 'I need it',
  urgent: false,
  ...more,
});

const asking: readonly Row<Ask, { readonly request: Request }>[] = [
  {
    says: 'a request is pinned to the lease and the token that it saw',
    state: stateOf({ agents: ['bob'], leases: [lease] }),
    ask: asks('bob'),
    gives: 'asked ann',
    also: (decision) =>
      expect(changeIn(decision).result.request).toMatchObject({ lease: lease.id, token: 10 }),
  },
  {
    says: 'what is in grace may be asked for',
    state: stateOf({ agents: ['bob'], leases: [{ ...lease, ...inGrace }] }),
    ask: asks('bob'),
    gives: 'asked ann',
  },
  {
    says: 'nobody asks for a lease that is not there',
    state: stateOf({ agents: ['bob'] }),
    ask: asks('bob'),
    gives: 'refused: no_such_lease',
  },
  {
    says: 'nobody asks for what has expired: it is free',
    state: stateOf({ agents: ['bob'], leases: [{ ...lease, ...expired }] }),
    ask: asks('bob'),
    gives: 'refused: no_such_lease',
  },
  {
    says: "nobody asks for what is its family's own",
    state: stateOf({ agents: ['ann/kid'], leases: [lease] }),
    ask: asks('ann/kid'),
    gives: 'refused: own_lease',
  },
  {
    says: 'who asks under the name of a session shows its key',
    state: stateOf({ agents: [agent('bob', { session: 'key' })], leases: [lease] }),
    ask: asks('bob'),
    gives: 'refused: not_your_session',
  },
  {
    says: 'asked again it is the same request',
    state: stateOf({ leases: [lease], requests: [request('bob', lease)] }),
    ask: asks('bob'),
    gives: 'no change',
  },
  {
    says: 'it becomes urgent when it is asked again as that, and keeps its age',
    state: stateOf({ leases: [lease], requests: [request('bob', lease, { asked: ago(minute) })] }),
    ask: asks('bob', { urgent: true }),
    gives: 'asked ann',
    also: (decision) =>
      expect(changeIn(decision).result.request).toMatchObject({ urgent: true, asked: ago(minute) }),
  },
  {
    says: 'an agent has no more open requests than an agent may',
    state: stateOf({
      leases: [lease],
      requests: Array.from({ length: limits.requestsPerAgent }, (_, i) =>
        request('bob', reservation('ann', `f${i}`)),
      ),
    }),
    ask: asks('bob'),
    gives: 'refused: cap of requests',
  },
];

const answers = (name: string, more: Partial<AnswerRequest> = {}): AnswerRequest => ({
  caller: callerOf(name),
  named: lease.id,
  verdict: 'accept',
  etaMs: 0,
  reason: '',
  frees: false,
  ...more,
});
const asked = stateOf({ leases: [lease], requests: [request('bob', lease)] });

const answering: readonly Row<AnswerRequest, Answered>[] = [
  {
    says: 'accepted, the lease is given in the same step, under a new token',
    state: asked,
    ask: answers('ann'),
    gives: 'answered bob, transferred bob',
    also: (decision) => {
      const { state, result } = changeIn(decision);
      expect(heldIn(state)).toEqual(['bob src/a']);
      expect(result.leases).toMatchObject([{ token: 100 }]);
      expect(state.requests.size).toBe(0);
    },
  },
  {
    says: 'accepted with release, it is free',
    state: asked,
    ask: answers('ann', { frees: true }),
    gives: 'answered bob, released ann',
  },
  {
    says: 'where who asked is gone, it is free too',
    state: { ...asked, agents: new Map([[named('ann').id, agent('ann')]]) },
    ask: answers('ann'),
    gives: 'answered bob, released ann',
  },
  {
    says: 'declined, the request is over and the lease stays',
    state: asked,
    ask: answers('ann', { verdict: 'decline' }),
    gives: 'answered bob',
    also: (decision) => {
      expect(heldIn(changeIn(decision).state)).toEqual(['ann src/a']);
      expect(changeIn(decision).state.requests.size).toBe(0);
    },
  },
  {
    says: 'deferred, the request stands with the time that was promised',
    state: asked,
    ask: answers('ann', { verdict: 'defer', etaMs: minute }),
    gives: 'answered bob',
    also: (decision) =>
      expect([...changeIn(decision).state.requests.values()]).toMatchObject([
        { deferred: { etaMs: minute } },
      ]),
  },
  {
    says: 'of several the urgent one is answered first',
    state: stateOf({
      leases: [lease],
      requests: [
        request('bob', lease, { asked: ago(minute) }),
        request('eve', lease, { urgent: true }),
      ],
    }),
    ask: answers('ann'),
    gives: 'answered eve, transferred eve',
  },
  {
    says: 'nobody answers a request that is not there',
    state: stateOf({ leases: [lease] }),
    ask: answers('ann'),
    gives: 'refused: no_such_request',
  },
  {
    says: 'an answer moves nothing that was granted after the request',
    state: stateOf({ leases: [{ ...lease, token: 11 }], requests: [request('bob', lease)] }),
    ask: answers('ann'),
    gives: 'refused: lease_changed',
  },
  {
    says: 'an answer to what has expired moves nothing',
    state: stateOf({ leases: [{ ...lease, ...expired }], requests: [request('bob', lease)] }),
    ask: answers('ann'),
    gives: 'refused: lease_changed',
  },
  {
    says: 'only its holder answers',
    state: asked,
    ask: answers('bob'),
    gives: 'refused: not_owner',
  },
  {
    says: 'nor does a stranger to the log',
    state: asked,
    ask: answers('zoe'),
    gives: 'refused: not_owner',
  },
  {
    says: 'who answers under the name of a session shows its key',
    state: stateOf({
      agents: [agent('ann', { session: 'key' })],
      leases: [lease],
      requests: [request('bob', lease)],
    }),
    ask: answers('ann'),
    gives: 'refused: not_your_session',
  },
];

describe('a request', () => table(asking, decideAsk));
describe('an answer', () => table(answering, decideAnswer));

describe('the end of a request', () => {
  const open = request('bob', lease);
  test.for([
    ['stays open while its lease stands', stateOf({ leases: [lease], requests: [open] }), 0],
    ['ends with its lease', stateOf({ requests: [open] }), 1],
    [
      'ends when the lease was granted anew',
      stateOf({ leases: [{ ...lease, token: 11 }], requests: [open] }),
      1,
    ],
    ['ends with who asked', { ...asked, agents: new Map() }, 1],
    [
      'ends of age',
      stateOf({
        leases: [lease],
        requests: [request('bob', lease, { asked: ago(limits.requestAgeMs + 1) })],
      }),
      1,
    ],
    ['is nothing where there is none', stateOf({ leases: [lease] }), 0],
  ] as const)('it %s', ([, state, ended]) => {
    const closed = closeRequests(state, named('ann'), contextOf());
    expect(closed.events.map(({ event }) => event)).toEqual(Array(ended).fill('request-closed'));
    expect(closed.state.requests.size).toBe(state.requests.size - ended);
  });
});
