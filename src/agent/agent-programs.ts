/**
 * Agent programs that coord has no session of, known by what they document to put into the
 * environment of the commands they run. Each running program is one agent, whatever terminal its
 * commands have.
 */
import { readFileSync } from 'node:fs';
import type { Mark } from '../adapter/harness.ts';
import { harnesses } from '../adapter/harnesses.ts';

/**
 * Harnesses first, then programs whose hooks coord does not know. `CURSOR_TRACE_ID` and the like are
 * set in terminals of people too, and say nothing.
 */
export const marks: readonly Mark[] = [
  ...harnesses.flatMap((harness) => harness.marks),
  { name: 'cline', variable: 'CLINE_ACTIVE' },
  { name: 'auggie', variable: 'AUGMENT_AGENT' },
  { name: 'amp', variable: 'AGENT', value: 'amp' },
  { name: 'goose', variable: 'AGENT', value: 'goose' },
  { name: 'agent', variable: 'AGENT' },
  { name: 'agent', variable: 'AI_AGENT' },
];

export function programIn(env: NodeJS.ProcessEnv): Mark | null {
  const isSet = ({ variable, value }: Mark): boolean =>
    value === undefined ? !/^(|0|false)$/.test(env[variable] ?? '') : env[variable] === value;
  return marks.find(isSet) ?? null;
}

interface Process {
  readonly parent: string;
  readonly startedAt: string;
}

function processOf(pid: string): Process | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { parent: fields[1] ?? '0', startedAt: fields[19] ?? '' };
  } catch {
    return null;
  }
}

function hasVariable(pid: string, variable: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1')
      .split('\0')
      .some((one) => one.startsWith(`${variable}=`));
  } catch {
    return false;
  }
}

const mostParents = 32;

/** The process that has put the variable there: the first above us that does not have it itself. */
export function startedBy({ variable }: Mark): string | null {
  let pid = String(process.pid);
  for (let i = 0; i < mostParents; i += 1) {
    const found = processOf(pid);
    if (found === null) return null;
    if (!hasVariable(pid, variable)) return `${pid} ${found.startedAt}`;
    pid = found.parent;
  }
  return null;
}
