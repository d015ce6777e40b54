/**
 * How soon a refusal, a commit and an override are seen by whoever follows the log, and what
 * others' settings take.
 */
import {
  type ChildProcessWithoutNullStreams,
  execFileSync,
  spawn,
  spawnSync,
} from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Figure } from './measure.ts';
import { program, type Sandbox, sandbox } from './sandbox.ts';

function coord({ top, env }: Sandbox, agent: string, ...args: readonly string[]): number | null {
  return spawnSync(process.execPath, [program, '--agent', agent, ...args], { cwd: top, env })
    .status;
}

function commit(
  box: Sandbox,
  agent: string,
  file: string,
  more: Readonly<Record<string, string>> = {},
): void {
  writeFileSync(join(box.top, file), `${agent} ${Date.now()}\n`);
  execFileSync('git', ['add', file], { cwd: box.top, env: box.env });
  const who = agent === '' ? {} : { COORD_AGENT: agent };
  spawnSync('git', ['commit', '-q', '-m', 'x', '--', file], {
    cwd: box.top,
    env: { ...box.env, ...who, ...more },
  });
}

async function secondsUntil(
  follower: ChildProcessWithoutNullStreams,
  event: string,
  deed: () => void,
): Promise<number> {
  const seen = new Promise<number>((resolve) => {
    createInterface({ input: follower.stdout }).on('line', (line) => {
      if (line.includes(`"event":"${event}"`)) resolve(Date.now());
    });
  });
  deed();
  // From the end of the deed: what it takes itself is no part of it.
  const done = Date.now();
  return Math.max(0, (await seen) - done) / 1_000;
}

export async function auditFigures(): Promise<readonly Figure[]> {
  const box = sandbox();
  execFileSync(process.execPath, [program, 'install'], { cwd: box.top, env: box.env });
  coord(box, 'ann', 'reserve', 'held');
  coord(box, 'bob', 'whoami');
  const follower = spawn(process.execPath, [program, 'log', '--follow', '--json'], {
    cwd: box.top,
    env: box.env,
  });
  const seconds = {
    conflict: await secondsUntil(follower, 'conflict', () => coord(box, 'bob', 'reserve', 'held')),
    blocked: await secondsUntil(follower, 'blocked', () => commit(box, 'bob', 'held')),
    committed: await secondsUntil(follower, 'committed', () => commit(box, 'bob', 'free')),
    overridden: await secondsUntil(follower, 'overridden', () =>
      commit(box, '', 'held', { COORD_OVERRIDE: 'why' }),
    ),
  };
  follower.kill('SIGINT');
  const id =
    /"id":"([0-9a-z]{8})","kind":"reservation"/.exec(
      execFileSync(process.execPath, [program, 'status', '--json'], {
        cwd: box.top,
        env: box.env,
        encoding: 'utf8',
      }),
    )?.[1] ?? '';
  const tries = [
    ['-c', 'coord.grace=0s', 'reserve', 'held'],
    ['-c', 'coord.breakAfter=0s', 'break', id, '--reason', 'x'],
    ['-c', 'coord.stalledAfter=0s', '-c', 'coord.breakAfter=0s', 'break', id, '--reason', 'x'],
  ];
  const taken = tries.filter((args) => coord(box, 'eve', ...args) === 0).length;
  box.remove();
  const all = Object.entries(seconds)
    .map(([name, one]) => `${name} ${one.toFixed(1)}`)
    .join(', ');
  return [
    {
      what: 'seconds until it is in log --follow, without another writer',
      measured: all,
      target: '<= 2',
    },
    {
      what: "takes of a live holder's lease by settings of somebody else",
      measured: `${taken} of ${tries.length}`,
      target: '0',
    },
  ];
}
