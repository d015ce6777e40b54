/** The one source of chance: ids, nonces, session keys and jitter. */
import { closeSync, openSync, readSync } from 'node:fs';
import { idFrom } from '../core/ids.ts';
import { builtin } from '../git/builtin.ts';
import type { Random } from '../loop/world.ts';

/**
 * From the kernel, as node's own would: that takes longer to load than many a command to run.
 */
function bytes(count: number): Buffer {
  try {
    const descriptor = openSync('/dev/urandom', 'r');
    try {
      const read = Buffer.alloc(count);
      if (readSync(descriptor, read) === count) return read;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // Not everywhere is there such a file.
  }
  return builtin.crypto.randomBytes(count);
}

export const systemRandom: Random = {
  id: () => {
    for (;;) {
      const id = idFrom(bytes(16));
      if (id !== null) return id;
    }
  },
  nonce: () => bytes(16).toString('hex'),
  // Hexadecimal, so that none begins like a flag.
  key: () => bytes(18).toString('hex'),
  fraction: () => bytes(4).readUInt32BE() / 2 ** 32,
};
