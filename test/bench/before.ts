/**
 * What a granted `reserve` takes beside the release before, both as they are packed and each with a
 * log of its own. They take turns, and who begins changes.
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { packed, released } from '../support/released.ts';
import { type Figure, median, ratio, timed } from './measure.ts';
import { type Sandbox, sandbox } from './sandbox.ts';

const rounds = 100;
const leases = 10;

interface Version {
  readonly program: string;
  readonly box: Sandbox;
  readonly times: number[];
}

function coord({ program, box }: Version, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd: box.top,
    env: box.env,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`coord ${args.join(' ')}: ${stderr}`);
}

function filled(program: string): Version {
  const version: Version = { program, box: sandbox(), times: [] };
  for (let i = 0; i < leases; i += 1)
    coord(version, 'reserve', `held/module-${i}/src/file-${i}.ts`, '--ttl', '2h', '--agent', 'ann');
  return version;
}

export function beforeFigures(): readonly Figure[] {
  const [old, now] = [filled(released('0.1.0')), filled(packed())];
  for (let round = 0; round < rounds; round += 1) {
    for (const version of round % 2 === 0 ? [old, now] : [now, old]) {
      const path = `free/${round}.ts`;
      version.times.push(timed(() => coord(version, 'reserve', path, '--agent', 'me')));
      coord(version, 'release', '--all', '--agent', 'me');
    }
  }
  for (const { box, program } of [old, now]) {
    box.remove();
    rmSync(join(program, '../../..'), { recursive: true });
  }
  const [before, after] = [median(old.times), median(now.times)];
  return [
    {
      what: `granted, ${leases} leases, of release 0.1.0, both as packed`,
      measured: `${ratio(after / before)} (${before.toFixed(1)} and ${after.toFixed(1)} ms)`,
      target: '<= 1.03 x',
    },
  ];
}
