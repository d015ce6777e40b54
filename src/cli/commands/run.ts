import { runLocked } from '../../work/run-locked.ts';
import { parseLockName } from '../../core/ids.ts';
import { CoordError } from '../../core/errors.ts';
import { duration, isOn, reasonFlag, text, ttlFlag, type Verb } from '../verb.ts';
import { wishOf } from '../wish.ts';

export const run: Verb = {
  words: ['run'],
  about: 'run a command while holding a lock: first come, first served; its exit code is passed on',
  command: true,
  flags: [
    { name: 'lock', value: 'name', about: 'the lock, such as test' },
    ttlFlag, reasonFlag,
    { name: 'no-wait', about: 'do not stand in line: exit 1 at once if it is held' },
    { name: 'keep', about: 'let the command go on if the lock is lost meanwhile' },
  ],
  examples: [
    ['coord run --lock test -- npm test', 'one test run at a time'],
    ['coord run --lock deploy --no-wait -- make deploy', 'or not at all'],
  ],
  run: (call) => {
    const lock = text(call, 'lock');
    if (lock === undefined) throw new CoordError('usage', 'no lock is named', 'coord run --lock <name> -- <command>');
    const name = parseLockName(lock);
    const wish = wishOf(call);
    return runLocked({
      world: call.world(), commonDir: call.world().repository.commonDir, name, command: call.command, cwd: call.cwd, env: call.env, json: call.json,
      wish: { ...wish, waitMs: isOn(call, 'no-wait') ? 0 : duration(call, 'wait') ?? 86_400_000 },
      keep: isOn(call, 'keep'), tell: (line) => call.tell(line), interruption: () => call.signal(),
    });
  },
};
