/** One session of a real program: started, waited for, killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { LaunchOptions, Place, Program } from './program.ts';

export interface Session {
  readonly child: ChildProcess;
  readonly ended: Promise<SessionEnd>;
}

export interface SessionEnd {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

const secondsAtMost = 110;

/** Of the environment only what every user has: no key, no agent around it. */
function environment(place: Place): NodeJS.ProcessEnv {
  return {
    HOME: place.home,
    PATH: process.env['PATH'],
    TERM: 'dumb',
    LANG: 'C.UTF-8',
    USER: 'tester',
    TMPDIR: process.env['TMPDIR'] ?? '/tmp',
    CI: undefined,
  };
}

export function start(
  program: Program,
  place: Place,
  prompt: string,
  options: LaunchOptions = {},
  more: NodeJS.ProcessEnv = {},
): Session {
  const { file, args, env } = program.launch(place, prompt, options);
  const child = spawn(file, args, {
    cwd: place.cwd,
    env: { ...environment(place), ...env, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const out: string[] = [];
  const err: string[] = [];
  child.stdout?.on('data', (bytes: Buffer) => out.push(bytes.toString('utf8')));
  child.stderr?.on('data', (bytes: Buffer) => err.push(bytes.toString('utf8')));
  const late = setTimeout(() => killGroup(child, 'SIGKILL'), secondsAtMost * 1_000);
  const ended = once(child, 'close').then(([code, signal]) => {
    clearTimeout(late);
    return { code, signal, stdout: out.join(''), stderr: err.join('') } as SessionEnd;
  });
  return { child, ended };
}

/** The program and whatever it has started in its group. */
export function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // It has ended by itself.
  }
}
