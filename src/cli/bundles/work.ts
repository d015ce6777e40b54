/** What is called once for each piece of work, and to settle who has what. */
import { gate, verify } from '../commands/evidence.ts';
import { explain } from '../commands/explain.ts';
import { answer, ask, breakVerb, transfer } from '../commands/hand-over.ts';
import { stats } from '../commands/stats.ts';
import { sweep } from '../commands/sweep.ts';
import { sync } from '../commands/sync.ts';
import { claim, done, next, unclaim } from '../commands/work.ts';
import type { Verb } from '../verb.ts';
import { type Program, programOf } from './program.ts';

export const workVerbs: readonly Verb[] = [
  claim,
  unclaim,
  done,
  next,
  verify,
  gate,
  ask,
  answer,
  transfer,
  breakVerb,
  sweep,
  sync,
  explain,
  stats,
];

export const runProgram: Program = programOf(workVerbs);
