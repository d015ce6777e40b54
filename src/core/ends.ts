/**
 * A quick no for patterns with braces. What an alternative begins and ends with can be read off the
 * text of the first and the last group without taking the pattern apart; where no beginning, or no
 * ending, of the one goes with any of the other, they have no path in common. It never says no to a
 * pair that has one: wherever the text is not plain, it says perhaps.
 */
import { limits } from './limits.ts';

/** Words letter by letter; `isEnd` where a word stops being plain, so that anything may follow. */
interface Letters {
  readonly next: Map<number, Letters>;
  isEnd: boolean;
}

interface Group {
  readonly open: number;
  readonly close: number;
  readonly parts: readonly (readonly [number, number])[];
}

interface Ends {
  readonly heads: Letters;
  readonly tails: Letters;
}

const known = new Map<string, Ends>();

export function endsMayMeet(a: string, b: string): boolean {
  const ends = endsOf(a);
  return mayMeet(b, firstGroup(b), ends.heads, 1) && mayMeet(b, lastGroup(b), ends.tails, -1);
}

function endsOf(pattern: string): Ends {
  const found = known.get(pattern);
  if (found !== undefined) return found;
  const made = {
    heads: lettersOf(pattern, firstGroup(pattern), 1),
    tails: lettersOf(pattern, lastGroup(pattern), -1),
  };
  if (known.size >= 256) known.clear();
  known.set(pattern, made);
  return made;
}

function firstGroup(pattern: string): Group | null {
  const open = pattern.indexOf('{');
  return groupAt(pattern, open, pattern.indexOf('}', open));
}

function lastGroup(pattern: string): Group | null {
  const close = pattern.lastIndexOf('}');
  return groupAt(pattern, pattern.lastIndexOf('{', close), close);
}

/**
 * Null where the text alone does not tell: too long, nothing closed, nested or quoted, no comma;
 * and where a part could make a segment of a path come to nothing (`/`, `.`, an empty part).
 */
function groupAt(pattern: string, open: number, close: number): Group | null {
  if (open < 0 || close < open || pattern.length > limits.patternBytes || pattern.includes('\\'))
    return null;
  const inner = pattern.slice(open + 1, close);
  if (!inner.includes(',') || /[{}[\]/]|^\.|,\.|^,|,,|,$/.test(inner)) return null;
  const parts: (readonly [number, number])[] = [];
  for (let from = open + 1; from <= close; ) {
    const comma = pattern.indexOf(',', from);
    const to = comma < 0 || comma > close ? close : comma;
    parts.push([from, to]);
    from = to + 1;
  }
  return { open, close, parts };
}

/** Marks the characters that may mean more than themselves. */
export const special: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) =>
  '*?[]{}\\,'.includes(String.fromCharCode(code)) ? 1 : 0,
);

/**
 * From an end of the pattern to its group, then through each part: does one go with one of the
 * words?
 */
function mayMeet(pattern: string, group: Group | null, letters: Letters, step: 1 | -1): boolean {
  if (group === null) return true;
  const begun =
    step === 1
      ? walk(letters, pattern, 0, group.open, 1)
      : walk(letters, pattern, pattern.length - 1, group.close, -1);
  if (typeof begun === 'boolean') return begun;
  return group.parts.some(
    ([from, to]) =>
      walk(begun, pattern, step === 1 ? from : to - 1, step === 1 ? to : from - 1, step) !== false,
  );
}

/** True where anything may follow, false where no word goes on like this, else how far it got. */
function walk(
  letters: Letters,
  text: string,
  from: number,
  to: number,
  step: number,
): Letters | boolean {
  let at = letters;
  for (let i = from; i !== to; i += step) {
    const code = text.charCodeAt(i);
    if (at.isEnd || special[code] === 1) return true;
    const next = at.next.get(code);
    if (next === undefined) return false;
    at = next;
  }
  return at;
}

function lettersOf(pattern: string, group: Group | null, step: 1 | -1): Letters {
  const root: Letters = { next: new Map(), isEnd: group === null };
  for (const [from, to] of group?.parts ?? []) {
    const word =
      step === 1
        ? pattern.slice(0, group?.open) + pattern.slice(from, to)
        : pattern.slice(from, to) + pattern.slice((group?.close ?? 0) + 1);
    let at = root;
    for (
      let i = step === 1 ? 0 : word.length - 1;
      i >= 0 && i < word.length && special[word.charCodeAt(i)] !== 1;
      i += step
    ) {
      const next: Letters = at.next.get(word.charCodeAt(i)) ?? { next: new Map(), isEnd: false };
      at.next.set(word.charCodeAt(i), next);
      at = next;
    }
    at.isEnd = true;
  }
  return root;
}
