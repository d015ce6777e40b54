/**
 * Agent programs that coord has no session of, known by what they document to put into the
 * environment of the commands they run. Each running program is one agent, whatever terminal its
 * commands have.
 */
import type { Harness, Mark } from '../adapter/harness.ts';
import { harnesses } from '../adapter/harnesses.ts';
import { isSame, markOf, type ProcessMark } from '../git/process-mark.ts';
import { hasVariable, lineage, type Process } from '../git/processes.ts';

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

function isSet({ variable, value }: Mark, env: NodeJS.ProcessEnv): boolean {
  return value === undefined ? !/^(|0|false)$/.test(env[variable] ?? '') : env[variable] === value;
}

export function programIn(env: NodeJS.ProcessEnv): Mark | null {
  return marks.find((mark) => isSet(mark, env)) ?? null;
}

/** The process that has put the variable there: the first above us that does not have it itself. */
function whoSet(variable: string): Process | null {
  for (const found of lineage()) if (!hasVariable(found.pid, variable)) return found;
  return null;
}

export function startedBy({ variable }: Mark): string | null {
  const found = whoSet(variable);
  return found === null ? null : `${found.pid} ${found.startedAt}`;
}

/** The program whose hook this is, by the variable that it sets for its hooks, or by its name. */
export function hookedBy(
  { hookVariable, processName }: Pick<Harness, 'hookVariable' | 'processName'>,
  env: NodeJS.ProcessEnv,
): ProcessMark | null {
  const isSet = hookVariable !== undefined && (env[hookVariable] ?? '') !== '';
  const found = isSet
    ? whoSet(hookVariable)
    : processName === undefined
      ? null
      : named(processName);
  return found === null ? null : markOf(Number(found.pid));
}

function named(name: string): Process | null {
  for (const found of lineage()) if (found.name === name) return found;
  return null;
}

/** The nearest of these that is above us: no other process that has its number by now. */
export function nearestAbove<T extends { readonly process: ProcessMark }>(
  candidates: readonly T[],
): readonly T[] {
  if (candidates.length === 0) return [];
  for (const { pid } of lineage()) {
    const mark = markOf(Number(pid));
    const found = candidates.filter(({ process }) => isSame(process, mark));
    if (found.length > 0) return found;
  }
  return [];
}

/**
 * Which harness runs a hook that is installed for this one: itself, or one that runs its hooks beside
 * its own. Where one was started by a command of the other, both have left their marks, and it is the
 * one that was started later.
 */
export function runnerOf(asked: Harness, env: NodeJS.ProcessEnv): Harness {
  const others = harnesses.filter(({ runsHooksOf = [] }) => runsHooksOf.includes(asked.name));
  const marked = [asked, ...others].flatMap((harness) => {
    const { name, marks, runnerVariable } = harness;
    const more = runnerVariable === undefined ? [] : [{ name, variable: runnerVariable }];
    return [...marks, ...more]
      .filter((mark) => isSet(mark, env))
      .map((mark) => ({ harness, mark }));
  });
  const [first = { harness: asked }, ...more] = marked;
  if (more.length === 0) return first.harness;
  const since = ({ mark }: (typeof marked)[number]): number =>
    Number(startedBy(mark)?.split(' ')[1] ?? 0);
  return marked.reduce((late, one) => (since(one) > since(late) ? one : late)).harness;
}
