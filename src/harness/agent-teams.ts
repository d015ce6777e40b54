/**
 * The task list that a team of a harness's agents shares, where there is one: read, to say who is
 * at what, and never written. Whatever cannot be read is not there.
 */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Harness } from '../adapter/harness.ts';
import { harmless, shorten } from '../core/harmless.ts';
import { regularText } from '../git/regular-file.ts';
import { homeIn } from './places.ts';

const mostTasks = 200;
const mostBytes = 65_536;
const shown = 5;

interface Task {
  readonly id: string;
  readonly subject: string;
  readonly owner: string;
}

function readTask(file: string): Task | null {
  try {
    if (!lstatSync(file).isFile()) return null;
    const { id, subject, owner, status } = JSON.parse(
      regularText(file, mostBytes) ?? '',
    ) as Readonly<Record<string, unknown>>;
    return status === 'in_progress' &&
      typeof id === 'string' &&
      typeof subject === 'string' &&
      typeof owner === 'string' &&
      owner !== ''
      ? { id, subject, owner }
      : null;
  } catch {
    return null;
  }
}

/** Tasks that members of the team are at. */
export function teamTasks(
  harness: Harness,
  session: string,
  env: NodeJS.ProcessEnv,
  mode: 'auto' | 'off',
): readonly string[] {
  const folder = harness.teamTasks?.(session, homeIn(env), env) ?? null;
  if (mode === 'off' || folder === null) return [];
  let names: readonly string[];
  try {
    names = readdirSync(folder)
      .filter((name) => /^\d{1,9}\.json$/.test(name))
      .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
  } catch {
    return [];
  }
  const tasks = names.slice(0, mostTasks).flatMap((name) => readTask(join(folder, name)) ?? []);
  return [
    ...tasks
      .slice(0, shown)
      .map(
        ({ id, subject, owner }) =>
          `Team task ${shorten(harmless(id), 20)} is ${shorten(harmless(owner), 60)}'s: ${shorten(harmless(subject), 120)}`,
      ),
    ...(tasks.length > shown ? [`... and ${tasks.length - shown} more team tasks under way`] : []),
  ];
}
