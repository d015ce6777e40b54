/**
 * Many machines on one server, over http on this machine: what a grant costs beyond git's own, how
 * machines share the log, and what a newcomer has to fetch.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { realWorld } from '../../src/agent/world.ts';
import { newBead } from '../../src/core/bead.ts';
import { decideAcquire } from '../../src/core/decide/acquire.ts';
import type { Decide, DecisionContext } from '../../src/core/decide/decision.ts';
import { decideRelease } from '../../src/core/decide/release.ts';
import { decideRenew } from '../../src/core/decide/renew.ts';
import { limits } from '../../src/core/limits.ts';
import { emptyState, type State } from '../../src/core/state.ts';
import { hashObject, storeObjects } from '../../src/git/objects.ts';
import { openBare } from '../../src/git/repository.ts';
import { Operations } from '../../src/log/operations.ts';
import { seeded } from '../../src/study/remote-chance.ts';
import { simulateRemote } from '../../src/study/remote-model.ts';
import { wire } from '../support/proxy.ts';
import { repository, type TestRepository } from '../support/repository.ts';
import { type GitServer, serve } from '../support/servers.ts';
import { loops } from './contention.ts';
import { endAll } from './ends.ts';
import { type Figure, jain, median, ratio, timed } from './measure.ts';
import { program } from './sandbox.ts';

function cloneOf({ url, env }: Pick<GitServer, 'url' | 'env'>): TestRepository {
  const repo = repository({ env });
  repo.git('remote', 'add', 'origin', url);
  return repo;
}

function connected(server: GitServer): TestRepository {
  const repo = cloneOf(server);
  const set = repo.coord(null, 'remote', 'set', 'origin');
  if (set.code !== 0) throw new Error(set.stdout);
  return repo;
}

/**
 * One operation of a process that is up already, as an MCP server's or a library's; and of a
 * command from its start.
 */
async function oneGrant(): Promise<readonly Figure[]> {
  const server = await serve('http');
  const [repo, plain] = [connected(server), cloneOf(server)];
  plain.git('push', '-q', 'origin', 'HEAD:refs/heads/main');
  const world = realWorld({ cwd: repo.top, env: repo.env, agent: 'ann' });
  const [{ reserve }, { release }] = [
    await import('../../src/loop/take.ts'),
    await import('../../src/loop/hold.ts'),
  ];
  const times: Record<'git' | 'node' | 'library' | 'command', number[]> = {
    git: [],
    node: [],
    library: [],
    command: [],
  };
  for (let i = 0; i < 31; i += 1) {
    plain.git('commit', '-q', '--allow-empty', '-m', `${i}`);
    times.git.push(
      timed(() => {
        plain.git('fetch', '-q', 'origin', 'main');
        plain.git('push', '-q', 'origin', 'HEAD:refs/heads/main');
      }),
    );
    times.node.push(timed(() => spawnSync(process.execPath, ['-e', '0'], { env: repo.env })));
    const started = performance.now();
    await reserve(world, [`src/${i}.ts`], {});
    times.library.push(performance.now() - started);
    times.command.push(
      timed(() =>
        spawnSync(process.execPath, [program, '--agent', 'bob', 'reserve', `lib/${i}.ts`], {
          cwd: repo.top,
          env: repo.env,
        }),
      ),
    );
    await release(world, { by: 'all' });
    spawnSync(process.execPath, [program, '--agent', 'bob', 'release', '--all'], {
      cwd: repo.top,
      env: repo.env,
    });
  }
  const [git, node, library, command] = [times.git, times.node, times.library, times.command].map(
    (each) => median(each.slice(1)),
  ) as [number, number, number, number];
  const said = `git fetch and git push: ${git.toFixed(0)} ms`;
  return [
    {
      what: 'one grant, in a process that is up: of git fetch and git push of one commit',
      measured: `${ratio(library / git)} (${said})`,
      target: '<= 1.3 x',
    },
    {
      what: 'one grant, as a command, beyond the start of node: of the same',
      measured: `${ratio((command - node) / git)} (with it ${ratio(command / git)})`,
      target: '<= 1.3 x',
    },
  ];
}

