/** Numbers and lists in words. */
import { harmless } from './harmless.ts';

/** `1 lease`, `2 leases`. */
export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** The first of them, and how many more. */
export function few(paths: readonly string[]): string {
  const [shown, more] = [paths.slice(0, 3).map(harmless).join(', '), paths.length - 3];
  return more > 0 ? `${shown} and ${more} more` : shown;
}
