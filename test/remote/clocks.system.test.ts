/**
 * Machines whose clocks agree in nothing: nobody's lease is taken early, and nothing that was taken
 * comes back. Needs: nginx, fcgiwrap, faketime, namespaces.
 */
import { describe, expect, test } from 'vitest';
import { clones, served } from '../support/clones.ts';
import { logFaults } from '../support/log-check.ts';
import { machine, type TestMachine } from '../support/machine.ts';
import { repository, type TestRepository } from '../support/repository.ts';
import { serve } from '../support/servers.ts';

const decade = 10 * 365 * 86_400_000;
const minutes = 60_000;
const timeout = 180_000;

/** Two machines with a clone each. A lease lives 10 minutes, and there is no grace. */
async function pair(): Promise<{
  readonly alices: TestMachine;
  readonly bobs: TestMachine;
  readonly there: TestRepository;
}> {
  const server = await serve('http');
  const [one, two] = clones(server, 2) as [TestRepository, TestRepository];
  for (const repo of [one, two]) {
    repo.git('config', 'coord.grace', '0s');
    repo.git('config', 'coord.ttl', '10m');
  }
  return {
    alices: await machine(one),
    bobs: await machine(two, { uptimeMs: 77_000_000 }),
    there: served(server, one),
  };
}

const takes = ({ repo }: TestMachine, agent: string): boolean =>
  repo.coord(agent, 'reserve', 'src/a.ts').code === 0;

describe('wall clocks ten years off, and stepping', () => {
  test('mean nothing, neither to a holder nor to whoever waits for it', { timeout }, async () => {
    const { alices, bobs, there } = await pair();
    alices.setWall(decade);
    bobs.setWall(-decade);
    expect(takes(alices, 'alice')).toBe(true);
    for (const [hers, his] of [
      [decade, -decade],
      [-decade, decade],
      [0, 3 * decade],
      [-3 * decade, 0],
    ] as const) {
      alices.setWall(hers);
      bobs.setWall(his);
      expect(takes(bobs, 'bob')).toBe(false);
      expect(takes(alices, 'alice')).toBe(true);
    }
    // Only time that passes counts.
    expect(takes(bobs, 'bob')).toBe(false);
    bobs.pass(13 * minutes);
    expect(takes(bobs, 'bob')).toBe(true);
    expect(logFaults(there)).toEqual([]);
  });
});

/**
 * How long, in true time, until bob gets what alice holds; and how much of her own time that was.
 */
async function takenAfter(
  hers: number,
  his: number,
): Promise<{ readonly trueMs: number; readonly hersMs: number }> {
  const { alices, bobs } = await pair();
  expect(takes(alices, 'alice')).toBe(true);
  const step = 20_000;
  let trueMs = 0;
  // Bob sees it first at once: any later, and he would only wait longer.
  while (!takes(bobs, 'bob') && trueMs < 60 * minutes) {
    const by = trueMs < 7 * minutes ? 7 * minutes : step;
    trueMs += by;
    alices.pass(by * hers);
    bobs.pass(by * his);
  }
  return { trueMs, hersMs: trueMs * hers };
}

describe('clocks that run a tenth too fast or too slow', () => {
  test.for([
    [1, 1],
    [0.9, 1],
    [1, 1.1],
    [0.9, 1.1],
    [1.1, 0.9],
  ] as const)(
    'hers at %s, his at %s: not before her ten minutes are over, and not for ever',
    { timeout },
    async ([hers, his]) => {
      const { trueMs, hersMs } = await takenAfter(hers, his);
      expect(hersMs).toBeGreaterThanOrEqual(10 * minutes);
      expect(trueMs).toBeLessThanOrEqual((10 * minutes * 1.25) / his + 20_000);
    },
  );

  test(
    'planted bug: one that runs at a third of the time is beyond what is allowed for, and is taken from early',
    { timeout },
    async () => {
      expect((await takenAfter(0.3, 1)).hersMs).toBeLessThan(10 * minutes);
    },
  );
});

