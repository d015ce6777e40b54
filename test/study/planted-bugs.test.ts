/**
 * Planted bugs, one for each thing that the simulation is trusted to find. Each is put in the place
 * of production code and has to be caught; production code in the same place is clean.
 */
import { describe, expect, test } from 'vitest';
import { decideAcquire } from '../../src/core/decide/acquire.ts';
import type { Entry } from '../../src/core/entry.ts';
import { limits } from '../../src/core/limits.ts';
import type { State } from '../../src/core/state.ts';
import type { Observation, Swap } from '../../src/log/log-store.ts';
import { MemoryLog, MemoryLogStore } from '../../src/log/memory-log-store.ts';
import { decisionContext } from '../../src/loop/operate.ts';
import type { World } from '../../src/loop/world.ts';
import { reserving } from '../../src/study/deeds.ts';
import { ChosenFaults, type Fault } from '../../src/study/faulty-log-store.ts';
import { type Deed, type DeedOutcome, play, type Scene } from '../../src/study/scene.ts';
import { explore } from '../../src/study/schedule.ts';
import { HandClock, seededRandom } from '../support/world.ts';

const names = ['ann', 'bob', 'cy'];

const patterns = ['src/a.ts', 'src/*.ts', '**/a.ts'];

function sceneOf(deed: (pattern: string) => Deed, more: Partial<Scene> = {}, agents = 2): Scene {
  return {
    roles: names
      .slice(0, agents)
      .map((agent, i) => ({ process: agent, agent, deeds: [deed(patterns[i] ?? '')] })),
    log: () => new MemoryLog(),
    clock: () => new HandClock(),
    random: (i) => seededRandom(i + 1),
    ...more,
  };
}

interface Caught {
  /** All problems of all runs, places and names left out. */
  readonly problems: ReadonlySet<string>;
  readonly twoWinners: number;
  readonly trace: string;
}

async function catchIn(scene: Scene): Promise<Caught> {
  const problems = new Set<string>();
  let twoWinners = 0;
  let trace = '';
  await explore(async (choices) => {
    const played = await play(scene, choices);
    if (played.end === 'complete' && played.problems.length > 0) {
      trace = played.trace;
      for (const problem of played.problems) problems.add(problem);
    }
    if ([...played.results.values()].filter(([word]) => word === 'granted').length > 1)
      twoWinners += 1;
    return played.end;
  });
  return { problems, twoWinners, trace };
}

/** Takes no notice of what it was told to expect. */
class HeedlessStore extends MemoryLogStore {
  readonly #log: MemoryLog;

  constructor(log: MemoryLog) {
    super(log);
    this.#log = log;
  }

  override swap(from: Observation, entry: Entry, state: State): Promise<Swap> {
    return super.swap({ ...from, tip: this.#log.tip }, entry, state);
  }
}

/** What is put on top of what. */
interface Put {
  readonly from: Observation | Promise<Observation>;
  readonly state: (from: Observation) => State;
}

/** A loop of our own that leaves something out. */
function naive(
  pattern: string,
  put: (world: World, seen: Observation, decided: State) => Put,
): Deed {
  const request = {
    want: { kind: 'reservation', patterns: [pattern] },
    mode: 'exclusive',
    ttlMs: null,
    defaultTtlMs: limits.ttlMs,
    reason: '',
    anew: false,
  } as const;
  return {
    op: { kind: 'acquire', patterns: [pattern] },
    act: async (world): Promise<DeedOutcome> => {
      for (;;) {
        const seen = await world.store.observe();
        const c = decisionContext(world, seen);
        const decision = decideAcquire(
          { ...request, caller: world.caller(), wait: false, waitId: null },
          seen.state,
          c,
        );
        if (decision.kind === 'refused')
          return { kind: 'acquired', request, outcome: { ...decision, at: seen } };
        if (decision.kind === 'same' || decision.result.kind !== 'granted')
          throw new Error('nothing to grant');
        const { from, state } = put(world, seen, decision.state);
        const base = await from;
        const entry: Entry = {
          seq: base.seq + 1,
          at: c.now.at,
          agent: decision.actor,
          nonce: world.random.nonce(),
          events: decision.events,
        };
        const { oid, failure } = await world.store.swap(base, entry, state(base));
        const at: Observation = { tip: oid, seq: entry.seq, state: decision.state };
        if (failure === null)
          return {
            kind: 'acquired',
            request,
            outcome: { kind: 'done', result: decision.result, at },
          };
      }
    },
  };
}

/** Decides on what it saw, and swaps on what is there by then. */
function latePut(pattern: string): Deed {
  return naive(pattern, (world, _seen, decided) => ({
    from: world.store.observe(),
    state: (from) => {
      const added = [...decided.leases.values()]
        .filter(({ id }) => !from.state.leases.has(id))
        .map((lease) => ({ ...lease, token: from.seq + 1 }));
      return {
        ...from.state,
        agents: new Map([...from.state.agents, ...decided.agents]),
        leases: new Map([
          ...from.state.leases,
          ...added.map((lease) => [lease.id, lease] as const),
        ]),
      };
    },
  }));
}

/** Believes what the swap says. */
function credulousPut(pattern: string): Deed {
  return naive(pattern, (_world, seen, decided) => ({ from: seen, state: () => decided }));
}

const someOf = (...texts: readonly string[]): unknown[] =>
  texts.map((text) => expect.stringContaining(text));

describe('planted bugs in every interleaving', () => {
  test('a swap that ignores the value it expects: two winners, and the grant of one of them is gone without a word', async () => {
    const caught = await catchIn(
      sceneOf((pattern) => reserving([pattern]), { store: (log) => new HeedlessStore(log) }),
    );
    expect(caught.twoWinners).toBeGreaterThan(0);
    expect([...caught.problems]).toEqual(
      expect.arrayContaining(someOf('is gone without a word', 'it follows 1')),
    );
    expect(caught.trace).toMatch(/swap 0 for 1 \(told yes\)[^]*swap 0 for 1 \(told yes\)/);
  });

  test('the check for overlaps made on an older state than the swap: two conflicting leases beside each other', async () => {
    const caught = await catchIn(sceneOf(latePut));
    expect(caught.twoWinners).toBeGreaterThan(0);
    expect([...caught.problems]).toEqual(
      expect.arrayContaining(
        someOf('stands beside', 'no order of the calls explains their results'),
      ),
    );
  });

  test('a yes of the store that is believed without looking for the nonce: a grant that is not in the log', async () => {
    const faults = (kinds: readonly Fault[]): Partial<Scene> => ({
      faults: (choices) => new ChosenFaults(choices, kinds, 1),
    });
    const caught = await catchIn(sceneOf(credulousPut, faults(['false-yes'])));
    expect([...caught.problems]).toEqual(expect.arrayContaining(someOf('which is not in the log')));
    expect((await catchIn(sceneOf(credulousPut))).problems.size).toBe(0);
  });

  test.for([
    2, 3,
  ])('production code in their place, %i agents with a false yes, a false no or a lost answer: nothing is caught', async (agents) => {
    const caught = await catchIn(
      sceneOf(
        (pattern) => reserving([pattern]),
        {
          faults: (choices) =>
            new ChosenFaults(choices, ['false-yes', 'false-no', 'lost-reply'], 1),
        },
        agents,
      ),
    );
    expect([...caught.problems]).toEqual([]);
    expect(caught.twoWinners).toBe(0);
  });
});
