/** What `cksum` says of some bytes: the one fingerprint that any shell can make. */

const table: Uint32Array = new Uint32Array(256).map((_, byte) => {
  let sum = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) sum = sum < 0 ? (sum << 1) ^ 0x04c11db7 : sum << 1;
  return sum;
});

/** `4294967295 0`: the sum and how many bytes there are. */
export function cksum(bytes: Uint8Array): string {
  let sum = 0;
  const take = (byte: number): void => {
    sum = (sum << 8) ^ (table[((sum >>> 24) ^ byte) & 0xff] ?? 0);
  };
  for (const byte of bytes) take(byte);
  for (let left = bytes.length; left > 0; left = Math.floor(left / 256)) take(left & 0xff);
  return `${~sum >>> 0} ${bytes.length}`;
}