describe('two containers in one checkout, with one boot id and time namespaces of their own', () => {
  test.for([
    { name: 'an uptime that is ten years ahead', isMadeUp: false, uptimeMs: decade },
    { name: 'an uptime that is made up', isMadeUp: true, uptimeMs: 3_000 },
  ])(
    'the other with $name: no early take-over, and none that never comes',
    { timeout },
    async ({ isMadeUp, uptimeMs }) => {
      const repo = repository();
      repo.git('config', 'coord.grace', '0s');
      const [first, second] = [await machine(repo), await machine(repo, { isMadeUp, uptimeMs })];
      expect(first.repo.coord('alice', 'reserve', 'src/a.ts', '--ttl', '10m').code).toBe(0);
      expect(takes(second, 'bob')).toBe(false);
      expect(takes(first, 'bob')).toBe(false);
      second.pass(5 * minutes);
      expect(takes(second, 'bob')).toBe(false);
      // Looking from one does not make the timer of the other begin anew.
      first.pass(5 * minutes);
      expect(takes(first, 'bob')).toBe(false);
      first.pass(5 * minutes + 2_000);
      expect(takes(first, 'bob')).toBe(true);
      expect(second.repo.coord('alice', 'renew').code).toBe(1);
    },
  );

  test('what was renewed in one is seen as new in the other', { timeout }, async () => {
    const repo = repository();
    repo.git('config', 'coord.grace', '0s');
    const [first, second] = [await machine(repo), await machine(repo, { uptimeMs: decade })];
    first.repo.coord('alice', 'reserve', 'src/a.ts', '--ttl', '10m');
    for (let i = 0; i < 3; i += 1) {
      expect(takes(second, 'bob')).toBe(false);
      second.pass(9 * minutes);
      first.pass(9 * minutes);
      expect(first.repo.coord('alice', 'renew').code).toBe(0);
    }
    expect(takes(second, 'bob')).toBe(false);
    second.pass(13 * minutes);
    expect(takes(second, 'bob')).toBe(true);
  });
});

describe('a machine that was suspended past the TTL', () => {
  test('has lost its lease to whoever took it, and its push is refused', { timeout }, async () => {
    const { alices, bobs, there } = await pair();
    alices.repo.git('push', '-q', 'origin', 'HEAD:refs/heads/main');
    expect(takes(alices, 'alice')).toBe(true);
    alices.repo.write('src/a.ts', 'mine\n');
    alices.repo.git('add', '.');
    alices.repo.git('commit', '-q', '-m', 'mine');
    expect(takes(bobs, 'bob')).toBe(false);
    // The lid is closed for an hour.
    alices.pass(60 * minutes);
    bobs.pass(60 * minutes);
    expect(takes(bobs, 'bob')).toBe(true);
    const before = there.git('rev-parse', 'refs/heads/main');
    const pushed = alices.repo.coord('alice', 'push');
    expect({ code: pushed.code, name: pushed.json['blockers']?.[0]?.agent.name }).toEqual({
      code: 1,
      name: 'bob',
    });
    expect(alices.repo.coord('alice', 'renew').json['refusal'].kind).toMatch(
      /expired|nothing_matched/,
    );
    expect(takes(alices, 'alice')).toBe(false);
    expect(there.git('rev-parse', 'refs/heads/main')).toBe(before);
  });

  test(
    'and whose lease nobody took has it no more either, but may take it again',
    { timeout },
    async () => {
      const { alices, there } = await pair();
      const before = alices.repo.coord('alice', 'reserve', 'src/a.ts').json['leases'][0]
        .token as number;
      alices.pass(60 * minutes);
      expect(alices.repo.coord('alice', 'renew').json['refusal'].kind).toBe('expired');
      expect(alices.repo.coord('alice', 'check', 'src/a.ts').json['result']).toBe('free');
      expect(
        alices.repo.coord('alice', 'reserve', 'src/a.ts').json['leases'][0].token,
      ).toBeGreaterThan(before);
      expect(logFaults(there)).toEqual([]);
    },
  );
});
