/**
 * The model of many machines on one remote log: the same for one seed, nothing lost, nobody
 * starved, and able to see a log without compare-and-swap.
 */
import { describe, expect, test } from 'vitest';
import { Chance, zipf } from '../../src/study/remote-chance.ts';
import { type Decider, decide, type Request } from '../../src/study/remote-decide.ts';
import { jain } from '../../src/study/remote-figures.ts';
import { contains, RemoteLog, writersSince } from '../../src/study/remote-log.ts';
import {
  type RemoteOptions,
  type RemoteRun,
  remoteAssumptions,
  simulateRemote,
} from '../../src/study/remote-model.ts';
import { isEnough, sweepAgents, sweepRemote } from '../../src/study/remote-sweep.ts';

const seeds = [1, 2, 3, 4, 5, 6];
const saturated: Partial<RemoteOptions> = { ratePerHour: 100_000, hours: 0.5 };

/**
 * Loads that each bring out something else: the plain one, cuts and deaths, lines, leases shorter
 * than a turn, few files.
 */
const loads: readonly (readonly [string, Partial<RemoteOptions>])[] = [
  ['the defaults', {}],
  ['a third of all pushes cut, a third of the holders dead', { failures: 0.3 }],
  [
    'waiting in line for ten files',
    { waitMs: 60_000, files: 10, ttlMs: 60_000, graceMs: 5_000, failures: 0.1 },
  ],
  [
    'leases that are hardly longer than a push',
    { ttlMs: 6_000, graceMs: 0, latencyMs: 1_500, failures: 0.2, hours: 1 },
  ],
  [
    'twenty machines that all want five files at once',
    {
      ratePerHour: 2_000,
      machines: 20,
      files: 5,
      failures: 0.05,
      ttlMs: 30_000,
      graceMs: 1_000,
      hours: 0.5,
    },
  ],
];

function sum(runs: readonly RemoteRun[], figure: (run: RemoteRun) => number): number {
  return runs.reduce((all, run) => all + figure(run), 0);
}

