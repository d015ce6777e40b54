import { claim as claimBead, lock as takeLock } from '../../coord.ts';
import { parseBead, parseLockName } from '../../core/ids.ts';
import { wishOf } from '../wish.ts';
import { isOn, reasonFlag, ttlFlag, type Verb } from '../verb.ts';

export const claim: Verb = {
  words: ['claim'],
  about: 'take a bead, one unit of work; exactly one agent gets it',
  positional: { name: 'bead', least: 1, most: 1, about: 'the id of the unit of work' },
  flags: [ttlFlag, reasonFlag],
  examples: [
    ['coord claim bd-42', 'for 45 minutes from your last activity'],
    ['coord claim bd-42 --json', 'who has it, if not you'],
  ],
  run: (call) => {
    const bead = parseBead(call.positionals[0] ?? '');
    return claimBead(call.world(), bead, wishOf(call));
  },
};

export const lock: Verb = {
  words: ['lock'],
  about: 'take a lock by name, such as deploy; see also: coord run',
  positional: { name: 'name', least: 1, most: 1, about: 'any name the team agrees on' },
  flags: [ttlFlag, reasonFlag, { name: 'shared', about: 'others may share it, nobody may have it alone' }],
  examples: [
    ['coord lock deploy --wait 10m', 'stand in line for it'],
    ['coord unlock deploy', 'and give it up'],
  ],
  run: (call) => {
    const name = parseLockName(call.positionals[0] ?? '');
    return takeLock(call.world(), name, { ...wishOf(call), mode: isOn(call, 'shared') ? 'shared' : 'exclusive' });
  },
};
