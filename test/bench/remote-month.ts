/** A log after a month of 20 agents: what a newcomer has to fetch, and what a grant costs in it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { realWorld } from '../../src/agent/world.ts';
import { newBead } from '../../src/core/bead.ts';
import { decideAcquire } from '../../src/core/decide/acquire.ts';
import type { Decide, DecisionContext } from '../../src/core/decide/decision.ts';
import { decideRelease } from '../../src/core/decide/release.ts';
import { decideRenew } from '../../src/core/decide/renew.ts';
import type { AgentName } from '../../src/core/lease.ts';
import { limits } from '../../src/core/limits.ts';
import { emptyState, type State } from '../../src/core/state.ts';
import { hashObject, storeObjects } from '../../src/git/objects.ts';
import { openBare } from '../../src/git/repository.ts';
import { Operations } from '../../src/log/operations.ts';
import { seeded } from '../../src/study/remote-chance.ts';
import { wire } from '../support/proxy.ts';
import { type GitServer, serve } from '../support/servers.ts';
import { type Figure, median, ratio, timed } from './measure.ts';
import { cloneOf, connected } from './remote-clone.ts';
import { program } from './sandbox.ts';

const began = Date.UTC(2026, 5, 1);

const by = (i: number): AgentName => ({
  id: `agent${String(i).padStart(3, '0')}`,
  name: `claude-${(1_000_000 + i * 7919).toString(16)}`,
});

const note = {
  by: by(1),
  reason: 'the port 5432 is taken by another container',
  cause: 'shared-state',
  tail: 'Error: listen EADDRINUSE\n'.repeat(20),
  log: '/var/log/run.log',
  commit: '0'.repeat(40),
  held: ['src/db/'],
  next: 'use a port of its own',
};

/** As many beads as a log keeps, all of them done. */
function withBeads(state: State, chance: () => number): State {
  const oid = (fill: string): string =>
    Math.floor(chance() * 2 ** 48)
      .toString(16)
      .padStart(40, fill);
  const beads = Array.from({ length: limits.beadsKept }, (_, i) => ({
    ...newBead(`project-${i.toString(36)}`, by(i % 20), began + i * 60_000),
    status: 'done' as const,
    commit: oid('0'),
    claim: {
      token: i * 20,
      base: oid('a'),
      acquiredAt: i * 1_000,
      endedAt: i * 60_000,
      agents: [by(i % 20).name],
    },
    note: i % 10 === 0 ? note : null,
  }));
  return { ...state, beads: state.beads.with(beads, limits.beadsKept) };
}

/** Writes what is decided on top of each other, nine seconds apart. */
class Month {
  seen: { tip: string | null; seq: number; state: State };
  readonly #repository: ReturnType<typeof openBare>;
  readonly #operations: Operations;
  readonly #chance: () => number;
  #uptimeMs = 2_592_000_000;

