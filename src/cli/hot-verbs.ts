/** The verbs that are called all day. */
import { check } from './commands/check.ts';
import { gate, verify } from './commands/evidence.ts';
import { answer, ask, breakVerb, transfer } from './commands/hand-over.ts';
import { hook } from './commands/hook.ts';
import { inbox } from './commands/inbox.ts';
import { release, unlock } from './commands/release.ts';
import { renew } from './commands/renew.ts';
import { reserve } from './commands/reserve.ts';
import { sessionAdopt, sessionEnd, sessionList, sessionStart, whoami } from './commands/session.ts';
import { stageRefresh, stageStatus } from './commands/stage.ts';
import { status, who } from './commands/status.ts';
import { statusline } from './commands/statusline.ts';
import { sweep } from './commands/sweep.ts';
import { sync } from './commands/sync.ts';
import { lock } from './commands/take.ts';
import { claim, done, next, unclaim } from './commands/work.ts';
import type { Verb } from './verb.ts';

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
  claim,
  unclaim,
  done,
  next,
  verify,
  gate,
  ask,
  answer,
  lock,
  unlock,
  transfer,
  breakVerb,
  sweep,
  hook,
  stageRefresh,
  stageStatus,
  statusline,
  inbox,
  sync,
];
