/**
 * The git command behind a hook, as its process tells: which verb, with which words. A hook is told
 * what changes, not why; `git reset --soft` and `git update-ref` look alike to it.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { builtin } from './builtin.ts';
import { wallAge } from './local.ts';
import { valuedOptions } from './verbs.ts';

export interface GitCommand {
  readonly verb: string;
  readonly words: readonly string[];
}

interface Process {
  readonly parent: string;
  readonly args: readonly string[];
}

/** A hook manager may stand between git and the hook. */
const mostParents = 6;

/** The command that called the hook, or null where that cannot be told. */
export function commandBehind(pid: string | undefined): GitCommand | null {
  let next = pid ?? '';
  for (let i = 0; i < mostParents && /^\d+$/.test(next) && Number(next) > 1; i += 1) {
    const found = processOf(next);
    if (found === null) return null;
    const command = parseCommand(found.args);
    if (command !== null) return command;
    next = found.parent;
  }
  return null;
}

/** `git -C dir commit -m x`, `git-commit -m x`, or null where it is no git. */
function parseCommand([program = '', ...args]: readonly string[]): GitCommand | null {
  const [, dashed] = /^git-([a-z-]+)$/.exec(basename(program)) ?? [];
  if (dashed !== undefined) return { verb: dashed, words: args };
  if (basename(program) !== 'git' && basename(program) !== 'git.real') return null;
  let i = 0;
  while ((args[i] ?? '').startsWith('-')) i += valuedOptions.includes(args[i] ?? '') ? 2 : 1;
  return args[i] === undefined ? null : { verb: args[i] ?? '', words: args.slice(i + 1) };
}

function processOf(pid: string): Process | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? '0';
    return { parent, args: readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1) };
  } catch {
    return process.platform === 'linux' ? null : asked(pid);
  }
}

/** Where there is no /proc: words with spaces in them come apart, which no decision rests on. */
function asked(pid: string): Process | null {
  const args = ['-o', 'ppid=', '-o', 'args=', '-p', pid];
  const { status, stdout } = builtin.childProcess.spawnSync('ps', args, { encoding: 'utf8' });
  const [parent = '0', ...words] = String(stdout).trim().split(/\s+/);
  return status === 0 ? { parent, args: words } : null;
}

/**
 * When a process began, by the wall clock, if not a little earlier; null where that cannot be told.
 */
export function startedAt(pid: string | undefined): number | null {
  try {
    // Before its age is read: on a busy machine time passes between the two.
    const nowMs = wallAge(0);
    const stat = readFileSync(`/proc/${pid ?? ''}/stat`, 'utf8');
    const ticks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
    const uptimeMs = 1_000 * Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
    return nowMs - (uptimeMs - 10 * ticks);
  } catch {
    return null;
  }
}
