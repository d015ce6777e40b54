/**
 * Chance from a seed, in the shapes that a model of load needs. The same seed gives the same run
 * everywhere.
 */

/** mulberry32: small, fast, and the same everywhere. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export class Chance {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seeded(seed);
  }

  fraction(): number {
    return this.#next();
  }

  happens(probability: number): boolean {
    return this.#next() < probability;
  }

  /** Memoryless, with this mean. */
  exponential(mean: number): number {
    return -mean * Math.log(1 - this.#next());
  }

  /** Around this value, by up to this share of it on both sides. */
  around(value: number, share: number): number {
    return value * (1 + share * (2 * this.#next() - 1));
  }
}

/**
 * Numbers from 0 up to `count`; the one at place n is wanted 1/(n+1)^exponent as often as the
 * first.
 */
export function zipf(count: number, exponent: number, chance: Chance): () => number {
  const sums: number[] = [];
  for (let i = 0, sum = 0; i < count; i += 1) sums.push((sum += (i + 1) ** -exponent));
  const all = sums.at(-1) ?? 1;
  return () => {
    const wanted = chance.fraction() * all;
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? all) > wanted) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}
