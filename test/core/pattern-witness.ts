/**
 * Looks for a path that two patterns match, by trying every way to read them side by side. What it
 * returns is only a suggestion until the naive matcher has accepted it for both.
 */
import { expand, isGlobstar, segmentsOf, unitMatches, unitsOf } from './pattern-naive.ts';

/**
 * What a witness may be made of: the alphabet of the generator, and letters that no pattern names.
 */
const letters = Array.from('abcABC._-xy*?[]{}!^,\\');

type Read<T, R> = (a: T, b: T) => R | null;

/** Reads two sequences in step; `both` gives what satisfies one element of each. */
function inStep<T, R>(
  a: readonly T[],
  b: readonly T[],
  repeats: (unit: T) => boolean,
  both: Read<T, R>,
  alone: (unit: T) => R | null,
): R[] | null {
  const [headA, ...restA] = a;
  const [headB, ...restB] = b;
  const join = (first: R | null, rest: () => R[] | null): R[] | null => {
    if (first === null) return null;
    const found = rest();
    return found === null ? null : [first, ...found];
  };
  const again = (x: readonly T[], y: readonly T[]): R[] | null =>
    inStep(x, y, repeats, both, alone);
  if (headA === undefined && headB === undefined) return [];
  if (headA !== undefined && repeats(headA)) {
    const skipped = again(restA, b);
    if (skipped !== null) return skipped;
    if (headB === undefined) return null;
    return repeats(headB) ? again(a, restB) : join(alone(headB), () => again(a, restB));
  }
  if (headB !== undefined && repeats(headB)) return again(b, a);
  if (headA === undefined || headB === undefined) return null;
  return join(both(headA, headB), () => again(restA, restB));
}

function nameOfBoth(a: string, b: string): string | null {
  const units = (segment: string): string[] =>
    unitsOf(segment).filter((unit, i, all) => unit !== '*' || all[i - 1] !== '*');
  const pick: Read<string, string> = (x, y) =>
    letters.find((char) => unitMatches(x, char) && unitMatches(y, char)) ?? null;
  const name =
    inStep(
      units(a),
      units(b),
      (unit) => unit === '*',
      pick,
      (unit) => pick(unit, unit),
    )?.join('') ?? null;
  // Two stars alone meet in any name, but a name is not empty.
  return name === '' ? 'x' : name;
}

/** A trailing globstar stands for at least one name. */
function spelled(alternative: string): string[] {
  const segments = segmentsOf(alternative);
  return isGlobstar(segments.at(-1) ?? '') ? [...segments, '*'] : segments;
}

export function witness(a: string, b: string): string | null {
  for (const left of expand(a)) {
    for (const right of expand(b)) {
      const names = inStep(spelled(left), spelled(right), isGlobstar, nameOfBoth, (segment) =>
        nameOfBoth(segment, segment),
      );
      if (names !== null && names.length > 0) return names.join('/');
    }
  }
  return null;
}
