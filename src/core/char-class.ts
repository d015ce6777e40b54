/** A class such as `[a-z_]` or `[!0-9]`, as the ranges of code points it holds; never a slash. */
const slash = 0x2f;
const lastCode = 0x10ffff;
const open = 0x5b;
const close = 0x5d;
const bang = 0x21;
const caret = 0x5e;
const dash = 0x2d;
const colon = 0x3a;
const equals = 0x3d;
const dot = 0x2e;

/** Set on a code that stood behind a backslash, so that it stands for itself. */
export const quotedMark: number = 1 << 21;

/** `named` for a class such as `[:alpha:]`, which coord does not know. */
type CharClass = { readonly ranges: readonly number[]; readonly end: number } | 'named';

/** One key for the cases of a letter; a letter whose other case is two letters stays as it is. */
export function foldCode(code: number): number {
  if (code < 0x80) return code >= 0x41 && code <= 0x5a ? code + 0x20 : code;
  return single(single(code, 'toUpperCase'), 'toLowerCase');
}

function single(code: number, change: 'toUpperCase' | 'toLowerCase'): number {
  const changed = String.fromCodePoint(code)[change]();
  const first = changed.codePointAt(0) ?? code;
  return changed.length === (first > 0xffff ? 2 : 1) ? first : code;
}

let letters: readonly (readonly [number, number])[] | null = null;

/** Every letter that folds to another one, beside it. Cased letters end below 0x1f000. */
function foldedLetters(): readonly (readonly [number, number])[] {
  letters ??= Array.from({ length: 0x1f000 }, (_, code) => code)
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => [code, foldCode(code)] as const)
    .filter(([code, key]) => code !== key);
  return letters;
}

/** Besides what the class holds, the keys of it: a class is asked about keys alone. */
function withKeys(pairs: readonly [number, number][]): [number, number][] {
  const keys = foldedLetters()
    .filter(([code]) => pairs.some(([lo, hi]) => lo <= code && code <= hi))
    .map(([, key]): [number, number] => [key, key]);
  return [...pairs, ...keys];
}

/**
 * The class that opens at `start`, or null where the bracket is not closed and so is a plain one.
 */
export function readClass(
  tokens: readonly number[],
  start: number,
  ignoreCase: boolean,
): CharClass | null {
  let i = start + 1;
  const negated = tokens[i] === bang || tokens[i] === caret;
  if (negated) i += 1;
  const pairs: [number, number][] = [];
  for (let first = true; i < tokens.length; first = false, i += 1) {
    const code = tokens[i] ?? 0;
    if (code === close && !first)
      return { ranges: withoutSlash(merge(ignoreCase ? withKeys(pairs) : pairs), negated), end: i };
    if (code === open && [colon, equals, dot].includes(tokens[i + 1] ?? 0)) return 'named';
    const lo = code & ~quotedMark;
    const after = tokens[i + 2];
    if (tokens[i + 1] === dash && after !== undefined && after !== close) {
      pairs.push([lo, after & ~quotedMark]);
      i += 2;
    } else {
      pairs.push([lo, lo]);
    }
  }
  return null;
}

function merge(pairs: readonly [number, number][]): [number, number][] {
  const merged: [number, number][] = [];
  for (const [lo, hi] of pairs.filter(([a, b]) => a <= b).sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last !== undefined && lo <= last[1] + 1) last[1] = Math.max(last[1], hi);
    else merged.push([lo, hi]);
  }
  return merged;
}

function withoutSlash(
  pairs: readonly (readonly [number, number])[],
  negated: boolean,
): readonly number[] {
  const ranges: number[] = [];
  const add = (lo: number, hi: number): void => {
    if (lo <= slash && slash <= hi) {
      if (lo < slash) ranges.push(lo, slash - 1);
      if (slash < hi) ranges.push(slash + 1, hi);
    } else if (lo <= hi) {
      ranges.push(lo, hi);
    }
  };
  if (!negated) for (const [lo, hi] of pairs) add(lo, hi);
  else {
    let from = 0;
    for (const [lo, hi] of pairs) {
      add(from, lo - 1);
      from = hi + 1;
    }
    add(from, lastCode);
  }
  return ranges;
}
