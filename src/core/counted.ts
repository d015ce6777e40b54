/** A number and its noun, for sentences. */

/** `1 lease`, `2 leases`. */
export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
