/** Many processes that are loaded first and let go at once. */
import { expect } from 'vitest';
import { startLine } from './gate.ts';
import type { Ran, TestRepository } from './repository.ts';

export interface Wish {
  readonly agent: string;
  readonly args: readonly string[];
}

/**
 * All of them loaded first, then let go at once. Each has to answer in JSON, with nothing on
 * stderr.
 */
export async function storm(
  repo: TestRepository,
  wishes: readonly Wish[],
): Promise<readonly Ran[]> {
  const line = startLine(repo);
  const started = wishes.map(({ agent, args }) => line.start(agent, args));
  await line.go();
  const answers = await Promise.all(started.map(({ ended }) => ended));
  expect(
    answers
      .filter(({ stdout, stderr }) => !stdout.startsWith('{"schema":') || stderr !== 'ready\n')
      .map((ran) => `${ran.code} ${ran.stdout} ${ran.stderr}`),
  ).toEqual([]);
  return answers;
}
