/** All verbs, help, and an answer to every mistake. */
import { main } from '../main.ts';
import type { Program } from './program.ts';

export const runProgram: Program = (argv, env) => void main(argv, env);
