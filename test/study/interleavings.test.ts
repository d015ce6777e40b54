/**
 * Production code under every interleaving of its reads and swaps. A row says who does what, on
 * what log, and exactly which endings there may be; each of them has to be met, so that a schedule
 * that explores nothing fails too.
 */
import { describe, expect, test } from 'vitest';
import { limits } from '../../src/core/limits.ts';
import { MemoryLog, MemoryLogStore } from '../../src/log/memory-log-store.ts';
import {
  releasing,
  renewing,
  reserving,
  sweeping,
  taking,
  transferring,
} from '../../src/study/deeds.ts';
import { ChosenFaults, type Fault } from '../../src/study/faulty-log-store.ts';
import {
  type Deed,
  type Played,
  play,
  type Role,
  type Scene,
  simulatedWorld,
} from '../../src/study/scene.ts';
import { type Explored, explore } from '../../src/study/schedule.ts';
import { standsOf } from '../../src/study/stands.ts';
import { HandClock, seededRandom } from '../support/world.ts';

type Cast = Readonly<Record<string, readonly Deed[]>>;

interface Before {
  /** Done in this order before the scene begins. */
  readonly done?: readonly (readonly [agent: string, deed: Deed])[];
  readonly passedMs?: number;
}

/** `bob@2` is a second process of bob. */
function rolesOf(cast: Cast): readonly Role[] {
  return Object.entries(cast).map(([process, deeds]) => ({
    process,
    agent: process.split('@')[0] ?? process,
    deeds,
  }));
}

/** Uptimes are whole milliseconds; naps are not. */
class WholeClock extends HandClock {
  override async sleep(ms: number): Promise<void> {
    this.pass(Math.ceil(ms));
  }
}

async function sceneOf(cast: Cast, before: Before = {}, more: Partial<Scene> = {}): Promise<Scene> {
  const made = new MemoryLog();
  for (const [i, [agent, deed]] of (before.done ?? []).entries()) {
    await deed.act(
      simulatedWorld(agent, new MemoryLogStore(made), new WholeClock(), seededRandom(1_000 + i)),
    );
  }
  const log = (): MemoryLog => {
    const copy = new MemoryLog();
    copy.entries.push(...made.entries);
    return copy;
  };
  const clock = (): WholeClock => {
    const later = new WholeClock();
    later.pass(before.passedMs ?? 0);
    return later;
  };
  return { roles: rolesOf(cast), log, clock, random: (i) => seededRandom(i + 1), ...more };
}

interface Endings extends Explored {
  readonly endings: readonly string[];
}

async function endingsOf(
  scene: Scene,
  look: (played: Played) => void = () => {},
): Promise<Endings> {
  const endings = new Set<string>();
  const explored = await explore(async (choices) => {
    const played = await play(scene, choices);
    if (played.end === 'complete') {
      expect(played.problems, played.trace).toEqual([]);
      look(played);
      endings.add(
        [...played.results].map(([process, words]) => `${process} ${words.join(' ')}`).join(', '),
      );
    }
    return played.end;
  });
  return { ...explored, endings: [...endings].sort() };
}

function standing({ log }: Played): readonly string[] {
  return [...(standsOf(log).at(-1)?.state.leases.values() ?? [])]
    .map(
      (lease) =>
        `${lease.agent.name} ${lease.kind === 'reservation' ? lease.patterns.join(' ') : ''}`,
    )
    .sort();
}

const all = ['src/a.ts', 'src/*.ts', 'src/**', '**/a.ts'] as const;
const names = ['ann', 'bob', 'cy', 'dee'] as const;

function oneOf(count: number): string[] {
  return names
    .slice(0, count)
    .map((winner) =>
      names
        .slice(0, count)
        .map((name) => `${name} ${name === winner ? 'granted' : 'refused:held'}`)
        .join(', '),
    )
    .sort();
}

const held = reserving(['src/a.ts']);