const sum = (shares: readonly number[]): number => shares.reduce((a, b) => a + b, 0);

async function sharing(): Promise<readonly Figure[]> {
  const rates: Record<'one' | 'sixteen' | 'four', number[]> = { one: [], sixteen: [], four: [] };
  const [fairness, least]: [number[], number[]] = [[], []];
  const ms = 10_000;
  for (let round = 0; round < 3; round += 1) {
    const [alone, together, spread] = [
      await serve('http'),
      await serve('http'),
      await serve('http'),
    ];
    rates.one.push((sum(await loops([connected(alone)], 1, ms)) / ms) * 1_000);
    rates.sixteen.push((sum(await loops([connected(together)], 16, ms)) / ms) * 1_000);
    const shares = await loops(
      Array.from({ length: 4 }, () => connected(spread)),
      4,
      ms,
    );
    rates.four.push((sum(shares) / ms) * 1_000);
    fairness.push(jain(shares));
    least.push(Math.min(...shares));
  }
  const [one, sixteen, four] = [median(rates.one), median(rates.sixteen), median(rates.four)];
  return [
    {
      what: '16 agents on 4 clones: operations, of one agent on one clone',
      measured: `${ratio(four / one)} (${four.toFixed(1)} and ${one.toFixed(1)} a second)`,
      target: '>= 0.8 x',
    },
    {
      what: '16 agents on 4 clones: operations, of 16 agents on one clone',
      measured: `${ratio(four / sixteen)} (${sixteen.toFixed(1)} a second)`,
      target: '',
    },
    {
      what: '16 agents on 4 clones: Jain fairness; least operations of one',
      measured: `${median(fairness).toFixed(3)}; ${Math.min(...least)}`,
      target: '>= 0.9; > 0',
    },
  ];
}

/**
 * What a month of 20 agents leaves: what they hold, what is on record of what they have done, and
 * the last operations.
 */
