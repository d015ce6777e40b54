/** Work in a work tree that is over: finished or abandoned, or why it is not. */
import { counted, few } from '../core/counted.ts';
import { exits } from '../core/exits.ts';
import { harmless } from '../core/harmless.ts';
import { shellLine } from '../core/shell-line.ts';
import { shortBranch } from '../git/refs.ts';
import { otherOccupants } from '../guard/occupied.ts';
import { restoreLine } from '../guard/removal.ts';
import type { WorkEnded } from '../work/worktree/end.ts';
import type { Removed } from '../work/worktree/remove.ts';
import { occupantFacts } from './removal.ts';
import type { Report } from './report.ts';
import { renderFinished } from './work.ts';
import { keptFacts, sizeText } from './work-trees.ts';

export function renderEnded(result: 'finished' | 'abandoned', ended: WorkEnded): Report {
  switch (ended.kind) {
    case 'unfinished':
      return renderFinished(ended.outcome);
    case 'uncommitted': {
      const next = shellLine('git', '-C', ended.tree.path, 'status');
      return refused(
        'dirty',
        { path: ended.tree.path, files: ended.files },
        `${counted(ended.files, 'file')} in ${harmless(ended.tree.path)} ${ended.files === 1 ? 'is' : 'are'} not committed`,
        next,
      );
    }
    case 'stopped':
      return stopped(ended.tree.path, ended.removed);
    case 'ended':
      return over(result, ended);
  }
}

function over(
  result: 'finished' | 'abandoned',
  ended: Extract<WorkEnded, { readonly kind: 'ended' }>,
): Report {
  const { tree, note, removed, branch } = ended;
  const isGone = removed.kind === 'removed';
  const kept = [
    ...(isGone && removed.kept !== null ? [removed.kept] : []),
    ...(branch === null ? [] : [branch]),
  ];
  const name = shortBranch(tree.head.branch);
  const next = result === 'finished' && name !== null ? shellLine('git', 'merge', name) : null;
  return {
    ok: true,
    exit: exits.done,
    result,
    ...(next === null ? {} : { next }),
    facts: {
      bead: note?.bead ?? null,
      path: tree.path,
      branch: name,
      removed: isGone,
      kept: kept.map(keptFacts),
      ...(isGone ? { leftOut: removed.leftOut } : {}),
      ...(next === null ? {} : { next }),
    },
    says: [
      `${result} ${note?.bead ?? harmless(tree.path)}${next === null ? '' : `; its commits are on ${name}`}`,
      ...(next === null ? [] : [`  next: ${next}`]),
    ],
    notes: [
      ...(isGone
        ? []
        : [
            `note: ${harmless(tree.path)} stays while ${whoIsIn(removed)}; coord work list shows it`,
          ]),
      ...kept.map((one) => `note: kept what was only there; to get it back: ${restoreLine(one)}`),
      ...(isGone
        ? removed.leftOut.map(
            ({ path, bytes }) =>
              `note: not kept, because git ignores it and it is large: ${harmless(path)} (more than ${sizeText(bytes)})`,
          )
        : []),
    ],
  };
}

function whoIsIn(removed: Exclude<Removed, { readonly kind: 'removed' }>): string {
  if (removed.kind === 'locked')
    return `it is locked${removed.reason === '' ? '' : ` (${harmless(removed.reason)})`}`;
  const others = otherOccupants(removed.occupants);
  return others.length === 0 ? 'your own shell is in it' : `it is in use by ${few(others)}`;
}

function stopped(path: string, removed: Exclude<Removed, { readonly kind: 'removed' }>): Report {
  const inUseBy = removed.kind === 'occupied' ? occupantFacts(removed.occupants) : [];
  const next =
    removed.kind === 'locked' ? shellLine('git', 'worktree', 'unlock', path) : 'coord work list';
  return refused(
    removed.kind === 'locked' ? 'locked_tree' : removed.kind,
    { path, inUseBy },
    `${harmless(path)} stays: ${whoIsIn(removed)}`,
    next,
  );
}

function refused(
  kind: 'dirty' | 'occupied' | 'locked_tree',
  facts: Report['facts'],
  why: string,
  next: string,
): Report {
  return {
    ok: false,
    exit: exits.refused,
    result: 'refused',
    refusal: kind,
    next,
    facts: { refusal: { kind }, ...facts, next },
    says: [],
    notes: [`refused: ${why}`, `  next: ${next}`],
  };
}
