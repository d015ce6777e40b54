/**
 * The one place that runs git: argv and standard input only, never a shell; hooks, monitors and
 * background work off; a plain environment; a limit on time and output. A git child is asked to
 * stop, never killed: a killed one leaves its locks behind for ever.
 */
import type { SimpleGit } from 'simple-git';
import { CoordError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { builtin } from './builtin.ts';
import { trace } from './trace.ts';

export interface GitProgram {
  /** Absolute path of git. */
  readonly path: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface GitResult {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

const quietConfig: readonly string[] = [
  'core.hooksPath=/dev/null',
  'hook.reference-transaction.enabled=false',
  'hook.post-index-change.enabled=false',
  'core.fsmonitor=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'core.logAllRefUpdates=false',
  'core.packedRefsTimeout=100',
  'core.fsync=committed,loose-object',
];
const fixed: readonly string[] = [
  '--literal-pathspecs',
  '--no-pager',
  ...quietConfig.flatMap((setting) => ['-c', setting]),
];

/** For a git that may write what it has found out into the index, which is no change of it. */
export const noIndexHook: readonly string[] = [
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'hook.post-index-change.enabled=false',
];

/** Runs git and returns whatever it said; throws only where git could not be run to its end. */
export function runGit(
  git: GitProgram,
  args: readonly string[],
  input: string | Buffer = '',
  cwd?: string,
  mostBytes?: number,
): GitResult {
  return start(git, fixed, args, input, cwd, mostBytes);
}

/** git as its user has it, hooks and all: to ask where they are, and to see that they work. */
export function runPlain(
  git: GitProgram,
  args: readonly string[],
  input: string | Buffer = '',
  cwd?: string,
): GitResult {
  return start(git, [], args, input, cwd);
}

interface RemoteOptions {
  readonly onSlow: () => void;
  readonly maxMs?: number;
}

/**
 * The same beside other work: a server may take its time. Asked to stop where it takes too long.
 */
export function runFar(
  git: GitProgram,
  cwd: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { onSlow, maxMs: mostMs = limits.gitTimeoutMs }: RemoteOptions,
): Promise<GitResult & { readonly inTime: boolean }> {
  const started = process.hrtime.bigint();
  return new Promise((resolve, reject) => {
    const child = builtin.childProcess.spawn(git.path, [...fixed, ...args], {
      cwd,
      env: { ...git.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
      timeout: timeLeftMs(mostMs),
      killSignal: 'SIGTERM',
    });
    const said: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
    let bytes = 0;
    const slow = setTimeout(onSlow, limits.slowMs);
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes <= limits.remoteOutputBytes) said[name].push(chunk);
        else child.kill('SIGTERM');
      });
    }
    child.on('error', (error) => {
      clearTimeout(slow);
      reject(failure(error, args));
    });
    child.on('exit', (_, signal) => {
      // What it started to speak to the server may hold on to these for as long as the server is
      // silent.
      if (signal !== null) for (const name of ['stdout', 'stderr'] as const) child[name].destroy();
    });
    child.on('close', (code, signal) => {
      clearTimeout(slow);
      trace(git.env, {
        what: 'git',
        args: [...args],
        code,
        ms: Number(process.hrtime.bigint() - started) / 1e6,
      });
      resolve({
        code: code ?? 128,
        stdout: Buffer.concat(said.stdout),
        stderr: Buffer.concat(said.stderr).toString('utf8').trim(),
        inTime: signal === null,
      });
    });
  });
}

/** A hook of the user's, which may take as long as it likes and speaks to the user itself. */
export function runHook(
  program: GitProgram,
  args: readonly string[],
  input: string,
  cwd: string,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = builtin.childProcess.spawn(program.path, [...args], {
      cwd,
      env: program.env,
      stdio: ['pipe', 2, 2],
      windowsHide: true,
    });
    child.on('error', (error) => reject(failure(error, args)));
    child.on('close', (code) => resolve(code ?? 128));
    // It need not read what it is told.
    child.stdin?.on('error', () => {}).end(input);
  });
}

