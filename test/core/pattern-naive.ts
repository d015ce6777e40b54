/**
 * A second opinion on patterns: text is split, expanded and tried by plain recursion, as slow as it
 * is easy to read. It shares no code and no idea with `src/core`; what both say alike is meant.
 */
/** Every way to choose one part of each brace group that has a comma of its own. */
export function expand(text: string): string[] {
  for (let start = 0; start < text.length; start += 1) {
    if (text[start] === '\\') start += 1;
    else if (text[start] === '{') {
      const parts = groupAt(text, start);
      if (parts === null || parts.length === 1) continue;
      const end = start + parts.join(',').length + 2;
      return parts.flatMap((part) => expand(text.slice(0, start) + part + text.slice(end)));
    }
  }
  return [text];
}

/** The parts of the group that opens here, or null where it is not closed. */
function groupAt(text: string, start: number): string[] | null {
  const parts = [''];
  for (let depth = 1, i = start + 1; i < text.length; i += 1) {
    const char = text[i] ?? '';
    if (char === '{') depth += 1;
    if (char === '}') depth -= 1;
    if (depth === 0) return parts;
    if (char === ',' && depth === 1) parts.push('');
    else parts[parts.length - 1] += char === '\\' ? char + (text[++i] ?? '') : char;
  }
  return null;
}

/**
 * The segments of one alternative, without the empty ones and the dots; one of these at its end
 * means all below.
 */
export function segmentsOf(alternative: string): string[] {
  const isNothing = (segment: string): boolean =>
    segment === '' || segment === '.' || segment === '\\.';
  const all = alternative.replaceAll('\\/', '/').split('/');
  const below = all.length > 1 && isNothing(all.at(-1) ?? '') ? ['**'] : [];
  return [...all.filter((segment) => !isNothing(segment)), ...below];
}

/** The characters, stars and classes of one segment, each as its text. */
export function unitsOf(segment: string): string[] {
  const chars = Array.from(segment);
  const units: string[] = [];
  for (let i = 0; i < chars.length; i += 1) {
    let length = 1;
    if (chars[i] === '\\' && i + 1 < chars.length) length = 2;
    if (chars[i] === '[') length = classLength(chars.slice(i));
    units.push(chars.slice(i, i + length).join(''));
    i += length - 1;
  }
  return units;
}

function classLength(chars: readonly string[]): number {
  let i = chars[1] === '!' || chars[1] === '^' ? 2 : 1;
  for (const first = i; i < chars.length; i += 1) {
    if (chars[i] === ']' && i > first) return i + 1;
    if (chars[i] === '\\') i += 1;
  }
  return 1;
}

export function unitMatches(unit: string, char: string): boolean {
  if (unit === '?') return char !== '/';
  if (unit.startsWith('[') && unit.length > 1) return classMatches(unit, char);
  return (unit.length > 1 && unit.startsWith('\\') ? unit.slice(1) : unit) === char;
}

function classMatches(unit: string, char: string): boolean {
  const negated = unit[1] === '!' || unit[1] === '^';
  const inner = Array.from(unit.slice(negated ? 2 : 1, -1));
  let found = false;
  for (let i = 0; i < inner.length; i += 1) {
    if (inner[i] === '\\') i += 1;
    const low = inner[i] ?? '\\';
    let high = low;
    if (inner[i + 1] === '-' && i + 2 < inner.length) {
      i += inner[i + 2] === '\\' ? 3 : 2;
      high = inner[i] ?? '';
    }
    const [at, from, to] = [char, low, high].map((one) => one.codePointAt(0) ?? 0) as [
      number,
      number,
      number,
    ];
    if (from <= at && at <= to) found = true;
  }
  return found !== negated && char !== '/';
}

function unitsMatch(units: readonly string[], chars: readonly string[]): boolean {
  const [unit, ...rest] = units;
  if (unit === undefined) return chars.length === 0;
  if (unit === '*')
    return unitsMatch(rest, chars) || (chars.length > 0 && unitsMatch(units, chars.slice(1)));
  return chars[0] !== undefined && unitMatches(unit, chars[0]) && unitsMatch(rest, chars.slice(1));
}

export function isGlobstar(segment: string): boolean {
  return /^\*{2,}$/.test(segment);
}

type Part = '**' | readonly string[];

function partsMatch(parts: readonly Part[], names: readonly string[]): boolean {
  const [part, ...rest] = parts;
  if (part === undefined) return names.length === 0;
  if (part !== '**')
    return (
      names[0] !== undefined &&
      unitsMatch(part, Array.from(names[0])) &&
      partsMatch(rest, names.slice(1))
    );
  // What is below a directory has at least one name of its own.
  if (rest.every((other) => other === '**')) return names.length > 0;
  return partsMatch(rest, names) || (names.length > 0 && partsMatch(parts, names.slice(1)));
}

/** Does the pattern match a path? */
export function naiveMatcher(pattern: string): (path: string) => boolean {
  const alternatives = expand(pattern)
    .map(segmentsOf)
    .filter((segments) => segments.length > 0)
    .map((segments) =>
      segments.map((segment): Part => (isGlobstar(segment) ? '**' : unitsOf(segment))),
    );
  return (path) => alternatives.some((parts) => partsMatch(parts, path.split('/')));
}
