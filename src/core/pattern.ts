/**
 * A pattern of repository paths: how it is written, checked and taken apart. `*` and `?` stay
 * inside a segment, `**` crosses, `[a-z]`, `[!a]`, `{a,b}`, `\x` is a plain x; a trailing slash
 * means all below. Dotfiles are matched; `(group)` and `!x` are names, not negation or extglob.
 *
 * A compiled pattern is a list of alternatives; an alternative is a sequence of segments cut at its
 * globstars, and a segment is a sequence of characters cut at its stars. Both have one shape, Cut,
 * which is all that `overlap.ts` has to understand.
 */
import { expandBraces } from './brace.ts';
import { foldCode, quotedMark, readClass } from './char-class.ts';
import { CoordError } from './errors.ts';
import { limits } from './limits.ts';
import { shellLine } from './shell-line.ts';

/** A sequence cut at its wildcards of any length: n wildcards, n + 1 pieces. */
export interface Cut<T> {
  readonly pieces: readonly (readonly T[])[];
}

/** One character: a code point, or ranges of them as lo, hi, lo, hi ... */
export type CharUnit = number | readonly number[];
export type Segment = Cut<CharUnit>;
export type Alternative = Cut<Segment>;

const slash = 0x2f;
const lastCode = 0x10ffff;

/** Any one character but the slash. */
const anyChar: readonly number[] = [0, slash - 1, slash + 1, lastCode];
const star = 0x2a;
const question = 0x3f;
const open = 0x5b;
const backslash = 0x5c;
const dot = 0x2e;

function tooComplex(text: string, what: string): CoordError {
  return new CoordError(
    'pattern_too_complex',
    `pattern '${abridge(text)}' ${what}`,
    'split it into several patterns, or reserve the directory',
  );
}

function bad(
  text: string,
  what: string,
  hint = 'see coord reserve --help for the syntax',
): CoordError {
  return new CoordError('bad_pattern', `pattern '${abridge(text)}' ${what}`, hint);
}

