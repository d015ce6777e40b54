/** From a clone of a team's repository to one that is coordinated: one command. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Figure, median } from './measure.ts';
import { program, sandbox } from './sandbox.ts';

const rounds = 5;

export function joiningFigures(): readonly Figure[] {
  const { top, env, remove } = sandbox();
  const run = (cwd: string, file: string, ...args: readonly string[]): string =>
    execFileSync(file, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const server = join(top, '../server.git');
  run(top, 'git', 'init', '-q', '--bare', server);
  run(top, 'git', 'remote', 'add', 'origin', server);
  run(top, process.execPath, program, 'init', '--yes', '--remote', 'origin', '--harness', 'claude');
  writeFileSync(join(top, 'a'), '1\n');
  run(top, 'git', 'add', '-A');
  run(top, 'git', 'commit', '-q', '-m', 'team');
  run(top, 'git', 'push', '-q', 'origin', 'HEAD');
  const seconds = Array.from({ length: rounds }, (_, i) => {
    const clone = join(top, `../clone-${i}`);
    run(top, 'git', 'clone', '-q', server, clone);
    const began = process.hrtime.bigint();
    run(clone, process.execPath, program, 'init', '--yes');
    const took = Number(process.hrtime.bigint() - began) / 1e9;
    const answer = run(clone, process.execPath, program, 'reserve', 'a', '--json');
    if (!answer.includes('"granted"')) throw new Error(answer);
    run(clone, process.execPath, program, 'release', '--all');
    if (run(clone, 'git', 'status', '--porcelain') !== '')
      throw new Error('a tracked file changed');
    return took;
  });
  remove();
  return [
    {
      what: 'from a clone of a team to a coordinated one: commands; seconds',
      measured: `1; ${median(seconds).toFixed(1)}`,
      target: '1; < 10',
    },
  ];
}
