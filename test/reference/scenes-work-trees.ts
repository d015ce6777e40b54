/** Work in work trees of its own, and what collides. */
import { join } from 'node:path';
import { checkout } from '../support/sessions.ts';
import { seenIn } from '../support/work-trees.ts';
import type { Sights } from './watched.ts';

export function workTrees(sights: Sights): void {
  const made = checkout();
  const repo = sights.watch(made);
  repo.coord(null, 'work', 'list');
  repo.coord(null, 'conflicts');
  repo.coord('ann', 'work', 'start', 'bd-1');
  repo.coord('bob', 'work', 'start', 'bd-1');
  repo.coord('bob', 'work', 'start', 'bd-2', '-c', 'coord.workRun=true');
  const [one, two] = ['bd-1-1', 'bd-2-1'].map((name) =>
    seenIn(made, join(made.top, '..', 'repo.work', name)),
  );
  one?.write('src/a', 'of ann\n');
  two?.write('src/a', 'of bob\n');
  two?.git('commit', '-q', '-a', '-m', 'of bob');
  repo.coord(null, 'conflicts');
  repo.coord(null, 'work', 'list');
  repo.coord('eve', 'work', 'finish', 'bd-1');
  repo.coord('eve', 'work', 'adopt', 'bd-1');
  repo.coord('eve', 'work', 'abandon', 'bd-1');
  made.git('worktree', 'add', '-q', '../plain');
  repo.coord('eve', 'work', 'abandon', '../plain');
  repo.coord('eve', 'work', 'restore', 'nothing');
  repo.coord(null, 'work', 'start', 'bd-3');
  repo.coord(null, 'work', 'start', 'bd-3');
  repo.coord(null, 'work', 'adopt', 'bd-3');
  repo.coord(null, 'work', 'finish', 'bd-3');
  repo.coord(null, 'work', 'finish', 'bd-3', '--no-change', '--reason', 'it was done');
  repo.coord(null, 'work', 'start', 'bd-4');
  const last = seenIn(made, join(made.top, '..', 'repo.work', 'bd-4-1'));
  last.write('src/b', 'not committed\n');
  repo.coord(null, 'work', 'finish', 'bd-4');
  last.git('commit', '-q', '-a', '-m', 'of a person');
  repo.coord(null, 'work', 'abandon', 'bd-4');
  repo.coord(null, 'rescue', 'list');
  repo.coord(null, 'work', 'restore', 'coord/bd-4/1');
}