function abridge(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** Refuses what no path can be, before anything is read or taken apart. */
export function checkText(text: string): void {
  if (text === '') throw bad(text, 'is empty');
  if (text.length > limits.patternBytes || Buffer.byteLength(text) > limits.patternBytes) {
    throw tooComplex(text, `is longer than ${limits.patternBytes} bytes`);
  }
  if (text.includes('\0')) throw bad(text, 'holds a NUL');
  if (text.includes('\ufffd') || !text.isWellFormed()) throw noText(text);
}

/**
 * Bytes of an argument that are no text do not reach a program as they are, so no name can be made
 * of them.
 */
function noText(text: string): CoordError {
  const shown = text.replace(/\p{Surrogate}/gu, '\ufffd');
  const folder = shown.slice(0, Math.max(0, shown.lastIndexOf('/', shown.indexOf('\ufffd'))));
  const instead = folder === '' ? shown.replaceAll('\ufffd', '?') : folder;
  const what = folder === '' ? 'a pattern that matches it' : 'its directory';
  return bad(
    text,
    'is not valid UTF-8',
    `reserve ${what}: ${shellLine('coord', 'reserve', instead)}`,
  );
}

/** A path as a pattern that matches it alone. */
export function literal(path: string): string {
  return path.replace(/[*?[\]{}\\]/g, '\\$&');
}

/** The path that a pattern without wildcards names, or null. */
export function pathOf(pattern: string): string | null {
  if (!/[*?[\]{}\\]/.test(pattern)) return pattern;
  if (/[*?]/.test(pattern.replace(/\\./gs, ''))) return null;
  const { alternatives, odd } = expandBraces(tokenize(pattern));
  const [tokens] = alternatives;
  if (tokens === undefined || alternatives.length > 1 || odd !== null) return null;
  return tokens.some(
    (code, i) => code === open && readClass(segmentFrom(tokens, i), 0, false) !== null,
  )
    ? null
    : textOf(tokens);
}

function segmentFrom(tokens: readonly number[], start: number): readonly number[] {
  const end = tokens.indexOf(slash, start);
  return tokens.slice(start, end < 0 ? tokens.length : end);
}

function textOf(tokens: readonly number[]): string {
  return tokens.map((code) => String.fromCodePoint(code & ~quotedMark)).join('');
}

/**
 * The one spelling of a pattern: no `//`, `./` or inner `..`, `dir/` as `dir/**`, and what is plain
 * as `literal` writes it. Braces and classes are left as they are. Throws where the pattern leaves
 * the repository, matches no path or breaks a limit.
 */
export function canonical(text: string): string {
  checkText(text);
  const segments: string[] = [];
  const raw = splitSegments(text);
  for (const segment of raw) {
    const plain = pathOf(segment);
    if (plain === '' || plain === '.') continue;
    if (plain !== '..') {
      if (segment !== '**' || segments.at(-1) !== '**')
        segments.push(plain === null ? segment : literal(plain));
      continue;
    }
    const parent = segments.pop();
    if (parent === undefined) throw outside(text);
    if (pathOf(parent) === null) throw bad(text, "goes up with '..' from a wildcard");
  }
  if (raw[0] === '' && raw.length > 1) throw outside(text);
  if (['', '.', '..'].includes(pathOf(raw.at(-1) ?? '') ?? '*') && segments.at(-1) !== '**')
    segments.push('**');
  const result = segments.join('/');
  // What was plain is written out now, and may have had slashes of its own.
  if (result !== text) return canonical(result);
  for (const tokens of expandBraces(tokenize(result)).alternatives) checkPlaces(tokens, text);
  if (compile(result).length === 0) throw bad(text, 'matches no path');
  return result;
}

function outside(text: string): CoordError {
  return new CoordError('path_outside', `'${abridge(text)}' is outside the repository`);
}

/** A group can hide a way up, or one that begins at the root of the file system. */
function checkPlaces(tokens: readonly number[], text: string): void {
  const names = textOf(tokens).split('/');
  if (names[0] === '..' || (tokens[0] === slash && /[{,]\//.test(text))) throw outside(text);
  if (names.includes('..')) throw bad(text, "goes up with '..' inside a group");
}

/**
 * Splits at the slashes that are outside braces; one behind a backslash is a slash like any other.
 */
export function splitSegments(text: string): string[] {
  const segments: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i < text.length; i += 1) {
    const char = text[i];
    const escaped = char === '\\';
    if (escaped) i += 1;
    if (text[i] === '/' && (depth === 0 || !text.includes('}', i))) {
      segments.push(text.slice(from, escaped ? i - 1 : i));
      from = i + 1;
    } else if (!escaped && char === '{') depth += 1;
    else if (!escaped && char === '}') depth = Math.max(0, depth - 1);
  }
  return [...segments, text.slice(from)];
}

/** Takes a pattern apart, or refuses it. The result is plain data; nothing in it can backtrack. */
export function compile(pattern: string): readonly Alternative[] {
  checkText(pattern);
  return takeApart(pattern, false, (error) => {
    throw error;
  });
}

/**
 * The same for what cannot be refused any more: a held pattern, or any path made into one. No coord
 * takes what breaks a limit, so where that is held all the same somebody has written it there by
 * hand, and it means no more than can be shown: it must not fail whoever is compared with it.
 */
export function compileAccepted(pattern: string, ignoreCase = false): readonly Alternative[] {
  return takeApart(pattern, ignoreCase, () => undefined);
}

/** Why no coord can have taken this pattern, or null. */
export function whyUntaken(pattern: string): string | null {
  try {
    compile(pattern);
    return null;
  } catch (error) {
    if (error instanceof CoordError) return error.message;
    throw error;
  }
}

/** Told of all that a pattern may not have, it goes on with the rest if it is let. */
type Complain = (error: CoordError) => void;

function takeApart(
  pattern: string,
  ignoreCase: boolean,
  complain: Complain,
): readonly Alternative[] {
  const { alternatives, odd } = expandBraces(tokenize(pattern));
  if (odd === 'alternatives')
    complain(tooComplex(pattern, `has more than ${limits.patternAlternatives} alternatives`));
  if (odd === 'range')
    complain(bad(pattern, "has a range such as '{1..9}', which coord does not expand"));
  return alternatives.flatMap((tokens) => toSegments(tokens, pattern, ignoreCase, complain) ?? []);
}

function tokenize(text: string): number[] {
  const tokens: number[] = [];
  for (let i = 0; i < text.length; i += 1) {
    let code = text.codePointAt(i) ?? 0;
    if (code > 0xffff) i += 1;
    if (code === backslash && i + 1 < text.length) {
      i += 1;
      code = text.codePointAt(i) ?? 0;
      if (code > 0xffff) i += 1;
      if (code !== slash) code |= quotedMark;
    }
    tokens.push(code);
  }
  return tokens;
}

/**
 * Cuts one alternative at its globstars; null if no path can match it. A slash at its end means all
 * below.
 */
function toSegments(
  tokens: readonly number[],
  pattern: string,
  ignoreCase: boolean,
  complain: Complain,
): Alternative | null {
  const pieces: Segment[][] = [[]];
  let from = 0;
  for (let i = 0; i <= tokens.length; i += 1) {
    if (i < tokens.length && tokens[i] !== slash) continue;
    const part = tokens.slice(from, i);
    const isFolder = i === tokens.length && from > 0;
    from = i + 1;
    const isHere =
      part.length === 0 || (part.length === 1 && ((part[0] ?? 0) & ~quotedMark) === dot);
    if (isHere && !isFolder) continue;
    if (isHere || (part.length > 1 && part.every((code) => code === star))) {
      if (pieces.length === 1 || (pieces.at(-1)?.length ?? 0) > 0) pieces.push([]);
      if (pieces.length - 1 > limits.patternGlobstars)
        complain(tooComplex(pattern, `has more than ${limits.patternGlobstars} '**'`));
      continue;
    }
    const segment = toSegment(part, pattern, ignoreCase, complain);
    if (segment === null) return null;
    pieces.at(-1)?.push(segment);
  }
  // Below a directory means at least one name below it.
  if (pieces.length > 1 && pieces.at(-1)?.length === 0) pieces.at(-1)?.push({ pieces: [[], []] });
  return pieces.length === 1 && pieces[0]?.length === 0 ? null : { pieces };
}

/** Cuts one segment at its stars; null if it has a class that holds no character. */
function toSegment(
  tokens: readonly number[],
  pattern: string,
  ignoreCase: boolean,
  complain: Complain,
): Segment | null {
  const pieces: CharUnit[][] = [[]];
  for (let i = 0; i < tokens.length; i += 1) {
    const code = tokens[i] ?? 0;
    if (code === star) {
      if (tokens[i - 1] !== star) pieces.push([]);
      continue;
    }
    if (code === open) {
      const found = readClass(tokens, i, ignoreCase);
      if (found === 'named') {
        complain(bad(pattern, "has a named class such as '[:alpha:]', which coord does not know"));
        return null;
      }
      if (found !== null) {
        if (found.ranges.length === 0) return null;
        pieces.at(-1)?.push(found.ranges);
        i = found.end;
        continue;
      }
    }
    const char = code & ~quotedMark;
    pieces.at(-1)?.push(code === question ? anyChar : ignoreCase ? foldCode(char) : char);
  }
  return { pieces };
}
