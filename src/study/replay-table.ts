/** What a replay found, as lines for people of at most 80 columns. */
import { counted } from '../core/counted.ts';
import type { Replay } from './replay.ts';
import type { FileFigures } from './replay-figures.ts';

function percent(part: number, whole: number): string {
  return whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`;
}

/** The first cell is words, the others are numbers. */
function row([words = '', ...numbers]: readonly (string | number)[]): string {
  return `${String(words).padEnd(34)}${numbers.map((cell) => String(cell).padStart(9)).join('')}`;
}

export function replayLines(found: Replay): readonly string[] {
  const { pairs, sharing, conflicts, clean } = found;
  if (pairs === 0) return ['no merges of two sides to replay'];
  const share = (count: number): readonly [number, string] => [count, percent(count, pairs)];
  return [
    `${counted(pairs, 'merge')}, each taken for a pair of agents at work at once`,
    '',
    row(['', 'pairs']),
    row(['share a file', ...share(sharing)]),
    row(['conflict', ...share(conflicts)]),
    row(['share a file and merge cleanly', ...share(clean)]),
    '',
    `${row(['policy', 'wait', ''])}      though clean   missed`,
    ...found.policies.map(({ policy, waits, needless, missed }) =>
      row([policy, ...share(waits), needless, percent(needless, clean), missed]),
    ),
    ...files(found.files),
  ];
}

const fileColumns = 60;

function files(most: readonly FileFigures[]): readonly string[] {
  if (most.length === 0) return [];
  return [
    '',
    'conflict most',
    ...most.map(
      ({ path, conflicts, pairs }) =>
        `${shortened(path).padEnd(fileColumns)}${`${conflicts} of ${pairs}`.padStart(19)}`,
    ),
  ];
}

function shortened(path: string): string {
  const width = fileColumns - 2;
  return path.length <= width ? path : `...${path.slice(3 - width)}`;
}

export function replayNotes(found: Replay): readonly string[] {
  const { octopus, unreadable, left, isShallow, judge, merges } = found;
  const notes = [
    octopus > 0 ? `note: ${counted(octopus, 'merge')} of more than two sides left out` : '',
    unreadable > 0
      ? `note: ${counted(unreadable, 'merge')} left out: where both sides were one, or a file of theirs, is not here${isShallow ? '; git fetch --unshallow' : ''}`
      : '',
    left > 0 ? `note: the time was up; ${left} of ${merges} merges were not looked at` : '',
    judge === 'lines'
      ? 'note: this git cannot merge without a work tree (2.38 can): what touches in lines counts as a conflict, and renames are not followed'
      : '',
    merges + octopus === 0
      ? `note: a history without merges (squashed or rebased${isShallow ? ', or shallow: git fetch --unshallow' : ''}) says nothing here`
      : 'wait: pairs of which one would have waited; though clean: of those that share a file and merge cleanly; missed: conflicts without a wait',
  ];
  return notes.filter((note) => note !== '');
}
