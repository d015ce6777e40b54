/** How long N agents would take who never wait and whose tools cost nothing; and what is wanted. */
import type { EffectOptions } from './options.ts';
import type { Task } from './tasks.ts';

/** An agent thinks before it takes a task, before each edit and before the commit. */
export function stepsOf({ changes }: Task): number {
  return changes.length + 2;
}

/** Each task goes to whoever is free first, in the order of the list. */
export function idealMs(tasks: readonly Task[], agents: number, stepMs: number): number {
  const free = Array.from({ length: agents }, () => 0);
  for (const task of tasks) {
    const next = free.indexOf(Math.min(...free));
    free[next] = (free[next] ?? 0) + stepsOf(task) * stepMs;
  }
  return Math.max(...free);
}

interface Times {
  readonly idealMs: number;
  readonly tookMs: number;
}

export const speedOf = ({ idealMs, tookMs }: Times): number => idealMs / tookMs;

/** What is wanted of lines: the share of the ideal speed, and the share of tries refused. */
export function targetsOf({ agents, hold }: Pick<EffectOptions, 'agents' | 'hold'>): {
  readonly speed: number;
  readonly refused: number;
} {
  if (agents > 10) return { speed: 0.8, refused: 0.05 };
  if (agents > 5 || hold) return { speed: 0.85, refused: hold ? 0.03 : 0.05 };
  return { speed: 0.9, refused: 0.03 };
}
