/**
 * Real processes stopped at a chosen point. `gitGate` puts a `git` first on PATH that is the real
 * one, but for an `update-ref` that a test wants to stop, to lose or to spoil; `startLine` holds
 * loaded processes until all of them may go at once. A gate is a FIFO: whoever opens it for reading
 * sleeps in the kernel until the test opens it for writing.
 */
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  coordProgram,
  type Environment,
  eventually,
  repository,
  type Started,
  start,
  type TestRepository,
} from './repository.ts';

/**
 * Where a git stops or what becomes of its reply: `before` it does anything, `holding` the locks of
 * all its refs, `after` it has done everything; `killed` and `failed` do the work and lose the
 * reply, `lying` says yes and does nothing; `unguarded` stops before, then drops the value that the
 * log is expected to have; `unleased` does so for a push.
 */
export type Stop =
  | 'before'
  | 'holding'
  | 'after'
  | 'killed'
  | 'failed'
  | 'lying'
  | 'unguarded'
  | 'unleased';

export interface GitGate {
  /** For the coord process whose git is meant. */
  readonly env: Environment;
  /** Waits until git has come to the gate and returns its process id. */
  reached(): Promise<number>;
  /** The value of the log that its update expects, as it was sent. */
  expected(): string;
  open(): void;
}

/** By default only the first update of the process is treated so, with `every` all of them. */
export function gitGate(
  repo: TestRepository,
  stop: Stop,
  every = false,
  verb = 'update-ref',
): GitGate {
  const folder = mkdtempSync(join(repo.top, '..', 'gate-'));
  const gate = fifo(join(folder, 'gate'));
  const [here, input] = [join(folder, 'here'), join(folder, 'input')];
  executable(join(folder, 'git'), wrapper(folder, stop, every, verb));
  mkdirSync(join(folder, 'hooks'));
  // It outlives a git that is killed, so it must not keep that git's output open.
  executable(
    join(folder, 'hooks', 'reference-transaction'),
    `#!/bin/sh\n[ "$1" = prepared ] || exit 0\nexec >/dev/null 2>&1\n${stand(folder, '$PPID')}\n`,
  );
  return {
    env: { PATH: `${folder}${delimiter}${repo.env['PATH'] ?? ''}` },
    reached: async () => {
      await eventually(`git comes to the gate '${stop}'`, () => existsSync(here));
      return Number(readFileSync(here, 'utf8'));
    },
    expected: () => readFileSync(input, 'utf8').split('\0')[2] ?? '',
    open: () => gate.open(),
  };
}

function stand(folder: string, pid: string): string {
  return `echo "${pid}" >'${folder}/draft' && mv '${folder}/draft' '${folder}/here'\n: <'${folder}/gate'`;
}

function wrapper(folder: string, stop: Stop, every: boolean, verb: string): string {
  const git = realGit();
  const wait = stand(folder, '$$');
  const acts: Readonly<Record<Stop, string>> = {
    before: `cat >'${folder}/input'\n${wait}\nexec '${git}' "$@" <'${folder}/input'`,
    unguarded: `cat >'${folder}/input'\n${wait}\nsed -z '3s/.*//' '${folder}/input' | '${git}' "$@"`,
    unleased: `${wait}\nfor arg; do\n  shift\n  case $arg in --force-with-lease=*) arg=--force ;; esac\n  set -- "$@" "$arg"\ndone\nexec '${git}' "$@"`,
    holding: `for arg; do\n  shift\n  [ "$arg" = update-ref ] && set -- "$@" -c hook.reference-transaction.enabled=true -c 'core.hooksPath=${folder}/hooks'\n  set -- "$@" "$arg"\ndone\nexec '${git}' "$@"`,
    after: `'${git}' "$@"\ncode=$?\n${wait}\nexit "$code"`,
    killed: `'${git}' "$@"\nkill -9 $$`,
    failed: `'${git}' "$@"\nexit 1`,
    lying: 'cat >/dev/null\nexit 0',
  };
  const once = every ? '' : `mkdir '${folder}/passed' 2>/dev/null || exec '${git}' "$@"\n`;
  return `#!/bin/sh\ncase " $* " in *' ${verb} '*) ;; *) exec '${git}' "$@" ;; esac\n${once}${acts[stop]}\n`;
}

export function executable(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o755 });
}

/** The program that is tested, under these names in a folder for the PATH. */
export function coordIn(
  folder: string,
  names: readonly string[] = ['coord'],
  program = coordProgram,
): void {
  mkdirSync(folder, { recursive: true });
  for (const name of names)
    executable(join(folder, name), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
}

export function realGit(): string {
  const file = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, 'git'))
    .find(existsSync);
  if (file === undefined) throw new Error('git is not on PATH');
  return file;
}

interface Fifo {
  open(): void;
}

/**
 * Stays open once it is, for those who come late, and opens at the latest when the test has ended.
 */
function fifo(file: string): Fifo {
  execFileSync('mkfifo', [file]);
  let descriptor: number | null = null;
  // Reading as well as writing: this end never waits for the other one.
  const open = (): void => {
    descriptor ??= openSync(file, 'r+');
  };
  onTestFinished(() => {
    open();
    if (descriptor !== null) closeSync(descriptor);
  });
  return { open };
}

export interface StartLine {
  /** Starts coord, loaded but not run. */
  start(agent: string, args: readonly string[]): Started;
  /** Waits until all stand at the line, then lets them go at once. */
  go(): Promise<void>;
}

const atGate = resolve(import.meta.dirname, '../../fixtures/at-gate.mjs');

export function startLine(repo: TestRepository): StartLine {
  const file = join(mkdtempSync(join(repo.top, '..', 'line-')), 'gate');
  const gate = fifo(file);
  let [expected, ready] = [0, 0];
  return {
    start: (agent, args) => {
      expected += 1;
      const started = start(
        repo.top,
        { ...repo.env, NODE_OPTIONS: `--import=${atGate}`, START_GATE: file },
        ['--agent', agent, '--json', ...args],
      );
      started.child.stderr?.once('data', () => {
        ready += 1;
      });
      return started;
    },
    go: async () => {
      await eventually(`${expected} processes are ready`, () => ready === expected, 60_000);
      gate.open();
    },
  };
}

/**
 * Can coord tell here that a lock is nobody's? Where other processes are hidden from it, it has to
 * ask.
 */
export const canSeeAll: boolean =
  existsSync('/proc/self/ns') && readlinkSync('/proc/self/ns/pid') === 'pid:[4026531836]';

/** A repository with a log and the agents on record, so that only what is asked for changes. */
export function withAgents(...names: readonly string[]): TestRepository {
  const repo = repository();
  for (const name of names) repo.coord(name, 'whoami');
  return repo;
}

export function commonDir(repo: TestRepository): string {
  return join(repo.top, '.git');
}

export function logLock(repo: TestRepository): string {
  return join(commonDir(repo), 'refs/coord/log.lock');
}
