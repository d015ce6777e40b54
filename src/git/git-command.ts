/**
 * The git command behind a hook, as its process tells: which verb, with which words. A hook is told
 * what changes, not why; `git reset --soft` and `git update-ref` look alike to it.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { builtin } from './builtin.ts';
import { wallAge } from './local.ts';
import { processOf, wordsOf } from './processes.ts';
import { valuedOptions } from './verbs.ts';

export interface GitCommand {
  readonly verb: string;
  readonly words: readonly string[];
  /** The verb of the git that called this one, if one did. */
  readonly calledBy?: string;
}

/** A hook manager may stand between git and the hook. */
const mostParents = 6;

/** The command that called the hook, or null where that cannot be told. */
export function commandBehind(pid: string | undefined): GitCommand | null {
  let next = pid ?? '';
  for (let i = 0; i < mostParents && /^\d+$/.test(next) && Number(next) > 1; i += 1) {
    const found = calledAs(next);
    if (found === null) return null;
    const command = parseCommand(found.args);
    if (command !== null) {
      const caller = parseCommand(wordsOf(found.parent));
      return caller === null ? command : { ...command, calledBy: caller.verb };
    }
    next = found.parent;
  }
  return null;
}

/** As packages name a git that they start by a script of their own, too. */
const wrapped = /^(git(\.\w+)?|\.git-wrapped)$/;

/** `git -C dir commit -m x`, `git-commit -m x`, or null where it is no git. */
function parseCommand([program = '', ...args]: readonly string[]): GitCommand | null {
  const [, dashed] = /^git-([a-z-]+)$/.exec(basename(program)) ?? [];
  if (dashed !== undefined) return { verb: dashed, words: args };
  if (!wrapped.test(basename(program))) return null;
  let i = 0;
  while ((args[i] ?? '').startsWith('-')) i += valuedOptions.includes(args[i] ?? '') ? 2 : 1;
  return args[i] === undefined ? null : { verb: args[i] ?? '', words: args.slice(i + 1) };
}

interface Called {
  readonly parent: string;
  readonly args: readonly string[];
}

function calledAs(pid: string): Called | null {
  const found = processOf(pid);
  if (found !== null) return { parent: found.parent, args: wordsOf(pid) };
  return process.platform === 'linux' ? null : asked(pid);
}

/** Where there is no /proc: words with spaces in them come apart, which no decision rests on. */
function asked(pid: string): Called | null {
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
    const found = processOf(pid ?? '');
    if (found === null) return null;
    const uptimeMs = 1_000 * Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
    return nowMs - (uptimeMs - 10 * Number(found.startedAt));
  } catch {
    return null;
  }
}
