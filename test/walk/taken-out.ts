/** Lines that a commit takes out of what it was made from. */
import type { Objects } from './objects.ts';

export function takenOut(objects: Objects, from: string | null, to: string): readonly string[] {
  const now = objects.linesOf(to);
  return [...objects.linesOf(from)].filter((line) => !now.has(line));
}

/** One of these two parents has taken it out already. */
export function wasTakenOut(
  objects: Objects,
  line: string,
  [ours, theirs]: readonly string[],
): boolean {
  if (ours === undefined || theirs === undefined) return false;
  const [left, right] = [objects.linesOf(ours), objects.linesOf(theirs)];
  if (left.has(line) === right.has(line)) return false;
  const before = objects.reach([left.has(line) ? theirs : ours]);
  return [...before].some((oid) => objects.linesOf(oid).has(line));
}
