import { parseLockName } from '../../core/ids.ts';
import { renderGate } from '../../render/gate.ts';
import { renderRun } from '../../render/run.ts';
import { gate as judgeCommit } from '../../work/gate.ts';
import { type Verification, verify as verifyCommand } from '../../work/verify.ts';
import {
  type Call,
  duration,
  isOn,
  reasonFlag,
  runTtlFlag,
  text,
  texts,
  type Verb,
} from '../verb.ts';
import { wishOf } from '../wish.ts';

function verification(call: Call, command: readonly string[]): Verification {
  const world = call.world();
  return {
    world,
    commonDir: world.repository.commonDir,
    name: parseLockName(text(call, 'lock') ?? 'test'),
    command,
    cwd: call.cwd,
    env: call.env,
    json: call.json,
    wish: {
      ...wishOf(call),
      waitMs: isOn(call, 'no-wait') ? 0 : (duration(call, 'wait') ?? 86_400_000),
    },
    keep: false,
    tell: (line) => call.tell(line),
    interruption: () => call.signal(),
    force: isOn(call, 'force'),
    at: text(call, 'at'),
    own: isOn(call, 'own'),
    links: texts(call, 'link'),
  };
}

export const verify: Verb = {
  words: ['verify'],
  group: 'evidence',
  waits: true,
  exits:
    "the command's own is passed on; 75 if it succeeded and files changed or the lock was lost meanwhile; 126 or 127 if it cannot be started",
  about: 'run a command, and keep the outcome as evidence',
  more: 'It runs under the lock test. The evidence is in the notes of exactly this content.',
  command: true,
  flags: [
    { name: 'own', about: 'on HEAD and your own uncommitted changes, in a folder of its own' },
    {
      name: 'at',
      value: 'rev',
      about: 'on this commit, in a folder of its own, whatever the work tree holds',
      usual: 'the work tree',
    },
    {
      name: 'link',
      value: 'folder',
      many: true,
      about: 'with --own or --at: an ignored folder that the command needs',
      usual: { setting: 'coord.verifyLink' },
    },
    { name: 'force', about: 'although it has passed on this very content' },
    {
      name: 'lock',
      value: 'name',
      completes: 'lock',
      about: 'another lock than test',
      usual: 'test',
    },
    { name: 'no-wait', about: 'do not stand in line: exit 1 at once if the lock is held' },
    runTtlFlag,
    reasonFlag,
  ],
  examples: [
    ['coord verify -- npm test', 'its exit code is passed on'],
    [
      'coord verify --own -- npm test',
      'what you would commit, whatever others are in the middle of here',
    ],
    ['coord verify --at HEAD -- npm test', 'what was committed'],
    ['git log --notes=coord', 'shows what was verified'],
  ],
  run: async (call) => renderRun(await verifyCommand(verification(call, call.command))),
};

export const gate: Verb = {
  words: ['gate'],
  group: 'evidence',
  about: 'check whether a commit is finished work',
  more: 'It needs its bead, its claim, and a passing run of each required command on this very content.',
  positional: {
    name: 'commit',
    completes: 'branch',
    least: 0,
    most: 1,
    about: 'HEAD unless it is said',
  },
  flags: [
    { name: 'strict', about: 'also: a clean work tree, and every required command once more' },
  ],
  examples: [
    ['coord gate', 'all that is missing, and exit 1'],
    ['coord gate main --strict', 'for CI, or before a push'],
  ],
  run: async (call) => {
    const world = call.world();
    const rerun = isOn(call, 'strict')
      ? async (command: readonly string[]) =>
          renderRun(await verifyCommand({ ...verification(call, command), force: true })).exit
      : null;
    return renderGate(await judgeCommit(world, { commit: call.positionals[0] ?? 'HEAD', rerun }));
  },
};