describe('a simulated remote', () => {
  test('is the same for one seed and another one for another', () => {
    expect(JSON.stringify(simulateRemote({ seed: 7 }))).toBe(
      JSON.stringify(simulateRemote({ seed: 7 })),
    );
    expect(simulateRemote({ seed: 7 }).waitSeconds).not.toEqual(
      simulateRemote({ seed: 8 }).waitSeconds,
    );
  });

  test.for(loads)('answers every request once and gives no file to two, under %s', ([
    ,
    options,
  ]) => {
    for (const seed of seeds) {
      const run = simulateRemote({ ...options, seed });
      expect(run.granted + run.refused + run.unfinished, `seed ${seed}`).toBe(run.requests);
      expect(run.unfinished, `seed ${seed}`).toBeLessThanOrEqual(run.options.agents);
      expect(
        { violations: run.violations, lostOperations: run.lostOperations },
        `seed ${seed}`,
      ).toEqual({ violations: 0, lostOperations: 0 });
      expect(run.granted, `seed ${seed}`).toBeGreaterThan(0);
    }
  });

  test.for(
    loads,
  )('without compare-and-swap loses operations and gives one file to two, under %s', ([
    ,
    options,
  ]) => {
    const runs = seeds.map((seed) => simulateRemote({ ...options, seed, lease: false }));
    expect(sum(runs, ({ lostOperations }) => lostOperations)).toBeGreaterThan(0);
    expect(sum(runs, ({ violations }) => violations)).toBeGreaterThan(0);
    expect(sum(runs, ({ lostPushesShare }) => lostPushesShare)).toBe(0);
  });

  test('20 agents on 5 machines stay under what a large forge advises, and are served alike', () => {
    for (const seed of seeds) {
      const run = simulateRemote({ seed });
      expect(run.pushesPerMinute, `seed ${seed}`).toBeLessThan(6);
      expect(run.fairness, `seed ${seed}`).toBeGreaterThanOrEqual(0.9);
      expect(run.waitSeconds.p95, `seed ${seed}`).toBeLessThan(2);
    }
  });

  test('asks as often as it is told to', () => {
    for (const ratePerHour of [3, 12, 120]) {
      const { requests } = simulateRemote({ ratePerHour, failures: 0, latencyMs: 10 });
      expect(requests / (20 * 8 * ratePerHour)).toBeGreaterThan(0.85);
      expect(requests / (20 * 8 * ratePerHour)).toBeLessThan(1.15);
    }
  });

  test.for([2, 5, 10, 20, 50])('%i machines that never stop asking starve nobody', (machines) => {
    const run = simulateRemote({ ...saturated, machines, agents: machines * 2 });
    expect(run.utilisation).toBeGreaterThan(0.9);
    expect(run.fairness).toBeGreaterThanOrEqual(0.9);
    expect(run.servedShare.least).toBeGreaterThan(run.servedShare.most / 3);
  });

  test('at saturation one push in a round trip goes through, however many compete', () => {
    for (const machines of [5, 20, 50]) {
      const run = simulateRemote({ ...saturated, machines, agents: machines, failures: 0 });
      const perRoundTrip = run.operations / ((0.5 * 3_600_000) / 300);
      expect(perRoundTrip, `${machines} machines`).toBeGreaterThan(0.4);
      // Fetches that happen to be short let a few more through.
      expect(perRoundTrip, `${machines} machines`).toBeLessThan(1.25);
    }
  });

  test('a machine alone loses no push, and what waits there goes up together', () => {
    const run = simulateRemote({ ...saturated, machines: 1, agents: 40, failures: 0 });
    expect(run.lostPushesShare).toBe(0);
    expect(run.granted / run.operations).toBeGreaterThan(5);
  });

  test('more distance, more loss, more waiting', () => {
    const runs = [50, 300, 1_500].map((latencyMs) =>
      simulateRemote({ agents: 100, machines: 25, latencyMs, hours: 4 }),
    );
    for (const figure of [
      (run: RemoteRun): number => run.lostPushesShare,
      (run: RemoteRun): number => run.waitSeconds.p95,
      (run: RemoteRun): number => run.utilisation,
    ]) {
      const values = runs.map(figure);
      expect(values).toEqual([...values].sort((a, b) => a - b));
    }
  });

  test('what cannot be told is looked up: only cut pushes are unknown', () => {
    expect(simulateRemote({ failures: 0 })).toMatchObject({ unknownResolved: 0, deaths: 0 });
    const cut = simulateRemote({ failures: 0.5 });
    expect(cut.unknownResolved).toBeGreaterThan(100);
    expect(cut.deaths).toBeGreaterThan(10);
  });

  test('who waits in line is refused less often, and longest after its time', () => {
    const options = { files: 20, failures: 0 };
    const [atOnce, waiting] = [
      simulateRemote(options),
      simulateRemote({ ...options, waitMs: 600_000 }),
    ];
    expect(waiting.refused / waiting.requests).toBeLessThan(atOnce.refused / atOnce.requests / 2);
    expect(waiting.waitSeconds.max).toBeLessThan(605);
  });

  test('names what it takes for granted', () => {
    expect(remoteAssumptions.length).toBeGreaterThan(8);
  });
});

describe('a sweep', () => {
  test('has a row for each size and distance, and says where one log stops being enough and how many would be', () => {
    const { runs, limits } = sweepRemote({ hours: 0.5, ratePerHour: 24 }, [50, 1_500]);
    expect(runs.map(({ options }) => options.agents)).toEqual([...sweepAgents, ...sweepAgents]);
    expect(runs.map(({ options }) => options.machines).slice(0, 3)).toEqual([1, 2, 5]);
    const [limit] = limits;
    expect(limits).toHaveLength(1);
    expect(limit?.latencyMs).toBe(1_500);
    expect(limit?.logs).toBeGreaterThan(1);
    const first = runs.find((run) => !isEnough(run))?.options;
    expect(first).toMatchObject({ agents: limit?.agents, latencyMs: 1_500 });
    const logs = limit?.logs ?? 0;
    expect(
      isEnough(simulateRemote({ ...first, ratePerHour: 24 / logs, files: Math.ceil(200 / logs) })),
    ).toBe(true);
  });
});

