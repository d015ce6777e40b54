/**
 * The hot half of the program, built into one file: the verbs that agents call all day, read and
 * run without loading anything they do not need. Everything else, help and mistakes included, goes
 * to `main.ts` in the plain output beside it.
 */
import { readArguments } from './arguments.ts';
import { hotVerbs } from './hot-verbs.ts';
import { runVerb } from './run-verb.ts';

export function runProgram(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  rest: () => Promise<typeof import('./main.ts')>,
): void {
  const parsed = readArguments(argv, hotVerbs, env);
  if (parsed !== null) void runVerb(parsed, env);
  else void rest().then(({ main }) => main(argv, env));
}
