/** All pairs of many branches, and a work tree that is ready beside large dependencies. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { realWorld } from '../../src/agent/world.ts';
import { collisionsOf, pairsOf } from '../../src/work/conflicts/collisions.ts';
import { sidesOf } from '../../src/work/conflicts/sides.ts';
import { type Figure, median, ratio, timed } from './measure.ts';
import { program, sandbox } from './sandbox.ts';

const [branches, files, rounds] = [20, 377, 7];
const [packages, packageBytes] = [500, 2_000_000];

export function workTreeFigures(): readonly Figure[] {
  return [...pairFigures(), ...startFigures()];
}

/** Each branch changes some of the files, so that some pairs collide. */
function pairFigures(): readonly Figure[] {
  const { top, env, remove } = sandbox();
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: top, env, encoding: 'utf8' });
  const write = (file: number, text: string): void =>
    writeFileSync(join(top, `f${file}`), `${text}\n${'line\n'.repeat(200)}`);
  for (let i = 0; i < files; i += 1) write(i, 'begin');
  git('add', '-A');
  git('commit', '-q', '-m', 'files');
  const base = git('symbolic-ref', '--short', 'HEAD').trim();
  for (let i = 0; i < branches; i += 1) {
    git('checkout', '-q', '-b', `b${i}`, base);
    for (const file of [i, 100 + 7 * i, 300 + (i % 10)]) write(file, `of b${i}`);
    git('commit', '-q', '-a', '-m', `b${i}`);
  }
  git('checkout', '-q', base);
  const world = realWorld({ cwd: top, env });
  const pairs = pairsOf(sidesOf(world).filter(({ ref }) => ref !== `refs/heads/${base}`));
  const input = pairs.map(([one, other]) => `${one.tip} ${other.tip}\n`).join('');
  const bare = (): void => {
    const args = ['merge-tree', '--stdin', '--name-only', '--no-messages', '-z'];
    execFileSync('git', args, { cwd: top, env, input });
  };
  const cache = join(top, '.git/coord/conflicts');
  const times = Array.from({ length: rounds }, () => {
    rmSync(cache, { force: true });
    return [timed(bare), timed(() => collisionsOf(world, pairs))] as const;
  });
  const [ofGit, ours] = [median(times.map(([ms]) => ms)), median(times.map(([, ms]) => ms))];
  const again = median(
    Array.from({ length: rounds }, () => timed(() => collisionsOf(world, pairsOf(sidesOf(world))))),
  );
  const found = collisionsOf(world, pairs).length;
  remove();
  const about = `${pairs.length} pairs of ${branches} branches, ${files} files, ${found} in conflict`;
  return [
    { what: `${about}: ms`, measured: ours.toFixed(0), target: '< 100' },
    { what: '  beside git merge-tree --stdin', measured: ratio(ours / ofGit), target: '<= 1.5 x' },
    { what: '  the same again, all of it known: ms', measured: again.toFixed(0), target: '' },
  ];
}

function startFigures(): readonly Figure[] {
  const { top, env, remove } = sandbox();
  const run = (file: string, ...args: readonly string[]): string =>
    execFileSync(file, args, {
      cwd: top,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  writeFileSync(join(top, '.git/info/exclude'), 'node_modules\n');
  const body = Buffer.alloc(packageBytes, 'x');
  for (let i = 0; i < packages; i += 1) {
    const folder = join(top, 'node_modules', `package-${i}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'index.js'), 'module.exports = 1;\n');
    writeFileSync(join(folder, 'data'), body);
  }
  const seconds = [1, 2, 3].map((n) => {
    const ms = timed(() =>
      run(process.execPath, program, '--agent', `a${n}`, 'work', 'start', `bd-${n}`),
    );
    const made = join(top, `../${top.split('/').at(-1) ?? ''}.work/bd-${n}-1`);
    // What needs its dependencies works at once.
    execFileSync(process.execPath, ['-e', "require('package-7')"], { cwd: made, env });
    return ms / 1_000;
  });
  remove();
  const size = `${(packages * packageBytes) / 1e9} GB in ${packages} packages`;
  return [
    {
      what: `work start beside ${size}, linked: s`,
      measured: median(seconds).toFixed(1),
      target: '< 10',
    },
  ];
}
