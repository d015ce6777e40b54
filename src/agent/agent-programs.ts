/**
 * Agent programs that coord has no session of, known by what they document to put into the
 * environment of the commands they run. Each running program is one agent, whatever terminal its
 * commands have.
 */
import { readFileSync } from 'node:fs';

interface Program {
  readonly name: string;
  readonly variable: string;
  /** Where several programs share a variable. */
  readonly value?: string;
}

/** `CURSOR_TRACE_ID` and the like are set in terminals of people too, and say nothing. */
const programs: readonly Program[] = [
  { name: 'claude', variable: 'CLAUDECODE' },
  { name: 'codex', variable: 'CODEX_SANDBOX' },
  { name: 'qwen', variable: 'QWEN_CODE' },
  { name: 'gemini', variable: 'GEMINI_CLI' },
  { name: 'cursor', variable: 'CURSOR_AGENT' },
  { name: 'cline', variable: 'CLINE_ACTIVE' },
  { name: 'opencode', variable: 'OPENCODE' },
  { name: 'copilot', variable: 'COPILOT_CLI' },
  { name: 'auggie', variable: 'AUGMENT_AGENT' },
  { name: 'amp', variable: 'AGENT', value: 'amp' },
  { name: 'goose', variable: 'AGENT', value: 'goose' },
  { name: 'agent', variable: 'AGENT' },
  { name: 'agent', variable: 'AI_AGENT' },
];

export function programIn(env: NodeJS.ProcessEnv): Program | null {
  const isSet = ({ variable, value }: Program): boolean =>
    value === undefined ? !/^(|0|false)$/.test(env[variable] ?? '') : env[variable] === value;
  return programs.find(isSet) ?? null;
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
export function startedBy({ variable }: Program): string | null {
  let pid = String(process.pid);
  for (let i = 0; i < mostParents; i += 1) {
    const found = processOf(pid);
    if (found === null) return null;
    if (!hasVariable(pid, variable)) return `${pid} ${found.startedAt}`;
    pid = found.parent;
  }
  return null;
}
