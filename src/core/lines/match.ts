/**
 * Which lines of two texts are the same ones: a shortest path from the one to the other (Myers,
 * 1986), found from both ends at once, so that it takes little memory. Past a bound of differences
 * it goes on from the best place so far: the answer stays right, only no longer the shortest.
 */

/** Those lines of a text that are compared, and where their marks stand. */
export interface Kept {
  readonly ids: Int32Array;
  readonly places: readonly number[];
  readonly changed: Uint8Array;
}

/** `a[a0..a1)` against `b[b0..b1)`. */
interface Box {
  readonly a0: number;
  readonly a1: number;
  readonly b0: number;
  readonly b1: number;
}

type Point = readonly [a: number, b: number];

const endless = 2 ** 31 - 1;

/** Marks all that is not matched. */
export function matchKept(a: Kept, b: Kept): void {
  const middles = new Middles(a.ids, b.ids);
  const open: Box[] = [{ a0: 0, a1: a.ids.length, b0: 0, b1: b.ids.length }];
  for (let box = open.pop(); box !== undefined; box = open.pop()) {
    const { a0, a1, b0, b1 } = withoutEnds(a.ids, b.ids, box);
    if (a0 === a1) markAll(b, b0, b1);
    else if (b0 === b1) markAll(a, a0, a1);
    else {
      const [i, j] = middles.of({ a0, a1, b0, b1 });
      open.push({ a0: i, a1, b0: j, b1 }, { a0, a1: i, b0, b1: j });
    }
  }
}

function markAll({ places, changed }: Kept, from: number, to: number): void {
  for (let i = from; i < to; i++) changed[places[i] ?? 0] = 1;
}

function withoutEnds(a: Int32Array, b: Int32Array, box: Box): Box {
  let { a0, a1, b0, b1 } = box;
  while (a0 < a1 && b0 < b1 && a[a0] === b[b0]) {
    a0++;
    b0++;
  }
  while (a0 < a1 && b0 < b1 && a[a1 - 1] === b[b1 - 1]) {
    a1--;
    b1--;
  }
  return { a0, a1, b0, b1 };
}

/** How far one comes on each diagonal with a number of differences. */
class Front {
  readonly #reach: Int32Array;
  readonly #zero: number;
  low: number;
  high: number;

  constructor(reach: Int32Array, zero: number, diagonal: number, at: number) {
    this.#reach = reach;
    this.#zero = zero;
    this.low = diagonal;
    this.high = diagonal;
    this.set(diagonal, at);
  }

  at(diagonal: number): number {
    return this.#reach[this.#zero + diagonal] ?? 0;
  }

  set(diagonal: number, at: number): void {
    this.#reach[this.#zero + diagonal] = at;
  }

  has(diagonal: number): boolean {
    return this.low <= diagonal && diagonal <= this.high;
  }

  /** One difference more; where there is no way yet, `none`. */
  widen(least: number, most: number, none: number): void {
    if (this.low > least) this.set(--this.low - 1, none);
    else this.low++;
    if (this.high < most) this.set(++this.high + 1, none);
    else this.high--;
  }
}

class Middles {
  readonly #a: Int32Array;
  readonly #b: Int32Array;
  readonly #ahead: Int32Array;
  readonly #back: Int32Array;
  readonly #zero: number;
  readonly #mostCost: number;

  constructor(a: Int32Array, b: Int32Array) {
    this.#a = a;
    this.#b = b;
    const diagonals = a.length + b.length + 3;
    this.#ahead = new Int32Array(diagonals + 1);
    this.#back = new Int32Array(diagonals + 1);
    this.#zero = b.length + 1;
    this.#mostCost = Math.max(roughRoot(diagonals), 256);
  }

  of(box: Box): Point {
    const { a0, a1, b0, b1 } = box;
    const [least, most] = [a0 - b1, a1 - b0];
    const ahead = new Front(this.#ahead, this.#zero, a0 - b0, a0);
    const back = new Front(this.#back, this.#zero, a1 - b1, a1);
    const isOdd = ((a0 - b0 - (a1 - b1)) & 1) !== 0;
    for (let cost = 1; ; cost++) {
      ahead.widen(least, most, -1);
      const met = this.#forward(box, ahead, isOdd ? back : null);
      if (met !== null) return met;
      back.widen(least, most, endless);
      const metBack = this.#backward(box, back, isOdd ? null : ahead);
      if (metBack !== null) return metBack;
      if (cost >= this.#mostCost) return best(box, ahead, back);
    }
  }

  /** Where it meets the other front, if that is given. */
  #forward({ a1, b1 }: Box, ahead: Front, back: Front | null): Point | null {
    for (let d = ahead.high; d >= ahead.low; d -= 2) {
      const [below, above] = [ahead.at(d - 1), ahead.at(d + 1)];
      let i = below >= above ? below + 1 : above;
      while (i < a1 && i - d < b1 && this.#a[i] === this.#b[i - d]) i++;
      ahead.set(d, i);
      if (back?.has(d) === true && back.at(d) <= i) return [i, i - d];
    }
    return null;
  }

  #backward({ a0, b0 }: Box, back: Front, ahead: Front | null): Point | null {
    for (let d = back.high; d >= back.low; d -= 2) {
      const [below, above] = [back.at(d - 1), back.at(d + 1)];
      let i = below < above ? below : above - 1;
      while (i > a0 && i - d > b0 && this.#a[i - 1] === this.#b[i - d - 1]) i--;
      back.set(d, i);
      if (ahead?.has(d) === true && i <= ahead.at(d)) return [i, i - d];
    }
    return null;
  }
}

/** The place that has come furthest from its end. */
function best({ a0, a1, b0, b1 }: Box, ahead: Front, back: Front): Point {
  let [forth, forthA] = [-1, -1];
  for (let d = ahead.high; d >= ahead.low; d -= 2) {
    const i = Math.min(ahead.at(d), a1, b1 + d);
    if (forth < i + i - d) [forth, forthA] = [i + i - d, i];
  }
  let [rest, restA] = [endless, endless];
  for (let d = back.high; d >= back.low; d -= 2) {
    const i = Math.max(back.at(d), a0, b0 + d);
    if (i + i - d < rest) [rest, restA] = [i + i - d, i];
  }
  return a1 + b1 - rest < forth - (a0 + b0) ? [forthA, forth - forthA] : [restA, rest - restA];
}

/** Roughly the square root, as a power of two. */
export function roughRoot(n: number): number {
  let root = 1;
  for (let left = n; left > 0; left >>= 2) root <<= 1;
  return root;
}
