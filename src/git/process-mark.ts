/**
 * Which process this is, told so that another one can say later whether it still lives: its number
 * alone comes round again, and means somebody else after a restart or in a container.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { processOf } from './processes.ts';

export interface ProcessMark {
  /** Where a number means a process: this start of this machine, and who sees whom. */
  readonly place: string;
  readonly pid: number;
  /** Since when it has the number. */
  readonly start: string;
}

/** The time of a start is told otherwise in each. */
function timeSpace(): string {
  try {
    return readlinkSync('/proc/self/ns/time');
  } catch {
    return '';
  }
}

/** Null where there is no such process any more, or where processes cannot be told apart. */
export function markOf(pid: number): ProcessMark | null {
  const found = processOf(String(pid));
  if (found === null || found.isOver) return null;
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return {
      place: `${boot} ${readlinkSync('/proc/self/ns/pid')}${timeSpace()}`,
      pid,
      start: found.startedAt,
    };
  } catch {
    return null;
  }
}

export function isMark(value: unknown): value is ProcessMark {
  const { place, pid, start } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return typeof place === 'string' && typeof pid === 'number' && typeof start === 'string';
}

export function isSame(one: ProcessMark, other: ProcessMark | null): boolean {
  return one.pid === other?.pid && one.start === other.start && one.place === other.place;
}

/** Is it certain that this process is no more? */
export function isGone(mark: ProcessMark): boolean {
  if (markOf(process.pid)?.place !== mark.place) return false;
  const now = markOf(mark.pid);
  return now === null ? !isRunning(mark.pid) : !isSame(mark, now);
}

/** Is there a process of this number? It may be another one by now. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
