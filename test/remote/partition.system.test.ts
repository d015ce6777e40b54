/**
 * Five machines with clocks of their own, one server. Two of them are cut off for longer than a TTL
 * and come back; everybody works all the time. What everybody was told has to fit into one order,
 * nothing is taken before its holder's time is over, and the log is in order in every prefix.
 * Needs: nginx, fcgiwrap, faketime, namespaces.
 */
import { expect, test } from 'vitest';
import { type Call, linearize } from '../../src/study/linearize.ts';
import { clone, clones, served } from '../support/clones.ts';
import { type LeaseLine, operations } from '../support/log-check.ts';
import { machine, type TestMachine } from '../support/machine.ts';
import { type Wire, wire } from '../support/proxy.ts';
import type { TestRepository } from '../support/repository.ts';
import { servedFaults } from '../support/served-log.ts';
import { serve } from '../support/servers.ts';
import { seeded } from '../support/world.ts';

const seed = Number(process.env['COORD_SEED'] ?? 20261119);
const second = 1_000;
const [ttl, grace] = [300 * second, 60 * second];

/** Every agent asks for one thing only, and all of these overlap in part. */
const things = [
  'src/a.ts',
  'src/*.ts',
  'src/b.ts',
  '**/a.ts',
  'lib/**',
  'lib/a.ts',
  '{src,lib}/b.ts',
  'docs/**',
  'docs/x.md',
  'src/**',
];

interface Member {
  readonly name: string;
  readonly thing: string;
  readonly at: TestMachine;
}

class Office {
  readonly calls: Call[] = [];
  readonly members: readonly Member[];
  readonly #machines: readonly TestMachine[];
  readonly #chance = seeded(seed);
  readonly unreachable: string[] = [];

  constructor(machines: readonly TestMachine[]) {
    this.#machines = machines;
    this.members = things.map((thing, i) => ({
      name: `m${i % machines.length}-${i}`,
      thing,
      at: machines[i % machines.length] as TestMachine,
    }));
  }

