import { breakLease, transfer as transferSelection } from '../../coord.ts';
import { CoordError } from '../../core/errors.ts';
import { text, type Verb } from '../verb.ts';
import { namedSelection } from './release.ts';

export const transfer: Verb = {
  words: ['transfer'],
  about: 'hand leases over to another agent, all of them or none',
  positional: { name: 'id or pattern', least: 0, most: Number.POSITIVE_INFINITY, about: 'what to hand over' },
  flags: [
    { name: 'to', value: 'agent', about: 'the agent that gets them; it has to be on record' },
    { name: 'all', about: 'everything you hold' },
    { name: 'literal', about: 'take the arguments as names, whatever characters they have' },
    { name: 'reason', value: 'text', about: 'what for' },
  ],
  examples: [
    ['coord transfer src/auth.ts --to bob', 'bob holds it from now, under a new token'],
    ['coord transfer --all --to bob --reason "end of shift"', 'everything'],
  ],
  run: (call) => {
    const to = text(call, 'to');
    if (to === undefined) throw new CoordError('usage', 'nobody is named to hand over to', 'say --to <agent>; coord session list shows them');
    const selection = namedSelection(call);
    return transferSelection(call.world(), selection, to, text(call, 'reason') ?? '');
  },
};

export const breakVerb: Verb = {
  words: ['break'],
  about: "take another agent's lease away: the last resort, on record with your reason",
  positional: { name: 'id', least: 1, most: 1, about: 'the exact id of the lease' },
  flags: [{ name: 'reason', value: 'text', about: 'why; needed' }],
  examples: [['coord break ab12cd34 --reason "its machine is gone"', 'coord status shows the ids']],
  run: (call) => breakLease(call.world(), call.positionals[0] ?? '', text(call, 'reason') ?? ''),
};
