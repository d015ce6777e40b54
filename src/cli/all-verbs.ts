/** Every verb, in the order of the help: those that are called all day, and the rest. */
import { hookVerbs } from './bundles/hooks.ts';
import { hotVerbs } from './bundles/hot.ts';
import { workVerbs } from './bundles/work.ts';
import { commit } from './commands/commit.ts';
import { completionVerb, shellVerb } from './commands/completion.ts';
import { config } from './commands/config.ts';
import { conflicts } from './commands/conflicts.ts';
import { demo } from './commands/demo.ts';
import { diff } from './commands/diff.ts';
import { doctor } from './commands/doctor.ts';
import { init } from './commands/init.ts';
import { install } from './commands/install.ts';
import { log } from './commands/log.ts';
import { mcp } from './commands/mcp.ts';
import { pause } from './commands/pause.ts';
import { push } from './commands/push.ts';
import { remoteOff, remoteProbe, remoteSet } from './commands/remote.ts';
import { replay } from './commands/replay.ts';
import {
  rescueDiff,
  rescueList,
  rescueRestore,
  rescueSave,
  rescueShow,
} from './commands/rescue.ts';
import { run } from './commands/run.ts';
import { simulate } from './commands/simulate.ts';
import { undo } from './commands/undo.ts';
import { uninstall } from './commands/uninstall.ts';
import {
  workAbandon,
  workAdopt,
  workFinish,
  workList,
  workRestore,
  workStart,
} from './commands/work-tree.ts';
import type { Verb } from './verb.ts';

export const allVerbs: readonly Verb[] = [
  ...hotVerbs,
  ...workVerbs,
  ...hookVerbs,
  workStart,
  workList,
  workFinish,
  workAbandon,
  workAdopt,
  workRestore,
  conflicts,
  run,
  commit,
  diff,
  undo,
  rescueList,
  rescueShow,
  rescueDiff,
  rescueRestore,
  rescueSave,
  log,
  pause,
  push,
  remoteSet,
  remoteOff,
  remoteProbe,
  init,
  install,
  uninstall,
  config,
  doctor,
  mcp,
  demo,
  simulate,
  replay,
  completionVerb(() => allVerbs),
  shellVerb(() => allVerbs),
];
