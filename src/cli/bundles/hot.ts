/** What agents call all day. */
import { check } from '../commands/check.ts';
import { inbox } from '../commands/inbox.ts';
import { release, unlock } from '../commands/release.ts';
import { renew } from '../commands/renew.ts';
import { reserve } from '../commands/reserve.ts';
import {
  sessionAdopt,
  sessionEnd,
  sessionList,
  sessionStart,
  whoami,
} from '../commands/session.ts';
import { status, who } from '../commands/status.ts';
import { statusline } from '../commands/statusline.ts';
import { lock } from '../commands/take.ts';
import type { Verb } from '../verb.ts';
import { type Program, programOf } from './program.ts';

export const hotVerbs: readonly Verb[] = [
  sessionStart,
  sessionEnd,
  sessionAdopt,
  sessionList,
  whoami,
  reserve,
  check,
  renew,
  release,
  status,
  who,
  lock,
  unlock,
  statusline,
  inbox,
];

export const runProgram: Program = programOf(hotVerbs);
