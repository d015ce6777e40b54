/** Which of what is still to be merged cannot be merged with each other, and where. */
import type { RealWorld } from '../../agent/world.ts';
import { limits } from '../../core/limits.ts';
import { matches } from '../../core/overlap.ts';
import { unionAmong } from '../../draft/union.ts';
import { readLocal, writeLocal } from '../../git/local.ts';
import { conflictsOf, type LineSpan, type Pair } from '../../git/merge-pairs.ts';
import { shortBranch } from '../../git/refs.ts';
import type { Side } from './sides.ts';

export interface CollidingFile {
  readonly path: string;
  /** As it was when both were one; none where the file as a whole is in conflict. */
  readonly lines: readonly LineSpan[];
  /** What the team has said of such files, so that nobody has to be told. */
  readonly policy: 'regenerate' | 'one-writer' | null;
}

export interface Collision {
  readonly one: Side;
  readonly other: Side;
  readonly files: readonly CollidingFile[];
}

type Found = readonly Pick<CollidingFile, 'path' | 'lines'>[];

const cache = 'conflicts';

/** What is known of pairs of commits: it never changes. */
function known({ repository }: RealWorld): Map<string, Found> {
  try {
    return new Map(JSON.parse(readLocal(repository.commonDir, cache) ?? '[]'));
  } catch {
    return new Map();
  }
}

function keyOf([one, other]: Pair): string {
  return one < other ? `${one} ${other}` : `${other} ${one}`;
}

/** Of these pairs; git is asked only for those that it has not been asked for before. */
export function collisionsOf(
  world: RealWorld,
  pairs: readonly (readonly [Side, Side])[],
): readonly Collision[] {
  const before = known(world);
  const asked = pairs.map(([one, other]): Pair => [one.tip, other.tip]);
  const open = asked.filter((pair) => !before.has(keyOf(pair)));
  const found = open.length === 0 ? before : new Map([...before, ...looked(world, open)]);
  if (open.length > 0) {
    const current = new Map(
      asked.flatMap((pair) => {
        const known = found.get(keyOf(pair));
        return known === undefined ? [] : [[keyOf(pair), known] as const];
      }),
    );
    const rest = [...before].filter(([key]) => !current.has(key));
    const kept = [...current, ...rest].slice(0, limits.pairsKept);
    writeLocal(world.repository.commonDir, cache, JSON.stringify(kept));
  }
  const all = pairs.map(([one, other]) => found.get(keyOf([one.tip, other.tip])) ?? []);
  const paths = [...new Set(all.flatMap((files) => files.map(({ path }) => path)))];
  const union = unionAmong(world.repository, paths);
  return pairs.flatMap(([one, other], i) => {
    const files = (all[i] ?? []).flatMap((file) =>
      union.has(file.path) ? [] : [{ ...file, policy: policyOf(world, file.path) }],
    );
    return files.length === 0 ? [] : [{ one, other, files }];
  });
}

function policyOf({ settings }: RealWorld, path: string): CollidingFile['policy'] {
  const isOf = (patterns: readonly string[]): boolean =>
    patterns.some((pattern) => matches(pattern, path, settings.folding));
  return isOf(settings.regenerate) ? 'regenerate' : isOf(settings.oneWriter) ? 'one-writer' : null;
}

/** What git could not say is asked again the next time. */
function looked(
  { repository }: RealWorld,
  pairs: readonly Pair[],
): readonly (readonly [string, Found])[] {
  const conflicts = conflictsOf(repository, pairs);
  return pairs.flatMap((pair, i) => {
    const found = conflicts[i] ?? null;
    return found === null ? [] : [[keyOf(pair), found] as const];
  });
}

/** All pairs; what is in one work tree is one for git, and who has which line is told elsewhere. */
export function pairsOf(sides: readonly Side[]): readonly (readonly [Side, Side])[] {
  return sides.flatMap((one, i) =>
    sides.slice(i + 1).flatMap((other) => (areApart(one, other) ? [[one, other] as const] : [])),
  );
}

/** A branch and what was last seen of it on a remote are one. */
export function areApart(one: Side, other: Side): boolean {
  return (
    one.name !== other.name && (one.path === null || one.path !== other.path) && !areOne(one, other)
  );
}

function areOne(one: Side, other: Side): boolean {
  const isOn = (remote: Side, { ref }: Side): boolean =>
    /^refs\/remotes\/[^/]+\/(.+)$/.exec(remote.ref)?.[1] === shortBranch(ref);
  return isOn(one, other) || isOn(other, one);
}

/** What tells one collision from another: the two, and the files that somebody has to look at. */
export function causeOf({ one, other, files }: Collision): string {
  const paths = files.flatMap(({ path, policy }) => (policy === null ? path : [])).toSorted();
  return JSON.stringify([one.ref, other.ref, ...paths]);
}
