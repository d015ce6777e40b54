/**
 * Loose objects as git keeps them: as a zlib stream. Small ones are put into it as they are, which
 * any zlib reads: their file takes up a block or two of the disk either way, and loading zlib takes
 * longer than all that most commands do.
 */
import { limits } from '../core/limits.ts';
import { builtin } from './builtin.ts';

const mostStored = 8_000;
const headLength = 7;

/** Two bytes of zlib, one of the last block, its length and the complement of that. */
function headOf(length: number): Buffer {
  const head = Buffer.from([0x78, 0x01, 0x01, 0, 0, 0, 0]);
  head.writeUInt16LE(length, 3);
  head.writeUInt16LE(length ^ 0xffff, 5);
  return head;
}

function adler32(bytes: Buffer): number {
  let [a, b] = [1, 0];
  // So few bytes cannot carry the sums past what a number holds.
  for (let i = 0; i < bytes.length; i += 1) {
    a += bytes[i] ?? 0;
    b += a;
  }
  return (b % 65_521) * 65_536 + (a % 65_521);
}

export function pack(bytes: Buffer): Buffer {
  if (bytes.length > mostStored) return builtin.zlib.deflateSync(bytes, { level: 1 });
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(adler32(bytes));
  return Buffer.concat([headOf(bytes.length), bytes, sum]);
}

/** Throws where it is damaged, or would come to more than any object of the log. */
export function unpack(packed: Buffer): Buffer {
  const length = packed.length - headLength - 4;
  const isSmall = length >= 0 && length <= mostStored;
  const isStored = isSmall && packed.subarray(0, headLength).equals(headOf(length));
  if (!isStored) return builtin.zlib.inflateSync(packed, { maxOutputLength: limits.objectBytes });
  const bytes = packed.subarray(headLength, headLength + length);
  if (packed.readUInt32BE(headLength + length) !== adler32(bytes))
    throw new Error('its check sum is wrong');
  return bytes;
}