describe('every interleaving of agents that ask for what only one can have', () => {
  // Whoever swaps first, each of the others looked either before or after: n winners, 2 ways for
  // each loser.
  test.for([
    [2, 4],
    [3, 12],
    [4, 32],
  ] as const)(
    '%i agents with overlapping patterns: exactly one is granted, whoever it is, in %i or more orders that differ',
    async ([count, orders]) => {
      const cast = Object.fromEntries(
        names.slice(0, count).map((name, i) => [name, [reserving([all[i] ?? ''])]]),
      );
      const found = await endingsOf(await sceneOf(cast), (played) =>
        expect(standing(played)).toHaveLength(1),
      );
      expect(found.endings).toEqual(oneOf(count));
      expect(found.complete).toBeGreaterThanOrEqual(orders);
    },
  );

  test('4 agents with one and the same request: exactly one is granted', async () => {
    const cast = Object.fromEntries(names.map((name) => [name, [held]]));
    expect((await endingsOf(await sceneOf(cast))).endings).toEqual(oneOf(4));
  });

  test('two agents in every order of their steps, reads too: the same endings as without the orders that cannot differ', async () => {
    const cast = {
      ann: [reserving(['src/*.ts']), releasing(['src/*.ts'])],
      bob: [reserving(['src/a.ts'])],
    };
    const reduced = await endingsOf(await sceneOf(cast));
    const whole = await endingsOf(await sceneOf(cast, {}, { everyRun: true }));
    expect(whole.endings).toEqual(reduced.endings);
    expect(whole.redundant).toBe(0);
    expect(whole.complete).toBeGreaterThan(10 * reduced.complete);
  });
});

/** Stands in line, and gives up at its second look. */
function waiting(pattern: string): Deed {
  return taking({ kind: 'reservation', patterns: [pattern] }, { waitMs: 1 });
}

interface Row {
  readonly title: string;
  readonly cast: Cast;
  readonly before?: Before;
  readonly endings: readonly string[];
}

