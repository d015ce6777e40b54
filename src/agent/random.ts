/** The one source of chance: ids, nonces, session keys and jitter. */
import { idFrom } from '../core/ids.ts';
import { builtin } from '../git/builtin.ts';

export interface Random {
  id(): string;
  /** 128 bits, so that no two operations can ever be one object. */
  nonce(): string;
  /** The secret of a session. */
  key(): string;
  /** From 0 up to 1. */
  fraction(): number;
}

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
