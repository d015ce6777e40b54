/**
 * Many machines on one server, over http on this machine: what a grant costs beyond git's own, how
 * machines share the log, and what a newcomer has to fetch.
 */
import { spawnSync } from 'node:child_process';
import { realWorld } from '../../src/agent/world.ts';
import { simulateRemote } from '../../src/study/remote-model.ts';
import { wire } from '../support/proxy.ts';
import { serve } from '../support/servers.ts';
import { loops } from './contention.ts';
import { endAll } from './ends.ts';
import { type Figure, jain, median, ratio, timed } from './measure.ts';
import { cloneOf, connected } from './remote-clone.ts';
import { manyLeases, newcomer } from './remote-month.ts';
import { program } from './sandbox.ts';

/**
 * One operation of a process that is up already, as an MCP server's or a library's; and of a
 * command from its start.
 */
async function oneGrant(): Promise<readonly Figure[]> {
  const server = await serve('http');
  const [repo, plain] = [connected(server), cloneOf(server)];
  plain.git('push', '-q', 'origin', 'HEAD:refs/heads/main');
  const world = realWorld({ cwd: repo.top, env: repo.env, agent: 'ann' });
  const { reserve } = await import('../../src/loop/take.ts');
  const { release } = await import('../../src/loop/hold.ts');
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
