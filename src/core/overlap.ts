/**
 * Do two patterns have a path in common? Decided exactly, without search: where both sequences hold
 * a wildcard of any length, everything between the anchored ends can be laid out one after the
 * other, so only the ends have to agree; where one side has none, its units are used at most once
 * each and the leftmost placement is never worse than another. The same argument holds for the
 * characters of a segment and for the segments of a path, so it is written once.
 */
import { foldCode } from './char-class.ts';
import { endsMayMeet, special } from './ends.ts';
import {
  type Alternative,
  type CharUnit,
  type Cut,
  compileAccepted,
  literal,
  pathOf,
  type Segment,
} from './pattern.ts';

type Meets<T> = (a: T, b: T) => boolean;

/** How spellings of one file become one key on file systems that fold them. */
export interface Folding {
  readonly ignoreCase: boolean;
  readonly composeUnicode: boolean;
}

export const exactSpelling: Folding = { ignoreCase: false, composeUnicode: false };

/**
 * The key of a plain text. Of a pattern it is right wherever the pattern is plain, and only there.
 */
function fold(text: string, { ignoreCase, composeUnicode }: Folding): string {
  const composed = composeUnicode ? text.normalize('NFC') : text;
  return ignoreCase
    ? Array.from(composed, (char) => String.fromCodePoint(foldCode(char.codePointAt(0) ?? 0))).join(
        '',
      )
    : composed;
}

/** Is there a path that both patterns match? */
export function overlaps(a: string, b: string, folding: Folding = exactSpelling): boolean {
  const left = fold(a, folding);
  const right = fold(b, folding);
  if (differAtAnEnd(left, right)) return false;
  if (left.includes('{') && right.includes('{') && !endsMayMeet(left, right)) return false;
  return compiledOverlap(memoized(a, folding), memoized(b, folding)) !== 'no';
}

/** Does the pattern match this path, whatever characters the path is made of? */
export function matches(pattern: string, path: string, folding: Folding = exactSpelling): boolean {
  return overlaps(pattern, literal(path), folding);
}

/**
 * Do they stand in each other's way? As `overlaps`; besides, a plain path may be, or become, a
 * directory, and then whoever holds it means everything in it: so it stands in the way of a pattern
 * written below it.
 */
export function collide(a: string, b: string, folding: Folding): boolean {
  const [left, right] = [fold(a, folding), fold(b, folding)];
  if (right.startsWith(`${left}/`) && pathOf(left) !== null) return true;
  if (left.startsWith(`${right}/`) && pathOf(right) !== null) return true;
  if (isWrittenBelow(a, b, folding) || isWrittenBelow(b, a, folding)) return true;
  return isPlain(left) && isPlain(right) ? left === right : a === b || overlaps(a, b, folding);
}

/** Does a group spell this path out and go on below it? */
function isWrittenBelow(pattern: string, path: string, folding: Folding): boolean {
  const plain = pattern.includes('{') ? pathOf(path) : null;
  if (plain === null) return false;
  const names = fold(plain, folding).split('/');
  return memoized(pattern, folding).some(
    ({ pieces: [head = [], ...rest] }) =>
      (head.length > names.length || (head.length === names.length && rest.length > 0)) &&
      names.every(
        (name, i) =>
          head[i]?.pieces.length === 1 &&
          head[i]?.pieces[0]?.every((unit) => typeof unit === 'number') === true &&
          String.fromCodePoint(...((head[i]?.pieces[0] ?? []) as readonly number[])) === name,
      ),
  );
}

function isPlain(pattern: string): boolean {
  return !/[*?[\]{}\\]/.test(pattern);
}

/**
 * Does `held` take in all that `asked` means? Told for the same pattern, for a plain path, and for
 * all below one; of other patterns it is never claimed.
 */
export function covers(held: string, asked: string, folding: Folding): boolean {
  if (held === asked) return true;
  const folder = asked.endsWith('/**') ? asked.slice(0, -3) : null;
  if (pathOf(folder ?? asked) === null) return false;
  if (pathOf(held) !== null)
    return `${fold(folder ?? asked, folding)}/`.startsWith(`${fold(held, folding)}/`);
  if (folder === null) return surelyOverlaps(held, asked, folding);
  if (held === '**') return true;
  return (
    held.endsWith('/**') &&
    (surelyOverlaps(held, folder, folding) || surelyOverlaps(held.slice(0, -3), folder, folding))
  );
}

/** Where it took too long to tell, nothing may be built on it. */
function surelyOverlaps(a: string, b: string, folding: Folding): boolean {
  return (
    overlaps(a, b, folding) && compiledOverlap(memoized(a, folding), memoized(b, folding)) === 'yes'
  );
}

/**
 * Names that no pattern spells out, at every depth that matters: what matches them all matches any.
 */
const anyNames = ['\u{10fffd}', '\u{10fffd}\u{10fffc}', '.\u{10fffd}\u{10fffc}'].flatMap((name) =>
  [1, 2, 3, 64].map((depth) => Array.from({ length: depth }, () => name).join('/')),
);

/**
 * Do these, taken together, match every path there is? Whoever asks for them takes the whole
 * repository.
 */
export function matchEverything(patterns: readonly string[]): boolean {
  return anyNames.every((path) => patterns.some((pattern) => overlaps(pattern, path)));
}

const compiled = new Map<string, readonly Alternative[]>();
let alternativesKept = 0;

