/**
 * Replays the merges of a history: which of their pairs share files, which conflict, and which each
 * policy would have made wait. Looks at a few merges at a time, newest first, until the time is up.
 */
import { type Borrowed, borrow, inTime } from '../git/borrowed.ts';
import {
  type Hunk,
  hunksOf,
  type Merged,
  mergeBases,
  mergedByGit,
  mergesOf,
  type TreePair,
  treeChanges,
  treesOf,
  unionPaths,
} from '../git/merges.ts';
import { type ReplayFigures, replayFigures } from './replay-figures.ts';
import {
  type Both,
  changedByBoth,
  conflictsByLines,
  isOfLines,
  meetingOf,
  type Pair,
} from './replay-pair.ts';

export interface ReplayWish {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly most: number;
  readonly since?: string;
  /** Asked between some merges and the next: is there time for more? */
  goOn(looked: number, merges: number): boolean | Promise<boolean>;
}

export interface Replay extends ReplayFigures {
  /** Of the merges that were looked for: those of two sides, of more, and those not to be read. */
  readonly merges: number;
  readonly octopus: number;
  readonly unreadable: number;
  /** Not looked at, because the time was up. */
  readonly left: number;
  readonly isShallow: boolean;
  /** Who says which pairs conflict: git, or the lines that touch where git is too old. */
  readonly judge: 'git' | 'lines';
}

interface TwoSides {
  readonly oid: string;
  readonly one: string;
  readonly two: string;
}

const mergesAtOnce = 25;

export async function replay(wish: ReplayWish): Promise<Replay> {
  const repository = borrow(wish.folder, wish.env);
  try {
    return await replayed(repository, wish);
  } finally {
    repository.remove();
  }
}

async function replayed(repository: Borrowed, wish: ReplayWish): Promise<Replay> {
  const { head } = repository;
  const all = head === null ? [] : (mergesOf(repository, head, wish) ?? []);
  const merges = all.flatMap(({ oid, parents: [one = '', two = '', ...more] }): TwoSides[] =>
    more.length > 0 ? [] : [{ oid, one, two }],
  );
  const judge = mergedByGit(repository, []) === null ? 'lines' : 'git';
  const pairs: Pair[] = [];
  let looked = 0;
  while (looked < merges.length && (await wish.goOn(looked, merges.length))) {
    const some = merges.slice(looked, looked + mergesAtOnce);
    const found = inTime(() => inHalves(some, (part) => pairsOf(repository, part, judge)));
    if (found === null) break;
    pairs.push(...found);
    looked += some.length;
  }
  return {
    ...replayFigures(pairs),
    merges: merges.length,
    octopus: all.length - merges.length,
    unreadable: looked - pairs.length,
    left: merges.length - looked,
    isShallow: repository.isShallow,
    judge,
  };
}

/** Where one question for all finds no answer, those that have one are found by halves. */
function inHalves<Item, Answer>(
  items: readonly Item[],
  ask: (items: readonly Item[]) => readonly Answer[] | null,
): readonly Answer[] {
  const answers = ask(items);
  if (answers !== null) return answers;
  if (items.length < 2) return [];
  const half = Math.ceil(items.length / 2);
  return [items.slice(0, half), items.slice(half)].flatMap((part) => inHalves(part, ask));
}

/** A merge whose sides were never one here is left out; null where something cannot be read. */
function pairsOf(
  repository: Borrowed,
  merges: readonly TwoSides[],
  judge: Replay['judge'],
): readonly Pair[] | null {
  const based = merges.flatMap((merge) => {
    const base = baseOf(repository, merge, judge);
    return base === null ? [] : [{ ...merge, base }];
  });
  if (based.length === 0) return [];
  const trees = treesOf(
    repository,
    based.flatMap(({ base, one, two }) => [base, one, two]),
  );
  if (trees === null) return null;
  const sides = based.flatMap((_, i): readonly TreePair[] => [
    [trees[3 * i] ?? '', trees[3 * i + 1] ?? ''],
    [trees[3 * i] ?? '', trees[3 * i + 2] ?? ''],
  ]);
  const changes = treeChanges(repository, sides);
  if (changes === null) return null;
  const both = based.map((_, i) => changedByBoth(changes[2 * i] ?? [], changes[2 * i + 1] ?? []));
  const union = unionPaths(repository, [...new Set(both.flat().map(({ path }) => path))]);
  const merged =
    judge === 'git'
      ? mergedByGit(
          repository,
          based.map(({ one, two }) => [one, two]),
        )
      : [];
  if (union === null || merged === null) return null;
  return based.flatMap(({ oid }, i) => {
    const files = both[i] ?? [];
    const lines = files.filter(isOfLines).map(({ path }) => path);
    const hunks = hunksOf(repository, sides.slice(2 * i, 2 * i + 2), lines);
    return hunks === null ? [] : [pairOf(oid, files, { hunks, union }, merged[i])];
  });
}

/** Of several commits at which both were one it is what git makes of two of them. */
function baseOf(
  repository: Borrowed,
  { one, two }: TwoSides,
  judge: Replay['judge'],
): string | null {
  const [first, second] = mergeBases(repository, one, two);
  if (first === undefined) return null;
  if (second === undefined || judge === 'lines') return first;
  return mergedByGit(repository, [[first, second]])?.[0]?.tree ?? first;
}

interface Known {
  readonly hunks: ReadonlyMap<string, readonly Hunk[]>;
  readonly union: ReadonlySet<string>;
}

function pairOf(
  merge: string,
  both: readonly Both[],
  { hunks, union }: Known,
  merged: Merged | undefined,
): Pair {
  const shared = both.map((file) => ({
    path: file.path,
    meeting: meetingOf(file, hunks, union.has(file.path)),
  }));
  const conflicts = merged?.conflicts ?? conflictsByLines(shared);
  return { merge, shared, conflicts, isClean: merged?.isClean ?? conflicts.length === 0 };
}
