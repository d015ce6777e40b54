/** The one source of chance: ids, nonces, session keys and jitter. */
import { idFrom } from '../core/ids.ts';
import { builtin } from '../git/builtin.ts';
import type { Random } from '../loop/world.ts';

export const systemRandom: Random = {
  id: () => {
    for (;;) {
      const id = idFrom(builtin.crypto.randomBytes(16));
      if (id !== null) return id;
    }
  },
  nonce: () => builtin.crypto.randomBytes(16).toString('hex'),
  // Hexadecimal, so that none begins like a flag.
  key: () => builtin.crypto.randomBytes(18).toString('hex'),
  fraction: () => builtin.crypto.randomBytes(4).readUInt32BE() / 2 ** 32,
};