async function month(server: GitServer): Promise<{ readonly operations: number }> {
  const repository = openBare(server.folder, cloneOf(server).env);
  const chance = seeded(1);
  let [seq, uptimeMs] = [60_000, 2_592_000_000];
  const circumstances = (): DecisionContext => ({
    now: {
      at: Date.UTC(2026, 5, 1) + uptimeMs,
      domain: '0123456789ab-4026531834',
      uptimeMs,
      sinceSeenMs: () => 0,
    },
    seq,
    graceMs: limits.graceMs,
    stalledMs: 3_600_000,
    breakMs: 300_000,
    folding: { ignoreCase: false, composeUnicode: false },
    isRemote: true,
    newId: () => Array.from({ length: 8 }, () => Math.floor(chance() * 36).toString(36)).join(''),
  });
  const by = (i: number): { readonly id: string; readonly name: string } => ({
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
  let state: State = emptyState(0);
  state = {
    ...state,
    beads: state.beads.with(
      Array.from({ length: limits.beadsKept }, (_, i) => ({
        ...newBead(`project-${i.toString(36)}`, by(i % 20), Date.UTC(2026, 5, 1) + i * 60_000),
        status: 'done' as const,
        commit: Math.floor(chance() * 2 ** 48)
          .toString(16)
          .padStart(40, '0'),
        claim: {
          token: i * 20,
          base: Math.floor(chance() * 2 ** 48)
            .toString(16)
            .padStart(40, 'a'),
          acquiredAt: i * 1_000,
          endedAt: i * 60_000,
          agents: [by(i % 20).name],
        },
        note: i % 10 === 0 ? note : null,
      })),
      limits.beadsKept,
    ),
  };
  const operations = new Operations(repository, {
    name: 'coord',
    email: '0123456789abcdef@clone.coord.invalid',
  });
  let seen = { tip: null as string | null, seq, state };
  const put = async (decide: Decide<unknown>): Promise<void> => {
    seq += 1;
    uptimeMs += 9_000;
    const c = circumstances();
    const decision = decide(seen.state, c);
    if (decision.kind !== 'change') return;
    const objects = new Map<string, Buffer>();
    const entry = {
      seq,
      at: c.now.at,
      agent: decision.actor,
      nonce: Array.from({ length: 32 }, () => Math.floor(chance() * 16).toString(16)).join(''),
      events: decision.events,
    };
    const oid = operations.write(
      {
        write: (kind, body) => {
          const hashed = hashObject(repository, kind, body);
          objects.set(hashed.oid, hashed.store);
          return hashed.oid;
        },
      },
      seen,
      entry,
      decision.state,
    );
    await storeObjects(repository, [...objects], false);
    seen = { tip: oid, seq, state: decision.state };
  };
  const caller = (i: number): Parameters<typeof decideRenew>[0]['caller'] => ({
    name: by(i).name,
    kind: 'agent',
    session: null,
    host: `laptop-${i % 5}`,
  });
  const count = 400;
  for (let i = 0; i < count; i += 1) {
    const who = Math.floor(chance() * 20);
    const choice = chance();
    const common = {
      caller: caller(who),
      mode: 'exclusive' as const,
      ttlMs: null,
      defaultTtlMs: 900_000,
      reason: `task ${i}: make the import faster`,
      wait: false,
      waitId: null,
      anew: false,
    };
    if (choice < 0.45)
      await put((s, c) =>
        decideAcquire(
          {
            ...common,
            want: {
              kind: 'reservation',
              patterns: [`src/module-${Math.floor(chance() * 40)}/file-${i}.ts`],
            },
          },
          s,
          c,
        ),
      );
    else if (choice < 0.6)
      await put((s, c) =>
        decideAcquire({ ...common, want: { kind: 'claim', bead: `next-${i}` } }, s, c),
      );
    else if (choice < 0.8)
      await put((s, c) =>
        decideRenew({ caller: caller(who), ids: [], ttlMs: null, edited: [] }, s, c),
      );
    else
      await put((s, c) =>
        decideRelease({ caller: caller(who), selection: { by: 'all' }, outcome: {} }, s, c),
      );
  }
  execFileSync('git', ['update-ref', 'refs/coord/log', seen.tip ?? ''], { cwd: server.folder });
  return { operations: count };
}

async function newcomer(): Promise<Figure> {
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

async function manyLeases(): Promise<readonly Figure[]> {
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

/**
 * Far away, so that it is not this machine's cores that are shared: what a lone machine needs for
 * an operation is what the model takes for a round trip.
 */
async function besideTheModel(): Promise<readonly Figure[]> {
  const server = await serve('http');
  const line = await wire(server);
  const repos = Array.from({ length: 4 }, () => cloneOf({ url: line.url, env: line.env }));
  for (const repo of repos)
    if ((await repo.start(null, ['remote', 'set', 'origin']).ended).code !== 0)
      throw new Error('it could not be set');
  line.delay(50);
  const ms = 20_000;
  const one = (sum(await loops(repos.slice(0, 1), 1, ms)) / ms) * 1_000;
  const shares = await loops(repos, 1, ms);
  const model = simulateRemote({
    machines: 4,
    agents: 4,
    ratePerHour: 100_000,
    latencyMs: Math.round(1_000 / one),
    failures: 0,
    files: 1_000_000,
    hours: 0.05,
    seed: 1,
    holdMs: 1,
  });
  const real = (sum(shares) / ms) * 1_000;
  const said = model.operations / (model.options.hours * 3_600);
  return [
    {
      what: 'far away, 4 machines that never stop asking: operations a second, of what the model says',
      measured: `${ratio(real / said)} (${real.toFixed(1)} and ${said.toFixed(1)}; one alone ${one.toFixed(1)})`,
      target: '0.5 to 2 x',
    },
  ];
}

export async function machineFigures(): Promise<readonly Figure[]> {
  try {
    return [...(await sharing()), ...(await besideTheModel())];
  } finally {
    await endAll();
  }
}

export async function remoteFigures(): Promise<readonly Figure[]> {
  try {
    return [...(await oneGrant()), ...(await manyLeases()), await newcomer()];
  } finally {
    await endAll();
  }
}
