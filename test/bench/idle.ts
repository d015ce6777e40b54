/**
 * What installed hooks cost where nobody holds anything: the same commits with hooks of coord's and
 * with hooks that do nothing at all, in turn.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Figure, median, ratio, timed } from './measure.ts';
import { program, type Sandbox, sandbox } from './sandbox.ts';

const rounds = 80;

function installed(): Sandbox {
  const box = sandbox();
  execFileSync(process.execPath, [program, 'install'], { cwd: box.top, env: box.env });
  return box;
}

function silenced(): Sandbox {
  const box = installed();
  const hooks = join(box.top, '.git', 'hooks');
  const own = readdirSync(hooks).filter((name) => !name.endsWith('.sample'));
  for (const name of own) writeFileSync(join(hooks, name), '#!/bin/sh\nexit 0\n');
  return box;
}

function commit({ top, env }: Sandbox, round: number): number {
  writeFileSync(join(top, 'file'), `${round}\n`);
  execFileSync('git', ['add', 'file'], { cwd: top, env });
  return timed(() => execFileSync('git', ['commit', '-q', '-m', 'x'], { cwd: top, env }));
}

function branch({ top, env }: Sandbox, round: number): number {
  return timed(() => execFileSync('git', ['branch', `b${round}`], { cwd: top, env }));
}

export function idleFigures(): readonly Figure[] {
  const [ours, none] = [installed(), silenced()];
  const deeds = { commit, branch };
  const figures = Object.entries(deeds).map(([name, deed]): Figure => {
    const taken = Array.from(
      { length: rounds },
      (_, round) => [deed(ours, round), deed(none, round)] as const,
    );
    const measured = median(taken.map(([our]) => our)) / median(taken.map(([, other]) => other));
    return {
      what: `git ${name} with idle hooks, of the same with hooks that exit 0`,
      measured: ratio(measured),
      target: '<= 1.05 x',
    };
  });
  for (const box of [ours, none]) box.remove();
  return figures;
}
