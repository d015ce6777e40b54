/** What the guard costs a commit and other ref updates, beside hooks that do nothing. */

import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ended, type Figure, median, quantile, ratio, timed } from './measure.ts';
import { program, type Sandbox, sandbox } from './sandbox.ts';

const hooks = [
  'pre-commit',
  'prepare-commit-msg',
  'commit-msg',
  'post-commit',
  'post-checkout',
  'post-rewrite',
  'reference-transaction',
];
const rounds = 12;

function git(box: Sandbox, args: readonly string[], env: NodeJS.ProcessEnv = {}): void {
  const { status, stderr, stdout } = spawnSync('git', args, {
    cwd: box.top,
    env: { ...box.env, ...env },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}${stdout}`);
}

function coord(
  box: Sandbox,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Record<string, any> {
  const { stdout, status } = spawnSync(process.execPath, [program, '--json', ...args], {
    cwd: box.top,
    env: { ...box.env, ...env },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`coord ${args.join(' ')}: ${stdout}`);
  return JSON.parse(stdout) as Record<string, any>;
}

function filled(files: number): Sandbox {
  const box = sandbox();
  for (let i = 0; i < files; i += 1) {
    const folder = join(box.top, `d${i % 200}`);
    if (i < 200) mkdirSync(folder);
    writeFileSync(join(folder, `f${i}`), `${i}\n`);
  }
  git(box, ['add', '.']);
  git(box, ['commit', '-q', '-m', 'files']);
  return box;
}

function nothingHooks(box: Sandbox): void {
  for (const name of hooks) {
    writeFileSync(join(box.top, '.git/hooks', name), '#!/bin/sh\nexit 0\n');
    chmodSync(join(box.top, '.git/hooks', name), 0o755);
  }
}

function noHooks(box: Sandbox): void {
  for (const name of hooks) rmSync(join(box.top, '.git/hooks', name), { force: true });
  if (existsSync(join(box.top, '.git/hooks/pre-merge-commit'))) coord(box, ['uninstall']);
}

/** Commits one file, so often; in milliseconds. */
function commits(
  box: Sandbox,
  label: string,
  env: NodeJS.ProcessEnv = {},
  before: (round: number) => void = () => {},
): readonly number[] {
  return Array.from({ length: rounds }, (_, round) => {
    writeFileSync(join(box.top, 'd0/f0'), `${label} ${round}\n`);
    git(box, ['add', 'd0/f0'], env);
    before(round);
    return timed(() => git(box, ['commit', '-q', '-m', 'x'], env));
  });
}

export async function commitFigures(): Promise<readonly Figure[]> {
  const box = filled(20_000);
  const bare = commits(box, 'bare');
  nothingHooks(box);
  const nothing = commits(box, 'nothing');
  noHooks(box);
  coord(box, ['reserve', 'elsewhere', '--agent', 'x']);
  coord(box, ['release', '--all', '--agent', 'x']);
  coord(box, ['install']);
  commits(box, 'warm');
  const idle = commits(box, 'idle');
  noHooks(box);
  nothingHooks(box);
  const nothingAgain = commits(box, 'nothing again');
  noHooks(box);
  coord(box, ['install']);
  const node = Array.from({ length: rounds }, () =>
    timed(() => spawnSync(process.execPath, ['-e', '0'], { env: box.env })),
  );
  const sessions = Array.from(
    { length: 10 },
    (_, i) => coord(box, ['session', 'start', `agent-${i}`])['env'] as NodeJS.ProcessEnv,
  );
  for (const [i, env] of sessions.entries()) coord(box, ['reserve', `held/${i}`], env);
  const [mine = {}, theirs = {}] = sessions;
  const active = commits(box, 'active', mine, (round) => {
    writeFileSync(join(box.top, 'd1/f1'), `moved ${round}\n`);
    git(box, ['add', 'd1/f1'], theirs);
    git(box, ['commit', '-q', '-m', 'moved'], theirs);
  });
  // A repository that has grown is slower by itself.
  for (const env of sessions) coord(box, ['session', 'end'], env);
  noHooks(box);
  const bareAgain = commits(box, 'bare again');
  box.remove();
  return [
    {
      what: 'git commit, 20,000 files, nobody holds anything: of the same with hooks that do nothing',
      measured: `${ratio(median(idle) / median([...nothing, ...nothingAgain]))} (${ratio(median(idle) / median(bare))} of no hooks)`,
      target: '<= 1.1 x',
    },
    {
      what: 'git commit, 10 agents with leases, HEAD moved: beyond plain git, in starts of node',
      measured: `${((median(active) - median(bareAgain)) / median(node)).toFixed(2)}, p95 ${((quantile(active, 0.95) - median(bareAgain)) / median(node)).toFixed(2)}`,
      target: '<= 3',
    },
    ...refUpdates(),
    ...(await manyCommits()),
  ];
}

interface RefTimes {
  readonly update: number;
  readonly fetch: number;
  readonly rebase: number;
}

/** Twenty updates of other refs, a fetch of a thousand, a rebase of fifty commits. */
function refTimes(box: Sandbox, source: string): RefTimes {
  const unhooked = ['-c', 'core.hooksPath=/dev/null', '-c', 'gc.auto=0'];
  const middle = (times: number, one: () => number): number =>
    median(Array.from({ length: times }, one));
  return {
    update: middle(7, () =>
      timed(() => {
        for (let i = 0; i < 20; i += 1) git(box, ['update-ref', `refs/bench/${i}`, 'HEAD']);
      }),
    ),
    fetch: middle(3, () => {
      const ms = timed(() =>
        git(box, [
          '-c',
          'gc.auto=0',
          'fetch',
          '-q',
          source,
          '+refs/heads/many/*:refs/remotes/many/*',
        ]),
      );
      git(box, [
        ...unhooked,
        'fetch',
        '-q',
        '--prune',
        source,
        '+refs/heads/none/*:refs/remotes/many/*',
      ]);
      return ms;
    }),
    rebase: middle(5, () => {
      git(box, [...unhooked, 'checkout', '-q', '-B', 'work', 'topic']);
      return timed(() => git(box, ['rebase', '-q', 'side']));
    }),
  };
}

function refUpdates(): readonly Figure[] {
  const box = filled(20);
  git(box, ['branch', 'side']);
  for (let i = 0; i < 50; i += 1) {
    writeFileSync(join(box.top, `topic${i}`), '');
    git(box, ['add', '.']);
    git(box, ['commit', '-q', '-m', `topic ${i}`]);
  }
  git(box, ['branch', 'topic']);
  git(box, ['checkout', '-q', 'side']);
  writeFileSync(join(box.top, 'aside'), '');
  git(box, ['add', '.']);
  git(box, ['commit', '-q', '-m', 'aside']);
  const source = join(box.top, '.git', 'source');
  git(box, ['clone', '-q', '--bare', box.top, source]);
  const head = spawnSync('git', ['rev-parse', 'HEAD'], {
    cwd: box.top,
    env: box.env,
    encoding: 'utf8',
  }).stdout.trim();
  const many = Array.from(
    { length: 1_000 },
    (_, i) => `create refs/heads/many/${i} ${head}\n`,
  ).join('');
  spawnSync('git', ['update-ref', '--stdin'], { cwd: source, env: box.env, input: many });
  nothingHooks(box);
  const nothing = refTimes(box, source);
  noHooks(box);
  coord(box, ['reserve', 'elsewhere', '--agent', 'x']);
  coord(box, ['release', '--all', '--agent', 'x']);
  coord(box, ['install']);
  git(box, ['update-ref', 'refs/heads/warm', 'HEAD']);
  const ours = refTimes(box, source);
  box.remove();
  const figure = (what: string, key: keyof RefTimes): Figure => ({
    what: `${what}, nobody holds anything: of the same with hooks that do nothing`,
    measured: ratio(ours[key] / nothing[key]),
    target: '<= 1.1 x',
  });
  return [
    figure('20 other ref updates', 'update'),
    figure('fetch of 1,000 refs', 'fetch'),
    figure('rebase of 50 commits', 'rebase'),
  ];
}

/** Ten sessions, twenty commits each, at once and one after the other. */
async function manyCommits(): Promise<readonly Figure[]> {
  const work = async (
    atOnce: boolean,
  ): Promise<{ readonly ms: number; readonly landed: number }> => {
    const box = filled(200);
    coord(box, ['install']);
    const sessions = Array.from(
      { length: 10 },
      (_, i) => coord(box, ['session', 'start', `agent-${i}`])['env'] as NodeJS.ProcessEnv,
    );
    const one = (env: NodeJS.ProcessEnv, i: number): Promise<number> => {
      const script = `for k in $(seq 20); do echo try $k > d${i}/f${i}; git add d${i}/f${i}; "${process.execPath}" "${program}" --quiet commit -m "${i} $k" >/dev/null || exit 1; done`;
      return ended(
        spawn('sh', ['-c', script], { cwd: box.top, env: { ...box.env, ...env }, stdio: 'ignore' }),
      );
    };
    const started = performance.now();
    if (atOnce) await Promise.all(sessions.map(one));
    else for (const [i, env] of sessions.entries()) await one(env, i);
    const ms = performance.now() - started;
    const landed =
      Number(
        spawnSync('git', ['rev-list', '--count', 'HEAD'], {
          cwd: box.top,
          env: box.env,
          encoding: 'utf8',
        }).stdout,
      ) - 2;
    box.remove();
    return { ms, landed };
  };
  const [row, together] = [await work(false), await work(true)];
  return [
    {
      what: '10 agents x 20 coord commits at once: landed; wall, of the 200 in a row',
      measured: `${together.landed} of 200; ${ratio(together.ms / row.ms)}`,
      target: '200; <= 1.5 x',
    },
  ];
}
