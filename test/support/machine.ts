/**
 * A machine with clocks of its own: a time namespace, an uptime that the test sets, and a wall
 * clock that is off by as much as the test says. The processes of one machine share them; git and
 * node see nothing else.
 */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { at, eventually, type TestRepository, temporaryFolder } from './repository.ts';
import { withDescendants } from './server-process.ts';

export interface TestMachine {
  /** The repository, as processes of this machine work in it. */
  readonly repo: TestRepository;
  /**
   * So much time passes here, by this machine's own reckoning. Suspended or not makes no
   * difference.
   */
  pass(ms: number): void;
  readonly uptimeMs: number;
  /** From now on its wall clock is off by this. */
  setWall(offsetMs: number): void;
}

export interface MachineOptions {
  readonly uptimeMs?: number;
  /** Its uptime is one that some container made up: lower than the monotonic clock. */
  readonly isMadeUp?: boolean;
}

const libfaketime = ['x86_64', 'aarch64']
  .map((arch) => `/usr/lib/${arch}-linux-gnu/faketime/libfaketime.so.1`)
  .find(existsSync);

export async function machine(
  { top, env }: TestRepository,
  { uptimeMs = 1_000_000, isMadeUp = false }: MachineOptions = {},
): Promise<TestMachine> {
  if (libfaketime === undefined)
    throw new Error('libfaketime is not installed here: apt-get install faketime');
  const home = temporaryFolder();
  const [uptime, wall] = [join(home, 'uptime'), join(home, 'wall')];
  let passedMs = uptimeMs;
  // In place and of one length, so that nobody reads half of it.
  const write = (): void => {
    const file = openSync(uptime, existsSync(uptime) ? 'r+' : 'w');
    writeSync(file, `${`${(passedMs / 1_000).toFixed(2)} 0.00`.padEnd(40)}\n`, 0);
    closeSync(file);
  };
  write();
  writeFileSync(wall, '+0\n');
  const pid = await namespaces(uptime, isMadeUp ? 0 : -realUptimeSeconds() + 5);
  const prefix = [
    'nsenter',
    '--preserve-credentials',
    '-U',
    '-m',
    '-T',
    '-t',
    String(pid),
    `--wdns=${top}`,
    '--',
  ];
  const faked = {
    ...env,
    LD_PRELOAD: libfaketime,
    FAKETIME_TIMESTAMP_FILE: wall,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    NO_FAKE_STAT: '1',
  };
  return {
    repo: at(top, faked, prefix),
    pass: (ms) => {
      passedMs += ms;
      write();
    },
    get uptimeMs() {
      return passedMs;
    },
    setWall: (offsetMs) =>
      writeFileSync(wall, `${offsetMs < 0 ? '-' : '+'}${Math.abs(Math.round(offsetMs / 1_000))}\n`),
  };
}

function realUptimeSeconds(): number {
  return Math.floor(Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]));
}

/** The process that keeps them; it ends with the test. */
async function namespaces(uptime: string, monotonic: number): Promise<number> {
  const mark = `COORD_TEST_MACHINE=${uptime}`;
  const script = `mount --bind '${uptime}' /proc/uptime && exec sleep 3600`;
  const keeper = spawn(
    'unshare',
    [
      '-rmT',
      '--boottime',
      '1000000',
      '--monotonic',
      String(monotonic),
      '--fork',
      '--kill-child',
      'sh',
      '-c',
      script,
    ],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: process.env['PATH'], COORD_TEST_MACHINE: uptime },
    },
  );
  let said = '';
  keeper.stderr.on('data', (chunk: Buffer) => {
    said += String(chunk);
  });
  onTestFinished(() => void keeper.kill('SIGKILL'));
  const sleeper = (): number | undefined =>
    withDescendants([keeper.pid ?? 0]).find((pid) => isSleep(pid));
  await eventually('the machine is up', () => {
    if (keeper.exitCode !== null) throw new Error(`${mark}: ${said}`);
    return sleeper() !== undefined;
  });
  return sleeper() ?? 0;
}

function isSleep(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8') === 'sleep\n';
  } catch {
    return false;
  }
}
