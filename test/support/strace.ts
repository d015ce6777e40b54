/**
 * Faults at a chosen system call, by strace: a recording lists the calls with which a command
 * touches its repository, an injection makes one of them kill the process or fail. coord's main
 * thread and its first `git update-ref` are traced apart, so that a call's number means the same
 * each time.
 */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { realGit } from './gate.ts';
import { coordProgram, type Ran, runAsync, type TestRepository } from './repository.ts';

export type Program = 'coord' | 'git';

/** The nth call of this name in that program. */
export interface Point {
  readonly program: Program;
  readonly call: string;
  readonly nth: number;
  /** The call as strace wrote it. */
  readonly line: string;
}

export interface Fault {
  readonly program: Program;
  readonly call: string;
  /** Which ones: `3`, `3+`. */
  readonly when: string;
  /** `signal=KILL`, `error=ENOSPC`. */
  readonly effect: string;
  /** Kill the coord that started this git as well. */
  readonly andCoord?: boolean;
}

const recorded = [
  'open',
  'openat',
  'write',
  'pwrite64',
  'writev',
  'fsync',
  'fdatasync',
  'rename',
  'renameat',
  'renameat2',
  'link',
  'linkat',
  'unlink',
  'unlinkat',
  'mkdir',
  'mkdirat',
  'rmdir',
  'utimensat',
  'ftruncate',
  'exit_group',
];

/**
 * Every call of a command that touches the repository: those that change something and its last, or
 * all.
 */
export async function record(
  repo: TestRepository,
  agent: string,
  args: readonly string[],
  program: Program,
  which: 'changes' | 'all' = 'changes',
): Promise<readonly Point[]> {
  const file = join(mkdtempSync(join(repo.top, '..', 'record-')), 'calls');
  const ran = await traced(
    repo,
    [agent, ...args],
    program,
    ['-y', '-e', `trace=${recorded.map((call) => `?${call}`).join(',')}`, '-o', file],
    '',
  );
  if (ran.code !== 0)
    throw new Error(`could not be recorded: exit ${ran.code}, ${ran.stdout}${ran.stderr}`);
  const counts = new Map<string, number>();
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line): Point[] => {
      const [, call] = /^(\w+)\(/.exec(line) ?? [];
      if (call === undefined) return [];
      const nth = (counts.get(call) ?? 0) + 1;
      counts.set(call, nth);
      return call === 'exit_group' ||
        (line.includes(`${repo.top}/.git`) && (which === 'all' || changes(call, line)))
        ? [{ program, call, nth, line }]
        : [];
    });
}

function changes(call: string, line: string): boolean {
  return !call.startsWith('open') || /O_CREAT|O_WRONLY|O_RDWR|O_TRUNC/.test(line);
}

export interface Struck extends Ran {
  /**
   * Did it strike in the repository? A call's number may be another's if the process took another
   * turn before.
   */
  readonly hit: boolean;
}

export async function runWithFault(
  repo: TestRepository,
  agent: string,
  args: readonly string[],
  { program, call, when, effect, andCoord }: Fault,
): Promise<Struck> {
  const file = join(mkdtempSync(join(repo.top, '..', 'fault-')), 'calls');
  // Syncs of coord happen in threads beside the main one.
  const threads = program === 'coord' && call.startsWith('f') ? ['-f'] : [];
  const options = [
    ...threads,
    '-y',
    '-e',
    `trace=${call}`,
    '-e',
    `inject=${call}:${effect}:when=${when}`,
    '-o',
    file,
  ];
  const ran = await traced(
    repo,
    [agent, ...args],
    program,
    options,
    andCoord === true ? 'kill -9 $PPID' : '',
  );
  const lines = readFileSync(file, 'utf8').split('\n');
  return {
    ...ran,
    hit: lines.some(
      (line) =>
        line.includes('+++ killed by SIGKILL') ||
        (line.includes('(INJECTED)') && line.includes(`${repo.top}/.git`)),
    ),
  };
}

async function traced(
  repo: TestRepository,
  [agent = '', ...args]: readonly string[],
  program: Program,
  options: readonly string[],
  after: string,
): Promise<Ran> {
  const command = [process.execPath, coordProgram, '--agent', agent, '--json', ...args];
  if (program === 'coord')
    return runAsync(['strace', '-qq', ...options, ...command], repo.top, repo.env);
  const folder = mkdtempSync(join(repo.top, '..', 'strace-'));
  const once = `case " $* " in *' update-ref '*) mkdir '${folder}/passed' 2>/dev/null || exec '${realGit()}' "$@" ;; *) exec '${realGit()}' "$@" ;; esac`;
  const strace = ['strace', '-qq', ...options, realGit()].map((word) => `'${word}'`).join(' ');
  writeFileSync(
    join(folder, 'git'),
    `#!/bin/sh\n${once}\n${after === '' ? `exec ${strace} "$@"` : `${strace} "$@"\n${after}`}\n`,
    { mode: 0o755 },
  );
  return runAsync(command, repo.top, {
    ...repo.env,
    PATH: `${folder}${delimiter}${repo.env['PATH'] ?? ''}`,
  });
}
