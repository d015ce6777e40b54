/** The fingerprint that the shim makes by `cksum`. */
import { expect, test } from 'vitest';
import { cksum } from '../../src/core/cksum.ts';

// As GNU's cksum says.
test.for<readonly [string, string]>([
  ['', '4294967295 0'],
  ['a', '1220704766 1'],
  ['hello\n', '3015617425 6'],
  ['one\ntwo\nthree\n', '3358846701 14'],
])('%j', ([text, said]) => {
  expect(cksum(Buffer.from(text))).toBe(said);
});

test('bytes that are no text, and more of them than fit into one byte of the length', () => {
  const all = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
  expect(cksum(all)).toBe('1313719201 256');
  expect(cksum(Buffer.alloc(65_537, 'x'))).toMatch(/^\d+ 65537$/);
});
