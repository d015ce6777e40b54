import { parseFreeLockName } from '../../core/ids.ts';
import { lock as takeLock } from '../../loop/take.ts';
import { renderTaken } from '../../render/leases.ts';
import { isOn, reasonFlag, ttlFlag, type Verb } from '../verb.ts';
import { wishOf } from '../wish.ts';

export const lock: Verb = {
  words: ['lock'],
  group: 'locks',
  waits: true,
  about: 'take a lock by name, such as deploy; see also: coord run',
  positional: {
    name: 'name',
    completes: 'lock',
    least: 1,
    most: 1,
    about: 'any name the team agrees on',
  },
  flags: [
    ttlFlag,
    reasonFlag,
    { name: 'shared', about: 'others may share it, nobody may have it alone' },
  ],
  examples: [
    ['coord lock deploy --wait 10m', 'stand in line for it'],
    ['coord unlock deploy', 'and give it up'],
  ],
  run: async (call) => {
    const name = parseFreeLockName(call.positionals[0] ?? '');
    const taken = await takeLock(call.world(), name, {
      ...wishOf(call),
      mode: isOn(call, 'shared') ? 'shared' : 'exclusive',
    });
    return renderTaken(taken);
  },
};
