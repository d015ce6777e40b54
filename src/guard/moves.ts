/**
 * Which refs a git command would move, read from its words: what it would leave on no branch is
 * said before git touches index and work tree, which it does before it asks its hooks.
 */
import type { RealWorld } from '../agent/world.ts';
import { commitAt, isAncestor } from '../git/commits.ts';
import { type Head, headOf } from '../git/head.ts';
import { readBranch } from '../git/refs.ts';
import { lost } from '../git/replay.ts';
import { judgeLost, type Problem, type Who } from './evaluate.ts';
import { makersOf } from './makers.ts';
import { optionsOf } from './options.ts';
import { distinct } from './ref-transaction.ts';

interface Move {
  readonly ref: string;
  /** Null where it is not said, or not there yet. */
  readonly to: string | null;
}

export function judgeMove(
  world: RealWorld,
  who: Who,
  command: readonly string[],
): readonly Problem[] {
  const { repository } = world;
  const head = headOf(repository);
  if (head.oid === null) return [];
  const makerOf = makersOf(repository);
  return distinct(
    movesOf(command, head).flatMap(({ ref, to }) => {
      const next = to === null ? null : commitAt(repository, to);
      const isHead = ref === 'HEAD' || ref === head.branch;
      const before = isHead ? head.oid : readBranch(repository, ref);
      if (before === null || (ref !== 'HEAD' && next === null)) return [];
      if (next !== null && isAncestor(repository, before, next)) return [];
      return judgeLost(
        lost(repository, [ref], [before], next === null ? [] : [next]),
        who,
        makerOf,
      );
    }),
  );
}

/** A detached HEAD that is left is one of them. */
function movesOf([verb = '', ...words]: readonly string[], head: Head): readonly Move[] {
  const { has, value, free, paths } = optionsOf(verb, words);
  const [first, second] = free;
  const leaving = (to: string | null): readonly Move[] =>
    head.branch === null ? [{ ref: 'HEAD', to: to === '-' ? '@{-1}' : to }] : [];
  switch (verb) {
    case 'reset':
      // With paths it is about the index alone.
      return paths !== null || free.length > 1
        ? []
        : [{ ref: head.branch ?? 'HEAD', to: first ?? 'HEAD' }];
    case 'branch': {
      if (first === undefined || has('d', 'delete') || has('D')) return [];
      const isForced = has('f', 'force');
      if (has('M') || has('C') || (isForced && (has('m', 'move') || has('c', 'copy')))) {
        return [{ ref: `refs/heads/${free.at(-1) ?? ''}`, to: free.length > 1 ? first : 'HEAD' }];
      }
      // git itself refuses to move the branch that is checked out.
      if (head.branch === `refs/heads/${first}`) return [];
      return isForced ? [{ ref: `refs/heads/${first}`, to: second ?? 'HEAD' }] : [];
    }
    case 'checkout':
    case 'switch': {
      if ((paths?.length ?? 0) > 0) return [];
      if (has(null, 'orphan')) return leaving(null);
      const forced = value('B', 'C', 'force-create');
      if (forced !== undefined)
        return [{ ref: `refs/heads/${forced}`, to: first ?? 'HEAD' }, ...leaving(first ?? 'HEAD')];
      if (value('b', 'c', 'create') !== undefined) return leaving(first ?? 'HEAD');
      return first === undefined || free.length > 1 ? [] : leaving(first);
    }
    case 'rebase':
      return second === undefined ? [] : leaving(second);
    case 'stash':
      return first === 'branch' ? leaving(`${free[2] ?? 'stash@{0}'}^1`) : [];
    case 'bisect':
      return first === 'reset' ? leaving(second ?? null) : [];
    case 'worktree':
      // It runs where the work tree is that goes.
      return first === 'remove' ? leaving(null) : [];
    case 'symbolic-ref':
      return first === 'HEAD' && second !== undefined ? leaving(second) : [];
    default:
      return [];
  }
}