const rows: readonly Row[] = [
  {
    title: 'patterns that do not meet: all are granted',
    endings: ['ann granted, bob granted, cy granted'],
    cast: { ann: [held], bob: [reserving(['lib/**'])], cy: [reserving(['docs/*.md'])] },
  },
  {
    title:
      'one in the middle overlaps two that do not meet: it has its own, or both of them have theirs',
    cast: { ann: [held], bob: [reserving(['src/*.ts'])], cy: [reserving(['src/b.ts'])] },
    endings: [
      'ann granted, bob refused:held, cy granted',
      'ann refused:held, bob granted, cy refused:held',
    ],
  },
  {
    title:
      'a chain of three and one who overlaps them all: the ends of the chain, or its middle, or the fourth alone',
    cast: {
      ann: [held],
      bob: [reserving(['src/*.ts'])],
      cy: [reserving(['src/b.ts'])],
      dee: [reserving(['src/**'])],
    },
    endings: [
      'ann granted, bob refused:held, cy granted, dee refused:held',
      'ann refused:held, bob granted, cy refused:held, dee refused:held',
      'ann refused:held, bob refused:held, cy refused:held, dee granted',
    ],
  },
  {
    title: 'two patterns in one call, each taken by another: all or nothing',
    cast: { ann: [reserving(['src/a.ts', 'lib/b.ts'])], bob: [held], cy: [reserving(['lib/**'])] },
    endings: [
      'ann granted, bob refused:held, cy refused:held',
      'ann refused:held, bob granted, cy granted',
    ],
  },
  {
    title: 'two processes of one agent and a rival: both processes or the rival',
    cast: { ann: [held], 'ann@2': [held], bob: [held] },
    endings: [
      'ann granted, ann@2 granted, bob refused:held',
      'ann refused:held, ann@2 refused:held, bob granted',
    ],
  },
  {
    title: 'a parent and its two children: the parent always, one of the children',
    before: { done: [['ann', reserving(['lib/**'])]] },
    cast: { ann: [reserving(['src/**'])], 'ann/kid': [held], 'ann/boy': [reserving(['src/*.ts'])] },
    endings: [
      'ann granted, ann/kid granted, ann/boy refused:held',
      'ann granted, ann/kid refused:held, ann/boy granted',
    ],
  },
  {
    title:
      'two holders who each wait for what the other has: one of them is told of the circle, if both were in line',
    before: {
      done: [
        ['ann', held],
        ['bob', reserving(['lib/b.ts'])],
      ],
    },
    cast: { ann: [waiting('lib/b.ts')], bob: [waiting('src/a.ts')] },
    endings: [
      'ann refused:deadlock, bob refused:timeout',
      'ann refused:timeout, bob refused:deadlock',
      'ann refused:timeout, bob refused:timeout',
    ],
  },
  {
    title: 'two readers and a writer: both readers or the writer',
    cast: {
      ann: [reserving(['src/**'], { mode: 'shared' })],
      bob: [reserving(['src/a.ts'], { mode: 'shared' })],
      cy: [held],
    },
    endings: [
      'ann granted, bob granted, cy refused:held',
      'ann refused:held, bob refused:held, cy granted',
    ],
  },
  {
    title: 'two readers who both want to write: neither, while the other reads',
    before: {
      done: [
        ['ann', reserving(['src/a.ts'], { mode: 'shared' })],
        ['bob', reserving(['src/a.ts'], { mode: 'shared' })],
      ],
    },
    cast: { ann: [held], bob: [held] },
    endings: ['ann refused:held, bob refused:held'],
  },
  {
    title:
      'a holder who releases, and two who want it: one of them at most, both only if they came too early',
    before: { done: [['ann', held]] },
    cast: { ann: [releasing(['src/a.ts'])], bob: [held], cy: [held] },
    endings: [
      'ann released, bob granted, cy refused:held',
      'ann released, bob refused:held, cy granted',
      'ann released, bob refused:held, cy refused:held',
    ],
  },
  {
    title: 'a holder who renews in time, and a rival: the rival never',
    before: { done: [['ann', held]], passedMs: limits.ttlMs - 1 },
    cast: { ann: [renewing()], bob: [held], cy: [sweeping()] },
    endings: ['ann renewed, bob refused:held, cy nothing'],
  },
  {
    title: 'a holder in grace who takes it again, and a rival: the rival never',
    before: { done: [['ann', held]], passedMs: limits.ttlMs + 1 },
    cast: { ann: [held], bob: [held], cy: [sweeping()] },
    endings: [
      'ann granted, bob refused:grace, cy nothing',
      'ann granted, bob refused:held, cy nothing',
    ],
  },
  {
    title:
      'a lease that has run out: the rival takes it, a renewal never brings it back, the sweep may come first',
    before: { done: [['ann', held]], passedMs: limits.ttlMs + limits.graceMs + 1 },
    cast: { ann: [renewing()], bob: [held], cy: [sweeping()] },
    endings: ['nothing', 'swept'].flatMap((swept) =>
      ['expired', 'nothing_matched'].map((why) => `ann refused:${why}, bob granted, cy ${swept}`),
    ),
  },
  {
    title: 'a transfer, and a third who wants it: the third never',
    before: {
      done: [
        ['ann', held],
        ['bob', reserving(['lib/**'])],
      ],
    },
    cast: { ann: [transferring(['src/a.ts'], 'bob')], cy: [reserving(['src/*.ts'])] },
    endings: ['ann transferred, cy refused:held'],
  },
  {
    title: 'a transfer to one who asks for it: refused before, its own after',
    before: {
      done: [
        ['ann', held],
        ['bob', reserving(['lib/**'])],
      ],
    },
    cast: { ann: [transferring(['src/a.ts'], 'bob')], bob: [held] },
    endings: ['ann transferred, bob granted', 'ann transferred, bob refused:held'],
  },
  {
    title: 'a transfer and a release of one lease: only one of them takes effect',
    before: {
      done: [
        ['ann', held],
        ['bob', reserving(['lib/**'])],
      ],
    },
    cast: { ann: [transferring(['src/a.ts'], 'bob')], 'ann@2': [releasing(['src/a.ts'])] },
    endings: [
      'ann refused:nothing_matched, ann@2 released',
      'ann transferred, ann@2 refused:not_owner',
    ],
  },
  {
    title: 'two who take and release: an order explains what both were told',
    cast: {
      ann: [reserving(['src/*.ts']), releasing(['src/*.ts'])],
      bob: [held, releasing(['src/a.ts'])],
    },
    endings: [
      'ann granted released, bob granted released',
      'ann granted released, bob refused:held refused:nothing_matched',
      'ann refused:held refused:nothing_matched, bob granted released',
    ],
  },
];

describe('every interleaving of scenes', () => {
  test.for(rows.map((row) => [row.title, row] as const))(
    '%s',
    async ([, { cast, before, endings }]) => {
      expect((await endingsOf(await sceneOf(cast, before))).endings).toEqual(endings.toSorted());
    },
  );
});

const crashes: readonly Fault[] = ['crash-before', 'crash-after'];