describe('its parts', () => {
  const by: Decider = {
    machine: 1,
    living: new Set([1, 2]),
    nowMs: 1_000,
    ttlMs: 100,
    graceMs: 10,
  };
  const reserve = (agent: number, untilMs = 0): Request => ({
    agent,
    kind: 'reserve',
    file: 5,
    untilMs,
    answer: () => {},
  });
  const held = (
    machine: number,
    renewedMs: number,
  ): Map<number, { holder: { agent: number; machine: number; renewedMs: number }; line: [] }> =>
    new Map([[5, { holder: { agent: 9, machine, renewedMs }, line: [] }]]);

  test('of two that ask in one batch the first is granted', () => {
    const { granted, held: no } = decide([reserve(1), reserve(2)], new Map(), by, false);
    expect(granted.map(({ agent }) => agent)).toEqual([1]);
    expect(no.map(({ agent }) => agent)).toEqual([2]);
  });

  test('a lease ends after TTL and grace, of another machine a quarter later', () => {
    const taken = (machine: number, renewedMs: number): number =>
      decide([reserve(1)], held(machine, renewedMs), by, false).granted.length;
    expect(taken(1, 891)).toBe(0);
    expect(taken(1, 890)).toBe(1);
    expect(taken(2, 863)).toBe(0);
    expect(taken(2, 862)).toBe(1);
  });

  test('a refusal writes nothing, a place in line does, and who asks later yields to it', () => {
    expect(decide([reserve(1)], held(2, 990), by, false).places).toBeNull();
    const stood = decide([reserve(1, 5_000)], held(2, 990), by, false);
    expect(stood.places?.get(5)?.line).toEqual([{ agent: 1, untilMs: 5_000 }]);
    const later = { ...by, nowMs: 4_000 };
    expect(decide([reserve(2)], stood.places ?? new Map(), later, false).granted).toHaveLength(0);
    expect(
      decide([reserve(1, 5_000)], stood.places ?? new Map(), later, false).granted,
    ).toHaveLength(1);
    expect(
      decide([reserve(2)], stood.places ?? new Map(), { ...by, nowMs: 5_000 }, false).granted,
    ).toHaveLength(1);
  });

  test('the log moves only from where it was seen, unless that is not checked', () => {
    for (const lease of [true, false]) {
      const log = new RemoteLog(lease);
      const seen = log.tip;
      const first = log.push(seen, 1, new Map(), 10);
      const second = log.push(seen, 2, new Map(), 20);
      expect(first).not.toBeNull();
      expect(second === null).toBe(lease);
      expect(log.lostOperations).toBe(lease ? 0 : 1);
      expect(first !== null && contains(log.tip.entry, first.entry)).toBe(lease);
      expect(writersSince(log.tip.entry, 5, 7)).toBe(1);
    }
  });

  test('some files are wanted much more than others, and the index of fairness knows its ends', () => {
    const next = zipf(10, 1, new Chance(1));
    const drawn = Array.from({ length: 20_000 }, () => next());
    const timesOf = (wanted: number): number => drawn.filter((one) => one === wanted).length;
    expect(timesOf(0) / timesOf(1)).toBeCloseTo(2, 0);
    expect(timesOf(9)).toBeGreaterThan(400);
    expect(jain([1, 1, 1])).toBe(1);
    expect(jain([1, 0, 0, 0])).toBe(0.25);
  });
});
