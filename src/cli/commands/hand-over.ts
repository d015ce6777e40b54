import { CoordError } from '../../core/errors.ts';
import { areKin } from '../../core/ids.ts';
import { answer as answerRequest, ask as askFor, breakLease } from '../../loop/hand-over.ts';
import { transfer as transferSelection } from '../../loop/hold.ts';
import { renderAnswered, renderAsked } from '../../render/hand-over.ts';
import { renderBroken, renderTransferred } from '../../render/leases.ts';
import { namedLease } from '../named-lease.ts';
import { duration, isOn, text, type Verb } from '../verb.ts';
import { namedSelection } from './release.ts';

export const transfer: Verb = {
  words: ['transfer'],
  group: 'between',
  about: 'hand leases over to another agent, all of them or none',
  positional: {
    name: 'id or pattern',
    completes: 'lease',
    least: 0,
    most: Number.POSITIVE_INFINITY,
    about: 'what to hand over',
  },
  flags: [
    {
      name: 'to',
      value: 'agent',
      completes: 'agent',
      about: 'the agent that gets them; it has to be on record',
    },
    { name: 'all', about: 'everything you hold' },
    { name: 'literal', about: 'take the arguments as names, whatever characters they have' },
    { name: 'reason', value: 'text', about: 'what for' },
  ],
  examples: [
    ['coord transfer src/auth.ts --to bob', 'bob holds it from now, under a new token'],
    ['coord transfer --all --to bob --reason "end of shift"', 'everything'],
  ],
  run: async (call) => {
    const to = text(call, 'to');
    if (to === undefined)
      throw new CoordError(
        'usage',
        'nobody is named to hand over to',
        'say --to <agent>; coord session list shows them',
      );
    const selection = namedSelection(call);
    const reason = text(call, 'reason') ?? '';
    return renderTransferred(await transferSelection(call.world(), selection, to, reason));
  },
};

export const breakVerb: Verb = {
  words: ['break'],
  group: 'between',
  about: "take another agent's lease away: the last resort",
  more: 'It is on record with your reason, and granted once the holder is gone or does not answer.',
  positional: {
    name: 'id',
    completes: 'lease',
    least: 1,
    most: 1,
    about: 'the exact id of the lease',
  },
  flags: [{ name: 'reason', value: 'text', about: 'why; needed' }],
  examples: [['coord break ab12cd34 --reason "its machine is gone"', 'coord status shows the ids']],
  run: async (call) => {
    const [id = ''] = call.positionals;
    return renderBroken(await breakLease(call.world(), id, text(call, 'reason') ?? ''));
  },
};

export const ask: Verb = {
  words: ['ask'],
  group: 'between',
  about: 'ask the holder of a lease to give it up',
  more: 'The holder sees it at its next command.',
  positional: {
    name: 'id or path',
    completes: 'lease',
    least: 1,
    most: 1,
    about: 'the lease, as status and refusals show it, or a path that it covers',
  },
  flags: [
    { name: 'reason', value: 'text', about: 'what for; needed' },
    { name: 'urgent', about: 'it may be broken after half the time' },
  ],
  examples: [
    [
      'coord ask ab12cd34 --reason "the release waits for it"',
      'its holder answers, or it may be broken after 10 minutes',
    ],
  ],
  run: async (call) => {
    const [arg = ''] = call.positionals;
    const { name } = call.world().caller();
    const lease = await namedLease(call, arg, ({ agent }) => !areKin(agent.name, name));
    const reason = text(call, 'reason') ?? '';
    return renderAsked(await askFor(call.world(), lease, reason, isOn(call, 'urgent')));
  },
};

const verdicts = ['accept', 'decline', 'defer'] as const;

export const answer: Verb = {
  words: ['answer'],
  group: 'between',
  about: 'answer a request for a lease of yours',
  more: 'accept gives it to whoever asked, in the same step.',
  positional: {
    name: 'id and verdict',
    completes: 'request',
    least: 2,
    most: 2,
    about: 'the request, the lease or a path, then accept, decline or defer',
  },
  flags: [
    { name: 'eta', value: 'time', about: 'with defer: when it will be free, at most 1h' },
    { name: 'reason', value: 'text', about: 'what who asked should know' },
    {
      name: 'release',
      about: 'with accept: free it for whoever is next, instead of giving it to who asked',
    },
  ],
  examples: [
    ['coord answer ab12cd34 accept', 'it is theirs from now, under a new token'],
    ['coord answer ab12cd34 defer --eta 10m', 'nobody breaks it until then'],
  ],
  run: async (call) => {
    const [arg = '', said = ''] = call.positionals;
    const verdict = verdicts.find((word) => word === said);
    if (verdict === undefined)
      throw new CoordError(
        'usage',
        `unknown answer '${said}'`,
        `choose from ${verdicts.join(', ')}`,
      );
    const asked = new Set(
      [...(await call.world().store.observe()).state.requests.values()].map(({ lease }) => lease),
    );
    const { name } = call.world().caller();
    const named = await namedLease(
      call,
      arg,
      ({ id, agent }) => asked.has(id) && agent.name === name,
    );
    const answered = await answerRequest(call.world(), named, verdict, {
      etaMs: duration(call, 'eta'),
      reason: text(call, 'reason'),
      frees: isOn(call, 'release'),
    });
    return renderAnswered(answered);
  },
};