describe('every interleaving with one fault at every swap it could be at', () => {
  test.for([2, 3])(
    '%i agents, one of them killed at a swap: exactly one lease stands, and no survivor was told wrongly',
    async (count) => {
      const cast = Object.fromEntries(
        names.slice(0, count).map((name, i) => [name, [reserving([all[i] ?? ''])]]),
      );
      const scene = await sceneOf(
        cast,
        {},
        { faults: (choices) => new ChosenFaults(choices, crashes, 1) },
      );
      const found = await endingsOf(scene, (played) => {
        expect(standing(played), played.trace).toHaveLength(1);
        expect(
          [...played.results.values()].filter(([word]) => word === 'granted').length,
        ).toBeLessThanOrEqual(1);
      });
      for (const name of names.slice(0, count))
        expect(found.endings.some((ending) => ending.includes(`${name} killed`))).toBe(true);
    },
  );

  test('a holder killed while it releases, and two who want it: one holder at most, and nobody lost it without a word', async () => {
    const scene = await sceneOf(
      { ann: [releasing(['src/a.ts'])], bob: [held], cy: [held] },
      { done: [['ann', held]] },
      { faults: (choices) => new ChosenFaults(choices, crashes, 1) },
    );
    const found = await endingsOf(scene, (played) =>
      expect(standing(played).length, played.trace).toBeLessThanOrEqual(1),
    );
    expect(found.endings).toContain('ann killed, bob refused:held, cy refused:held');
    expect(found.endings).toContain('ann killed, bob granted, cy refused:held');
  });

  test('a giver killed in a transfer, and a third who wants it: it stands with one of the two, never with the third', async () => {
    const before = {
      done: [
        ['ann', held],
        ['bob', reserving(['lib/**'])],
      ],
    } as const;
    const scene = await sceneOf(
      { ann: [transferring(['src/a.ts'], 'bob')], cy: [reserving(['src/*.ts'])] },
      before,
      { faults: (choices) => new ChosenFaults(choices, crashes, 1) },
    );
    const found = await endingsOf(scene, (played) =>
      expect(['ann src/a.ts,bob lib/**', 'bob lib/**,bob src/a.ts']).toContain(
        standing(played).join(),
      ),
    );
    expect(found.endings).toEqual([
      'ann killed, cy refused:held',
      'ann transferred, cy refused:held',
    ]);
  });

  test('3 agents, one swap whose answer is lost: one is granted and has it; whoever was told of a failure has nothing', async () => {
    const cast = Object.fromEntries(
      names.slice(0, 3).map((name, i) => [name, [reserving([all[i] ?? ''])]]),
    );
    const scene = await sceneOf(
      cast,
      {},
      { faults: (choices) => new ChosenFaults(choices, ['lost-reply'], 1) },
    );
    const found = await endingsOf(scene, (played) => {
      const granted = [...played.results]
        .filter(([, [word]]) => word === 'granted')
        .map(([name]) => name);
      expect(
        standing(played).map((lease) => lease.split(' ')[0]),
        played.trace,
      ).toEqual(granted);
      expect(granted).toHaveLength(1);
    });
    expect(found.endings).toEqual(expect.arrayContaining(oneOf(3)));
  });

  test.for(['false-no', 'false-yes', 'busy'] as const)(
    '3 agents, one swap with %s: still exactly one is granted and the others are refused',
    async (fault) => {
      const cast = Object.fromEntries(
        names.slice(0, 3).map((name, i) => [name, [reserving([all[i] ?? ''])]]),
      );
      const found = await endingsOf(
        await sceneOf(cast, {}, { faults: (choices) => new ChosenFaults(choices, [fault], 1) }),
      );
      expect(found.endings).toEqual(oneOf(3));
    },
  );

  test('2 agents, one of whom can read nothing after its swap: it is told that the outcome is unknown, and it may hold the lease', async () => {
    const scene = await sceneOf(
      { ann: [held], bob: [held] },
      {},
      { faults: (choices) => new ChosenFaults(choices, ['blind'], 1) },
    );
    const found = await endingsOf(scene, (played) => expect(standing(played)).toHaveLength(1));
    expect(found.endings).toContain('ann unknown_outcome, bob refused:held');
    expect(found.endings).not.toContain('ann unknown_outcome, bob unknown_outcome');
  });
});
