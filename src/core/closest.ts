/** The known word that a mistyped one was probably meant to be, or null. */
export function closest(word: string, known: readonly string[]): string | null {
  const ranked = [...new Set(known)]
    .filter((candidate) => !areOpposite(word, candidate))
    .map((candidate) => ({ candidate, steps: distance(word, candidate) }))
    .sort((a, b) => a.steps - b.steps);
  const [best] = ranked;
  return best !== undefined && best.steps <= Math.max(1, Math.floor(word.length / 3))
    ? best.candidate
    : null;
}

/** `unlock` is no slip of the pen for `lock`. */
function areOpposite(one: string, other: string): boolean {
  return one === `un${other}` || other === `un${one}`;
}

/** How many letters have to be put in, left out or changed; two swapped neighbours count as one. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swap =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
          ? (before[j - 2] ?? 0) + 1
          : change;
      next.push(Math.min(change, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