/**
 * A request is compared with every lease, and in a long-lived process every lease with many
 * requests.
 */
function memoized(text: string, { ignoreCase, composeUnicode }: Folding): readonly Alternative[] {
  const pattern = composeUnicode ? text.normalize('NFC') : text;
  const key = ignoreCase ? `${pattern}\0` : pattern;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const made = compileAccepted(pattern, ignoreCase);
  alternativesKept += made.length;
  if (alternativesKept > 8_192) {
    compiled.clear();
    alternativesKept = made.length;
  }
  compiled.set(key, made);
  return made;
}

/**
 * Settles most pairs without taking them apart: two texts that differ before either has a special
 * character, counted from the front or from the back, have no path in common. A text that ends
 * early settles nothing.
 */
function differAtAnEnd(a: string, b: string): boolean {
  const shorter = Math.min(a.length, b.length);
  // Beside a group a dot can turn out to be a segment of its own, which is no name.
  const dot = a.includes('{') || b.includes('{') ? 0x2e : -1;
  for (let i = 0; i < shorter; i += 1) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (special[x] === 1 || special[y] === 1 || x === dot || y === dot) break;
    if (x !== y) return true;
  }
  for (let i = 1; i <= shorter; i += 1) {
    const x = a.charCodeAt(a.length - i);
    const y = b.charCodeAt(b.length - i);
    if (
      special[x] === 1 ||
      special[y] === 1 ||
      x === dot ||
      y === dot ||
      a[a.length - i - 1] === '\\' ||
      b[b.length - i - 1] === '\\'
    )
      break;
    if (x !== y) return true;
  }
  return false;
}

/**
 * Steps left for the pair at hand. A pair made to be expensive is taken to overlap once they are
 * used up: holding too much is safe.
 */
let stepsLeft = 0;
const stepsPerPair = 1_000_000;

function compiledOverlap(
  left: readonly Alternative[],
  right: readonly Alternative[],
): 'yes' | 'no' | 'unknown' {
  stepsLeft = stepsPerPair;
  const meet = left.some((a) => right.some((b) => cutsMeet(a, b, segmentsMeet)));
  return !meet ? 'no' : stepsLeft < 0 ? 'unknown' : 'yes';
}

function segmentsMeet(a: Segment, b: Segment): boolean {
  return cutsMeet(a, b, charsMeet);
}

function charsMeet(a: CharUnit, b: CharUnit): boolean {
  if (typeof a === 'number') return typeof b === 'number' ? a === b : holds(b, a);
  return typeof b === 'number' ? holds(a, b) : rangesMeet(a, b);
}

function holds(ranges: readonly number[], code: number): boolean {
  for (let i = 0; i < ranges.length; i += 2) {
    if (code >= (ranges[i] ?? 0) && code <= (ranges[i + 1] ?? -1)) return true;
  }
  return false;
}

function rangesMeet(a: readonly number[], b: readonly number[]): boolean {
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [endA, endB] = [a[i + 1] ?? -1, b[j + 1] ?? -1];
    if ((a[i] ?? 0) <= endB && (b[j] ?? 0) <= endA) return true;
    if (endA < endB) i += 2;
    else j += 2;
  }
  return false;
}

/** Can one sequence be read by both? */
export function cutsMeet<T>(a: Cut<T>, b: Cut<T>, meets: Meets<T>): boolean {
  const [headA, headB] = [a.pieces[0] ?? [], b.pieces[0] ?? []];
  if (a.pieces.length === 1) {
    return b.pieces.length === 1
      ? headA.length === headB.length && headsMeet(headA, headB, headA.length, meets)
      : fits(headA, b.pieces, meets);
  }
  if (b.pieces.length === 1) return fits(headB, a.pieces, meets);
  const [tailA, tailB] = [a.pieces.at(-1) ?? [], b.pieces.at(-1) ?? []];
  return (
    headsMeet(headA, headB, Math.min(headA.length, headB.length), meets) &&
    tailsMeet(tailA, tailB, Math.min(tailA.length, tailB.length), meets)
  );
}

function headsMeet<T>(a: readonly T[], b: readonly T[], length: number, meets: Meets<T>): boolean {
  for (let i = 0; i < length; i += 1) if (!meets(a[i] as T, b[i] as T)) return false;
  return true;
}

function tailsMeet<T>(a: readonly T[], b: readonly T[], length: number, meets: Meets<T>): boolean {
  for (let i = 1; i <= length; i += 1)
    if (!meets(a[a.length - i] as T, b[b.length - i] as T)) return false;
  return true;
}

/** Can the sequence without wildcards be laid out over these pieces? */
function fits<T>(units: readonly T[], pieces: readonly (readonly T[])[], meets: Meets<T>): boolean {
  const head = pieces[0] ?? [];
  const tail = pieces.at(-1) ?? [];
  if (pieces.reduce((sum, piece) => sum + piece.length, 0) > units.length) return false;
  if (!headsMeet(head, units, head.length, meets) || !tailsMeet(tail, units, tail.length, meets))
    return false;
  const end = units.length - tail.length;
  let at = head.length;
  for (const piece of pieces.slice(1, -1)) {
    while (
      at + piece.length <= end &&
      !piece.every((unit, i) => {
        stepsLeft -= 1;
        return stepsLeft < 0 || meets(unit, units[at + i] as T);
      })
    )
      at += 1;
    if (stepsLeft < 0) return true;
    if (at + piece.length > end) return false;
    at += piece.length;
  }
  return true;
}
