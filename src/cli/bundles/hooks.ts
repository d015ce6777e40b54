/** What the hooks of git and of harnesses call. */
import { hook } from '../commands/hook.ts';
import { stageRefresh, stageStatus } from '../commands/stage.ts';
import type { Verb } from '../verb.ts';
import { type Program, programOf } from './program.ts';

export const hookVerbs: readonly Verb[] = [hook, stageRefresh, stageStatus];

export const runProgram: Program = programOf(hookVerbs);