  /** Everybody does one thing at once, then time passes everywhere alike. */
  async round(passMs: number, ...also: readonly Promise<void>[]): Promise<void> {
    await Promise.all([...this.members.map((member) => this.act(member)), ...also]);
    for (const each of this.#machines) each.pass(passMs);
  }

  /** One request of one agent, recorded with its answer. */
  async act(
    { name, thing, at }: Member,
    kind: Call['op']['kind'] = this.#chance() < 0.65 ? 'acquire' : 'release',
  ): Promise<void> {
    const called = performance.now();
    const ran = await at.repo.start(
      name,
      kind === 'acquire' ? ['reserve', thing] : ['release', thing],
    ).ended;
    const error = ran.json['error']?.code as string | undefined;
    if (ran.code !== 0 && ran.code !== 1 && ran.code !== 75)
      throw new Error(`${name} ${kind}: exit ${ran.code} ${ran.stdout}${ran.stderr}`);
    // Whoever was told that nothing could be asked has changed nothing: then the rest has to fit
    // without it.
    if (error === 'arbiter_unreachable' || error === 'busy')
      this.unreachable.push(`${name}: ${error} ${String(ran.json['error']?.message)}`);
    else
      this.calls.push({
        agent: name,
        op: { kind, patterns: [thing] },
        called,
        returned: performance.now(),
        result: ran.code === 0 ? 'yes' : ran.code === 1 ? 'no' : 'unknown',
      });
  }
}

/**
 * Leases that were taken because their time was over, with how much of it had passed for whoever
 * held them.
 */
function takeovers(
  there: TestRepository,
  bases: ReadonlyMap<string, number>,
): readonly { readonly lease: LeaseLine; readonly elapsedMs: number }[] {
  type Clocked = LeaseLine & { readonly clock: { readonly uptimeMs: number } };
  const baseOf = (agent: string): number => bases.get(agent.split('-')[0] ?? '') ?? 0;
  return operations(there).flatMap((operation, i, all) =>
    operation.events
      .filter(({ event }) => event === 'expired')
      .flatMap((event) => {
        const lease = all[i - 1]?.leases.find(({ id }) => id === event.lease) as
          | Clocked
          | undefined;
        const taker = operation.leases.find(({ token }) => token === operation.seq) as
          | Clocked
          | undefined;
        return lease === undefined || taker === undefined
          ? []
          : [
              {
                lease,
                elapsedMs:
                  taker.clock.uptimeMs -
                  baseOf(taker.agent.name) -
                  (lease.clock.uptimeMs - baseOf(lease.agent.name)),
              },
            ];
      }),
  );
}

test(
  `a partition of five machines into two and three, and back, seed ${seed}`,
  { timeout: 600_000 },
  async () => {
    const server = await serve('http');
    const lines: Wire[] = [];
    const machines: TestMachine[] = [];
    const bases = new Map<string, number>();
    for (let i = 0; i < 5; i += 1) {
      const line = await wire(server);
      const repo = clone({ ...server, url: line.url });
      expect((await repo.start(null, ['remote', 'set', 'origin']).ended).json['result']).toBe(
        'set',
      );
      for (const [key, value] of [
        ['coord.ttl', '5m'],
        ['coord.grace', '60s'],
      ])
        repo.git('config', key ?? '', value ?? '');
      const uptimeMs = 1_000_000 * (i + 1);
      bases.set(`m${i}`, uptimeMs);
      lines.push(line);
      machines.push(await machine(repo, { uptimeMs }));
    }
    const there = served(server, clones(server, 1)[0] as TestRepository);
    const office = new Office(machines);
    // One who is cut off holds something for sure, and somebody wants it all the while: what nobody
    // else asks for, or he would be refused for another's sake (`**/a.ts` is below `cut/**` as well).
    const [holder, taker] = [
      { name: 'm0-holder', thing: 'cut/x.ts', at: machines[0] as TestMachine },
      { name: 'm3-taker', thing: 'cut/x.*', at: machines[3] as TestMachine },
    ];
    for (let i = 0; i < 3; i += 1) await office.round(10 * second);
    await office.act(holder, 'acquire');
    await office.act(taker, 'acquire');
    const before = office.unreachable.length;
    const cutAt = performance.now();
    // At first nothing comes through and nobody says so; then the way is closed.
    lines[0]?.set('mute');
    lines[1]?.set('down');
    await office.round(60 * second);
    lines[0]?.set('down');
    for (let i = 0; i < 7; i += 1) await office.round(90 * second, office.act(taker, 'acquire'));
    for (const line of lines) line.set('up');
    await office.act(holder, 'acquire');
    for (let i = 0; i < 4; i += 1) await office.round(10 * second);

    const cutOff = office.unreachable.slice(before);
    expect(cutOff.length).toBeGreaterThan(5);
    expect(cutOff.filter((name) => !/^m[01]-/.test(name))).toEqual([]);
    expect(servedFaults(there)).toEqual([]);
    const taken = takeovers(there, bases);
    expect(taken.map(({ lease }) => lease.agent.name)).toContain('m0-holder');
    const answersTo = (name: string): readonly Call['result'][] =>
      office.calls.filter(({ agent }) => agent === name).map(({ result }) => result);
    expect(
      answersTo('m0-holder'),
      `the other one was told ${answersTo('m3-taker').join(', ')}`,
    ).toEqual(['yes', 'no']);
    expect(taken.filter(({ elapsedMs }) => elapsedMs < ttl + grace)).toEqual([]);
    // That somebody's time was over is nobody's call: it came about some time since they were cut
    // off.
    const ended = taken.map(
      ({ lease }): Call => ({
        agent: lease.agent.name,
        op: { kind: 'release', patterns: lease.patterns ?? [] },
        called: cutAt,
        returned: Infinity,
        result: 'unknown',
      }),
    );
    const verdict = linearize([...office.calls, ...ended], { budget: 2_000_000 });
    expect(verdict.kind === 'legal' ? [] : office.calls, verdict.kind).toEqual([]);
    // The same answers, if nobody's time had been over: the checker can say no.
    expect(linearize(office.calls, { budget: 2_000_000 }).kind).toBe('illegal');
  },
);