let deadlineMs = Number.POSITIVE_INFINITY;

/**
 * From now on no git runs beyond this: for whoever is given up on if it does not answer in time.
 */
export function endGitWithin(ms: number): void {
  deadlineMs = Number(process.hrtime.bigint()) / 1e6 + ms;
}

function timeLeftMs(mostMs: number = limits.gitTimeoutMs): number {
  return Math.max(
    1,
    Math.floor(Math.min(mostMs, deadlineMs - Number(process.hrtime.bigint()) / 1e6)),
  );
}

function start(
  git: GitProgram,
  settings: readonly string[],
  args: readonly string[],
  input: string | Buffer,
  cwd: string | undefined,
  mostBytes: number = limits.gitOutputBytes,
): GitResult {
  const started = process.hrtime.bigint();
  const child = builtin.childProcess.spawnSync(git.path, [...settings, ...args], {
    input,
    env: git.env,
    windowsHide: true,
    ...(cwd === undefined ? {} : { cwd }),
    timeout: timeLeftMs(),
    killSignal: 'SIGTERM',
    maxBuffer: mostBytes,
  });
  trace(git.env, {
    what: 'git',
    args: [...args],
    code: child.status,
    ms: Number(process.hrtime.bigint() - started) / 1e6,
  });
  if (child.error !== undefined && !gaveUpReading(child)) throw failure(child.error, args);
  return {
    code: child.status ?? 128,
    stdout: child.stdout,
    stderr: child.stderr.toString('utf8').trim(),
  };
}

/** It ended, with a reason of its own, before it had read all that it was sent. */
export function gaveUpReading({
  error,
  status,
}: {
  readonly error?: Error & { code?: string };
  readonly status: number | null;
}): boolean {
  return error?.code === 'EPIPE' && status !== null && status !== 0;
}

function failure(error: Error & { code?: string }, args: readonly string[]): CoordError {
  const verb = args.find((arg) => !arg.startsWith('-')) ?? 'git';
  if (error.code === 'ETIMEDOUT')
    return new CoordError('git_timeout', `git ${verb} did not end in time`, 'try again', error);
  if (error.code === 'ENOENT')
    return new CoordError(
      'git_missing',
      'git could not be found',
      'install git 2.34 or newer',
      error,
    );
  return new CoordError(
    'git_failed',
    `git ${verb} could not be run: ${error.message}`,
    undefined,
    error,
  );
}

/** The same, where anything but success is a failure of the world. */
export function git(
  program: GitProgram,
  args: readonly string[],
  input: string | Buffer = '',
): Buffer {
  const { code, stdout, stderr } = runGit(program, args, input);
  if (code === 0) return stdout;
  const verb = args.find((arg) => !arg.startsWith('-')) ?? 'git';
  throw new CoordError(
    'git_failed',
    `git ${verb} failed: ${stderr.split('\n')[0] ?? `exit ${code}`}`,
  );
}

/**
 * Programs that git would start for a person; simple-git refuses to run with them set, and nothing
 * here needs them.
 */
const foreign = /^(EDITOR|VISUAL|PAGER|PREFIX|SSH_ASKPASS)$/;

/** git's everyday commands, through simple-git: for doctor and the demo, which are in no hurry. */
export async function porcelain(program: GitProgram, cwd: string): Promise<SimpleGit> {
  const { simpleGit } = await import('simple-git');
  const unsafe = {
    allowUnsafeHooksPath: true,
    allowUnsafeFsMonitor: true,
    allowUnsafeConfigPaths: true,
    allowUnsafeConfigEnvCount: true,
    allowUnsafeTemplateDir: true,
  };
  const env = Object.fromEntries(
    Object.entries(program.env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !foreign.test(entry[0]),
    ),
  );
  return simpleGit({
    baseDir: cwd,
    binary: program.path,
    config: [...quietConfig],
    unsafe,
    allowEnvironment: Object.keys(env),
  }).env(env);
}
