/** A store that fails in each of its ways: what is answered, and what stands. */
import { describe, expect, test } from 'vitest';
import { emptyState } from '../../src/core/state.ts';
import { MemoryLog, MemoryLogStore } from '../../src/log/memory-log-store.ts';
import { ChosenFaults, type Fault, FaultyLogStore } from '../../src/study/faulty-log-store.ts';
import { explore } from '../../src/study/schedule.ts';

const ann = { id: 'aaaaaaaa', name: 'ann' };
const entry = { seq: 1, at: 0, agent: ann, nonce: '0'.repeat(32), events: [] };

interface Came {
  readonly answer: string;
  readonly standing: number;
  readonly readable: boolean;
}

async function swapWith(fault: Fault): Promise<Came> {
  const log = new MemoryLog();
  const died = new Error('died');
  const store = new FaultyLogStore(
    new MemoryLogStore(log),
    { left: 1, next: () => fault },
    { die: async () => Promise.reject(died), note: () => {} },
  );
  const seen = await store.observe();
  const answer = await store.swap(seen, entry, emptyState(0)).then(
    ({ failure }) => (failure === null ? 'yes' : 'no'),
    (error: unknown) => (error === died ? 'none' : 'error'),
  );
  const readable = await store.observe().then(
    () => true,
    () => false,
  );
  return { answer, standing: log.entries.length, readable };
}

describe('a swap through a store that fails', () => {
  test.for<[Fault, Came]>([
    ['none', { answer: 'yes', standing: 1, readable: true }],
    ['crash-before', { answer: 'none', standing: 0, readable: true }],
    ['crash-after', { answer: 'none', standing: 1, readable: true }],
    ['lost-reply', { answer: 'error', standing: 1, readable: true }],
    ['false-no', { answer: 'no', standing: 1, readable: true }],
    ['false-yes', { answer: 'yes', standing: 0, readable: true }],
    ['busy', { answer: 'no', standing: 0, readable: true }],
    ['blind', { answer: 'error', standing: 1, readable: false }],
  ])('with %s: what is answered, what stands and whether it can be read', async ([fault, came]) => {
    expect(await swapWith(fault)).toEqual(came);
  });

  test('a budget of one fault over three swaps: none, or either kind at any of them', async () => {
    const found: string[] = [];
    await explore(async (choices) => {
      const faults = new ChosenFaults(choices, ['busy', 'false-no'], 1);
      found.push([faults.next(), faults.next(), faults.next()].join(' '));
      return 'complete';
    });
    expect(found.sort()).toEqual([
      'busy none none',
      'false-no none none',
      'none busy none',
      'none false-no none',
      'none none busy',
      'none none false-no',
      'none none none',
    ]);
  });
});
