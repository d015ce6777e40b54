/** Other processes, as /proc tells of them. Where there is none, nothing is known of any. */
import { readFileSync, readlinkSync } from 'node:fs';

export interface Process {
  readonly pid: string;
  readonly name: string;
  readonly parent: string;
  /** Has ended, and waits for its parent to notice. */
  readonly isOver: boolean;
  /** The process that leads its terminal's session. */
  readonly leader: string;
  readonly hasTerminal: boolean;
  /** In ticks since the machine was started: two of one number differ in it. */
  readonly startedAt: string;
}

export function processOf(pid: string): Process | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // A name may hold anything, brackets too.
  const end = text.lastIndexOf(')');
  const fields = text.slice(end + 2).split(' ');
  return {
    pid: text.slice(0, text.indexOf(' ')),
    name: text.slice(text.indexOf('(') + 1, end),
    parent: fields[1] ?? '0',
    isOver: fields[0] === 'Z',
    leader: fields[3] ?? '0',
    hasTerminal: Number(fields[4]) !== 0,
    startedAt: fields[19] ?? '',
  };
}

/** What it was started with, its own name first. */
export function wordsOf(pid: string): readonly string[] {
  return listIn(`/proc/${pid}/cmdline`, 'utf8');
}

export function hasVariable(pid: string, variable: string): boolean {
  return listIn(`/proc/${pid}/environ`, 'latin1').some((one) => one.startsWith(`${variable}=`));
}

/** The folder it works in; null where that is not ours to know, or it has ended. */
export function folderOf(pid: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`).replace(/ \(deleted\)$/, '');
  } catch {
    return null;
  }
}

function listIn(file: string, encoding: 'utf8' | 'latin1'): readonly string[] {
  try {
    return readFileSync(file, encoding).split('\0').slice(0, -1);
  } catch {
    return [];
  }
}

const mostParents = 32;

/** This process and those above it, the nearest first. */
export function* lineage(): Generator<Process> {
  let found = processOf('self');
  for (let i = 0; i < mostParents && found !== null; i += 1) {
    yield found;
    found = processOf(found.parent);
  }
}
