/**
 * What a person pays while somebody holds something unrelated: a commit, a new branch, a soft
 * reset, beyond plain git, in starts of a bare node; and `coord commit` with a slow hook beside a
 * busy log. Without what a user's environment adds to each start of node.
 */
import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Figure, median, ratio, timed } from './measure.ts';
import { program, type Sandbox, sandbox } from './sandbox.ts';

const rounds = 15;
const slowHookMs = 4_000;

function git(box: Sandbox, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync('git', args, {
    cwd: box.top,
    env: box.env,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
}

function coord(
  box: Sandbox,
  env: NodeJS.ProcessEnv,
  ...args: readonly string[]
): Record<string, any> {
  const run = spawnSync(process.execPath, [program, '--json', ...args], {
    cwd: box.top,
    env: { ...box.env, ...env },
    encoding: 'utf8',
  });
  if (run.status !== 0) throw new Error(`coord ${args.join(' ')}: ${run.stdout}`);
  return JSON.parse(run.stdout) as Record<string, any>;
}

type Deed = 'commit' | 'branch' | 'reset';

/** The middle of so many of each, in milliseconds, one after the other in turn. */
function times(box: Sandbox, label: string): Readonly<Record<Deed, number>> {
  const taken: Record<Deed, number[]> = { commit: [], branch: [], reset: [] };
  for (let i = 0; i < rounds; i += 1) {
    writeFileSync(join(box.top, 'file'), `${label} ${i}\n`);
    git(box, 'add', 'file');
    taken.commit.push(timed(() => git(box, 'commit', '-q', '-m', 'x')));
    taken.branch.push(timed(() => git(box, 'branch', `${label}-${i}`)));
    git(box, 'commit', '-q', '--allow-empty', '-m', 'empty');
    taken.reset.push(timed(() => git(box, 'reset', '-q', '--soft', 'HEAD~1')));
  }
  return { commit: median(taken.commit), branch: median(taken.branch), reset: median(taken.reset) };
}

export function besideFigures(): readonly Figure[] {
  const box = sandbox();
  writeFileSync(join(box.top, 'file'), 'begin\n');
  git(box, 'add', '.');
  git(box, 'commit', '-q', '-m', 'begin');
  const plain = times(box, 'plain');
  coord(box, {}, 'install');
  coord(box, {}, 'reserve', 'elsewhere/file', '--agent', 'holder', '--ttl', '2h');
  git(box, 'commit', '-q', '--allow-empty', '-m', 'warm');
  const beside = times(box, 'beside');
  const node = median(
    Array.from({ length: rounds }, () =>
      timed(() => {
        spawnSync(process.execPath, ['-e', '0'], { env: box.env });
      }),
    ),
  );
  box.remove();
  const starts = (deed: Deed): string => ((beside[deed] - plain[deed]) / node).toFixed(2);
  const shown = (deed: Deed): string =>
    `${starts(deed)} (${plain[deed].toFixed(1)} and ${beside[deed].toFixed(1)} ms; node ${node.toFixed(1)})`;
  return [
    {
      what: "a person's commit beside an unrelated lease, beyond plain git, in starts of bare node",
      measured: shown('commit'),
      target: '<= 3',
    },
    { what: 'a new branch then', measured: shown('branch'), target: '<= 1.3' },
    { what: 'a soft reset then', measured: shown('reset'), target: '<= 1.3' },
    slowHook(),
  ];
}

/** One commit whose hook takes its time, while another agent moves the log all along. */
function slowHook(): Figure {
  const box = sandbox();
  const runs = join(box.top, '.git', 'runs');
  writeFileSync(
    join(box.top, '.git/hooks/pre-commit'),
    `#!/bin/sh\necho run >>'${runs}'\nsleep ${slowHookMs / 1_000}\n`,
    { mode: 0o755 },
  );
  const stage = (line: string, env: NodeJS.ProcessEnv): void => {
    writeFileSync(join(box.top, 'file'), `${line}\n`);
    spawnSync('git', ['add', 'file'], { cwd: box.top, env: { ...box.env, ...env } });
  };
  stage('plain', {});
  const plain = timed(() => git(box, 'commit', '-q', '-m', 'plain'));
  coord(box, {}, 'install');
  const env = coord(box, {}, 'session', 'start', 'ann')['env'] as NodeJS.ProcessEnv;
  stage('in line', env);
  writeFileSync(runs, '');
  const busy = `while :; do "${process.execPath}" "${program}" --quiet --agent carl reserve "x$(date +%N)" >/dev/null; sleep 1; done`;
  const child = spawn('sh', ['-c', busy], {
    cwd: box.top,
    env: box.env,
    stdio: 'ignore',
    detached: true,
  });
  const inLine = timed(() => coord(box, env, 'commit', '-m', 'in line'));
  if (child.pid !== undefined) process.kill(-child.pid);
  const count = spawnSync('wc', ['-l', runs], { encoding: 'utf8' }).stdout.trim().split(' ')[0];
  box.remove();
  return {
    what: 'coord commit with a hook of 4 s beside a busy log: hook runs; of plain git commit',
    measured: `${count ?? '?'}; ${ratio(inLine / plain)}`,
    target: '1; <= 1.2 x',
  };
}