  constructor(repository: ReturnType<typeof openBare>, chance: () => number) {
    this.#repository = repository;
    this.#chance = chance;
    this.#operations = new Operations(repository, {
      name: 'coord',
      email: '0123456789abcdef@clone.coord.invalid',
    });
    this.seen = { tip: null, seq: 60_000, state: withBeads(emptyState(0), chance) };
  }

  async put(decide: Decide<unknown>): Promise<void> {
    const seq = this.seen.seq + 1;
    this.seen = { ...this.seen, seq };
    this.#uptimeMs += 9_000;
    const c = this.#circumstances(seq);
    const decision = decide(this.seen.state, c);
    if (decision.kind !== 'change') return;
    const objects = new Map<string, Buffer>();
    const entry = {
      seq,
      at: c.now.at,
      agent: decision.actor,
      nonce: this.#digits(32, 16),
      events: decision.events,
    };
    const draft = {
      write: (kind: Parameters<typeof hashObject>[1], body: Parameters<typeof hashObject>[2]) => {
        const hashed = hashObject(this.#repository, kind, body);
        objects.set(hashed.oid, hashed.store);
        return hashed.oid;
      },
    };
    const oid = this.#operations.write(draft, this.seen, entry, decision.state);
    await storeObjects(this.#repository, [...objects], false);
    this.seen = { tip: oid, seq, state: decision.state };
  }

  #circumstances(seq: number): DecisionContext {
    return {
      now: {
        at: began + this.#uptimeMs,
        domain: '0123456789ab-4026531834',
        uptimeMs: this.#uptimeMs,
        sinceSeenMs: () => 0,
      },
      seq,
      graceMs: limits.graceMs,
      stalledMs: 3_600_000,
      breakMs: 300_000,
      folding: { ignoreCase: false, composeUnicode: false },
      isRemote: true,
      newId: () => this.#digits(8, 36),
    };
  }

  #digits(length: number, base: number): string {
    return Array.from({ length }, () => Math.floor(this.#chance() * base).toString(base)).join('');
  }
}

/** What one of the agents does next. */
function deedOf(i: number, chance: () => number): Decide<unknown> {
  const who = Math.floor(chance() * 20);
  const choice = chance();
  const caller = {
    name: by(who).name,
    kind: 'agent',
    session: null,
    host: `laptop-${who % 5}`,
  } as const;
  const common = {
    caller,
    mode: 'exclusive',
    ttlMs: null,
    defaultTtlMs: 900_000,
    reason: `task ${i}: make the import faster`,
    wait: false,
    waitId: null,
    anew: false,
  } as const;
  if (choice < 0.45) {
    const patterns = [`src/module-${Math.floor(chance() * 40)}/file-${i}.ts`];
    return (s, c) => decideAcquire({ ...common, want: { kind: 'reservation', patterns } }, s, c);
  }
  if (choice < 0.6)
    return (s, c) => decideAcquire({ ...common, want: { kind: 'claim', bead: `next-${i}` } }, s, c);
  if (choice < 0.8)
    return (s, c) => decideRenew({ caller, ids: [], ttlMs: null, edited: [] }, s, c);
  return (s, c) => decideRelease({ caller, selection: { by: 'all' }, outcome: {} }, s, c);
}

/**
 * What a month of 20 agents leaves: what they hold, what is on record of what they have done, and
 * the last operations.
 */
async function month(server: GitServer): Promise<{ readonly operations: number }> {
  const chance = seeded(1);
  const written = new Month(openBare(server.folder, cloneOf(server).env), chance);
  const count = 400;
  for (let i = 0; i < count; i += 1) await written.put(deedOf(i, chance));
  const { tip } = written.seen;
  execFileSync('git', ['update-ref', 'refs/coord/log', tip ?? ''], { cwd: server.folder });
  return { operations: count };
}

export async function newcomer(): Promise<Figure> {
  const server = await serve('http');
  await month(server);
  const line = await wire(server);
  const repo = cloneOf({ url: line.url, env: line.env });
  line.reset();
  const set = await repo.start(null, ['remote', 'set', 'origin']).ended;
  if (set.code !== 0) throw new Error(set.stdout);
  return {
    what: 'what a fresh clone fetches of a month of 20 agents, with its first operation',
    measured: `${(line.bytes.down / 1_000).toFixed(0)} kB`,
    target: '< 2,000 kB',
  };
}

export async function manyLeases(): Promise<readonly Figure[]> {
  const server = await serve('http');
  const repo = connected(server);
  const { reserve } = await import('../../src/loop/take.ts');
  for (let i = 0; i < 1_000; i += 1)
    await reserve(
      realWorld({ cwd: repo.top, env: repo.env, agent: `agent-${Math.floor(i / 50)}` }),
      [`held/module-${i}/file.ts`],
      { ttlMs: 7_200_000, reason: `task ${i}` },
    );
  const times: Record<'git' | 'node' | 'library' | 'command', number[]> = {
    git: [],
    node: [],
    library: [],
    command: [],
  };
  const world = realWorld({ cwd: repo.top, env: repo.env });
  for (let i = 0; i < 41; i += 1) {
    times.git.push(timed(() => repo.git('ls-remote', 'origin', 'refs/coord/log')));
    const started = performance.now();
    await world.store.ask();
    times.library.push(performance.now() - started);
    times.node.push(timed(() => spawnSync(process.execPath, ['-e', '0'], { env: repo.env })));
    times.command.push(
      timed(() => spawnSync(process.execPath, [program, 'sync'], { cwd: repo.top, env: repo.env })),
    );
  }
  const [git, node, library, command] = [times.git, times.node, times.library, times.command].map(
    (each) => median(each.slice(1)),
  ) as [number, number, number, number];
  return [
    {
      what: '1,000 live leases: a sync with nothing new, in a process that is up: of git ls-remote',
      measured: `${ratio(library / git)} (git ls-remote: ${git.toFixed(0)} ms)`,
      target: '<= 1.2 x',
    },
    {
      what: '1,000 live leases: the same as a command: of git ls-remote and the start of node',
      measured: `${ratio(command / (git + node))} (of git ls-remote alone ${ratio(command / git)})`,
      target: '<= 1.2 x',
    },
  ];
}
