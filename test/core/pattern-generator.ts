/**
 * Patterns and paths from a seed, over an alphabet so small that they often have much in common.
 */
import { seeded } from '../support/world.ts';

export const seeds: readonly number[] =
  process.env['COORD_SEED'] === undefined ? [1, 2, 3] : [Number(process.env['COORD_SEED'])];

export interface Grammar {
  /** What a segment is made of; each as likely as its share of the list. */
  readonly units: readonly string[];
  readonly maxUnits: number;
  readonly maxSegments: number;
  /** Chances from 0 to 1. */
  readonly globstar: number;
  readonly braces: number;
}

export interface Chance {
  next(): number;
  below(limit: number): number;
  pick<T>(from: readonly T[]): T;
}

export function chanceOf(seed: number): Chance {
  const next = seeded(seed);
  const below = (limit: number): number => Math.floor(next() * limit);
  return { next, below, pick: <T>(from: readonly T[]) => from[below(from.length)] as T };
}

function several(chance: Chance, least: number, most: number, one: () => string): string[] {
  return Array.from({ length: least + chance.below(most - least + 1) }, one);
}

function segment(chance: Chance, grammar: Grammar): string {
  if (chance.next() < grammar.globstar) return chance.pick(['**', '**', '**', '***']);
  return several(chance, 1, grammar.maxUnits, () =>
    chance.next() < grammar.braces ? group(chance, grammar) : chance.pick(grammar.units),
  ).join('');
}

function group(chance: Chance, grammar: Grammar): string {
  const inner: Grammar = { ...grammar, braces: grammar.braces / 2, maxUnits: 2 };
  const part = (): string => {
    const kind = chance.next();
    if (kind < 0.15) return '';
    if (kind < 0.3) return `${segment(chance, inner)}/${segment(chance, inner)}`;
    return segment(chance, inner);
  };
  return `{${several(chance, 1, 3, part).join(',')}}`;
}

export function generatedPattern(chance: Chance, grammar: Grammar): string {
  return several(chance, 1, grammar.maxSegments, () => segment(chance, grammar)).join('/');
}

/** Every path of at most so many characters, the slashes included; no name is `.` or `..`. */
export function everyPath(alphabet: string, maxLength: number): string[] {
  const paths: string[] = [];
  const grow = (text: string): void => {
    if (text !== '' && !text.endsWith('/')) paths.push(text);
    if (text.length === maxLength) return;
    for (const char of alphabet) grow(text + char);
    if (text !== '' && !text.endsWith('/')) grow(`${text}/`);
  };
  grow('');
  return paths.filter((path) => path.split('/').every((name) => name !== '.' && name !== '..'));
}
