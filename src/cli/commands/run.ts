import type { RealWorld } from '../../agent/world.ts';
import { CoordError } from '../../core/errors.ts';
import { hashKey } from '../../core/hash.ts';
import { parseFreeLockName } from '../../core/ids.ts';
import { type Preset, presetFor } from '../../core/presets.ts';
import { renderRun } from '../../render/run.ts';
import { runLocked } from '../../work/run-locked.ts';
import { duration, isOn, reasonFlag, runTtlFlag, text, type Verb } from '../verb.ts';
import { wishOf } from '../wish.ts';

/** A checkout's own lock has its place in its name, shortened. */
function lockOf({ lock, scope }: Preset, { repository }: RealWorld): string {
  return scope === 'repository' ? lock : `${lock}.${hashKey(repository.top).slice(0, 8)}`;
}

export const run: Verb = {
  words: ['run'],
  group: 'locks',
  waits: true,
  exits:
    "the command's own is passed on; 75 if it succeeded and the lock was lost meanwhile; 126 or 127 if it cannot be started",
  about: 'run a command while holding a lock',
  more: 'First come, first served. The exit code of the command is passed on.',
  command: true,
  flags: [
    {
      name: 'lock',
      value: 'name',
      completes: 'lock',
      about: 'the lock, such as test; else the one that coord.presets names for the command',
      usual: 'as coord.presets has it',
    },
    runTtlFlag,
    reasonFlag,
    { name: 'no-wait', about: 'do not stand in line: exit 1 at once if it is held' },
    { name: 'keep', about: 'let the command go on if the lock is lost meanwhile' },
  ],
  examples: [
    ['coord run --lock test -- npm test', 'one test run at a time'],
    ['coord run --lock deploy --no-wait -- make deploy', 'or not at all'],
    [
      'git config coord.presets "test=npm test; install!=npm ci"',
      'then coord run -- npm test will do',
    ],
  ],
  run: async (call) => {
    const said = text(call, 'lock');
    const world = call.world();
    const preset = said === undefined ? presetFor(call.command, world.settings.presets) : null;
    if (said === undefined && preset === null)
      throw new CoordError('usage', 'no lock is named', 'coord run --lock <name> -- <command>');
    const name = parseFreeLockName(said ?? (preset === null ? '' : lockOf(preset, world)));
    const hurries = isOn(call, 'no-wait') || preset?.waits === false;
    const outcome = await runLocked({
      world,
      commonDir: world.repository.commonDir,
      name,
      command: call.command,
      cwd: call.cwd,
      env: call.env,
      json: call.json,
      wish: { ...wishOf(call), waitMs: hurries ? 0 : (duration(call, 'wait') ?? 86_400_000) },
      keep: isOn(call, 'keep'),
      tell: (line) => call.tell(line),
      interruption: () => call.signal(),
    });
    return renderRun(outcome);
  },
};
