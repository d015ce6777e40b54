import { land } from '../../landing/push.ts';
import { renderPushed } from '../../render/landing.ts';
import { text, type Verb } from '../verb.ts';
import { wishOf } from '../wish.ts';

export const push: Verb = {
  words: ['push'],
  group: 'machines',
  waits: true,
  about: 'push a branch, and put it on record in the log',
  more: 'Both in one step: whoever lost a lease moves neither.',
  positional: {
    name: 'branch',
    completes: 'branch',
    least: 0,
    most: 1,
    about: 'a branch; without it the one you are on',
  },
  flags: [
    {
      name: 'as',
      value: 'branch',
      completes: 'branch',
      about: 'its name over there, if another',
      usual: 'the same name',
    },
  ],
  examples: [
    ['coord push', 'instead of git push, where the log is on the same remote'],
    ['coord push fix-login --as main', 'to another branch there'],
    ['coord push --wait 5m', 'once nobody holds any of it'],
  ],
  run: async (call) => {
    const {
      waitMs = 0,
      retry = [],
      onWaiting = () => {},
      onLook = () => {},
      signal,
    } = wishOf(call);
    const outcome = await land(call.world(), {
      branch: call.positionals[0] ?? null,
      as: text(call, 'as') ?? null,
      waitMs,
      retry,
      onWaiting,
      onLook,
      signal,
    });
    return renderPushed(outcome);
  },
};
