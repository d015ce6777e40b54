/** Objects as zlib streams: they come back as they were, and damage is noticed. */
import { randomBytes } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { pack, unpack } from '../../src/git/packing.ts';

test.for([
  0, 1, 255, 7_999, 8_000, 8_001, 70_000,
])('%i bytes come back, by us and by zlib', (length) => {
  const bytes = randomBytes(length);
  const packed = pack(bytes);
  expect(unpack(packed).equals(bytes)).toBe(true);
  expect(inflateSync(packed).equals(bytes)).toBe(true);
});

test.for([10, 8_001])('of %i bytes every one that is changed or missing is noticed', (length) => {
  const packed = pack(Buffer.from('x'.repeat(length)));
  for (let at = 0; at < packed.length; at += 1) {
    const damaged = Buffer.from(packed);
    damaged[at] = (damaged[at] ?? 0) ^ 0x55;
    expect(() => {
      if (unpack(damaged).toString() === 'x'.repeat(length)) throw new Error('as it was');
    }, `byte ${at}`).toThrow();
    if (at > 0) expect(() => unpack(packed.subarray(0, at)), `cut at ${at}`).toThrow();
  }
});
