/**
 * The program is built into a few files, so that nobody loads what it does not need: each has some
 * verbs, reads and runs them, and hands everything else, help and mistakes included, to the last.
 */
import { readArguments } from '../arguments.ts';
import { runVerb } from '../run-verb.ts';
import type { Verb } from '../verb.ts';

export type Program = (
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  /** What runs all that this one does not know. */
  rest: () => Program,
) => void;

export function programOf(verbs: readonly Verb[]): Program {
  return (argv, env, rest) => {
    const parsed = readArguments(argv, verbs, env);
    if (parsed !== null) void runVerb(parsed, env);
    else rest()(argv, env, rest);
  };
}
