/**
 * Which processes stand behind the lock of a run, so that its own agent need not wait for one that was
 * killed. Only ever a reason to give up what is one's own; whoever cannot be seen from here is alive.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { dropLocal, readLocal, writeLocal } from '../git/local.ts';

/** Where a number means a process, and since when this one has it. */
function markOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? null : `${place()} ${pid} ${fields[18] ?? ''}`;
  } catch {
    return null;
  }
}

function place(): string {
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
}

function fileOf(lease: string): string {
  return `running/${lease}`;
}

export function noteRunning(commonDir: string, lease: string, pids: readonly number[]): void {
  writeLocal(commonDir, fileOf(lease), pids.map((pid) => `${markOf(pid) ?? 'unknown'}\n`).join(''));
}

export function forgetRunning(commonDir: string, lease: string): void {
  dropLocal(commonDir, fileOf(lease));
}

export type Standing = 'alive' | 'over' | 'unknown';

/** `over` where all of them lived here, and none does any more. */
export function standingOf(commonDir: string, lease: string): Standing {
  const marks = (readLocal(commonDir, fileOf(lease)) ?? '').split('\n').filter((line) => line !== '');
  if (marks.length === 0 || marks.includes('unknown')) return 'unknown';
  try {
    if (!marks.every((mark) => mark.startsWith(place()))) return 'unknown';
  } catch {
    return 'unknown';
  }
  return marks.some((mark) => markOf(Number(mark.split(' ').at(-2))) === mark) ? 'alive' : 'over';
}
