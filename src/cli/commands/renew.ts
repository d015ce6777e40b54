import { dirname } from 'node:path';
import { pathOf } from '../../core/pattern.ts';
import { keyOf } from '../../git/paths.ts';
import { renew as renewLeases } from '../../loop/hold.ts';
import { renderRenewed } from '../../render/leases.ts';
import { duration, texts, ttlFlag, type Verb } from '../verb.ts';

export const renew: Verb = {
  words: ['renew'],
  group: 'reservations',
  about: 'keep what you hold: all of it, or the leases named',
  positional: {
    name: 'id',
    completes: 'lease',
    least: 0,
    most: Number.POSITIVE_INFINITY,
    about: 'ids of leases',
  },
  flags: [
    { ...ttlFlag, usual: "each lease's own" },
    {
      name: 'edited',
      value: 'path',
      many: true,
      about: 'a file you have edited since; steady work doubles the TTL once',
    },
  ],
  examples: [
    ['coord renew', 'everything, for its own TTL from now'],
    ['coord renew ab12cd34 --ttl 1h', 'one lease, for longer'],
  ],
  run: async (call) => {
    const world = call.world();
    const edited = texts(call, 'edited').map((file) =>
      dirname(pathOf(keyOf({ repository: world.repository, cwd: call.cwd }, file, true)) ?? file),
    );
    return renderRenewed(await renewLeases(world, call.positionals, duration(call, 'ttl'), edited));
  },
};
