/** Groups such as `{a,b}` in a pattern: every way to choose one part of each. */
import { limits } from './limits.ts';

const lastCode = 0x10ffff;
const brace = 0x7b;
const unbrace = 0x7d;
const comma = 0x2c;

interface Expanded {
  /** At most so many as a pattern may have; none of what is longer than a pattern may be. */
  readonly alternatives: readonly (readonly number[])[];
  readonly odd: 'alternatives' | 'range' | null;
}

/** Every way to choose one part of each brace group; a group without a comma is plain text. */
export function expandBraces(tokens: readonly number[]): Expanded {
  if (!tokens.includes(brace)) return { alternatives: [tokens], odd: null };
  if (tokens.length > limits.patternBytes) return { alternatives: [], odd: 'alternatives' };
  const done: (readonly number[])[] = [];
  let isRange = false;
  const todo: { readonly tokens: readonly number[]; readonly from: number }[] = [
    { tokens, from: 0 },
  ];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const group = findGroup(next.tokens, next.from);
    if (group === null || group === 'range') {
      isRange ||= group === 'range';
      done.push(next.tokens);
    } else {
      const { tokens: whole } = next;
      for (const part of group.parts.toReversed()) {
        todo.push({
          tokens: [...whole.slice(0, group.start), ...part, ...whole.slice(group.end + 1)],
          from: group.start,
        });
      }
    }
    if (done.length === limits.patternAlternatives && todo.length > 0)
      return { alternatives: done, odd: 'alternatives' };
  }
  return { alternatives: done, odd: isRange ? 'range' : null };
}

interface Group {
  readonly start: number;
  readonly end: number;
  readonly parts: readonly (readonly number[])[];
}

/**
 * The first brace group at or after `from` that has a comma of its own, unless a range comes before
 * it.
 */
function findGroup(tokens: readonly number[], from: number): Group | 'range' | null {
  if (!tokens.includes(unbrace, from)) return null;
  for (
    let start = tokens.indexOf(brace, from);
    start >= 0;
    start = tokens.indexOf(brace, start + 1)
  ) {
    const commas: number[] = [];
    let depth = 0;
    let end = start;
    for (; end < tokens.length; end += 1) {
      if (tokens[end] === brace) depth += 1;
      else if (tokens[end] === unbrace) depth -= 1;
      else if (tokens[end] === comma && depth === 1) commas.push(end);
      if (depth === 0) break;
    }
    if (end === tokens.length) continue;
    if (commas.length > 0) {
      const edges = [start, ...commas, end];
      return {
        start,
        end,
        parts: edges.slice(1).map((edge, i) => tokens.slice((edges[i] ?? 0) + 1, edge)),
      };
    }
    // A dot behind a backslash is none of a range.
    const inner = String.fromCodePoint(
      ...tokens.slice(start + 1, end).map((code) => (code > lastCode ? 0 : code)),
    );
    if (/^[^./{}]+(\.\.[^./{}]+){1,2}$/.test(inner)) return 'range';
  }
  return null;
}
