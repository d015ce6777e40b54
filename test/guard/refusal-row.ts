/** A command that is refused, and the scenes in which it is. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Scene, went } from '../support/scene.ts';

export interface Row {
  readonly title: string;
  /** Prepares; returns the line that is refused. */
  prepare(here: Scene): string;
  /** Whose line it is. */
  readonly who: 'ann' | 'person' | 'ann past her git';
  /** git has changed files before it asks; then the first printed command puts them back. */
  readonly isLate?: boolean;
  /** It cannot be merged: then the first printed command says where what was staged is kept. */
  readonly isConflict?: boolean;
  /** What stands once its commands were followed. */
  readonly ends?: (here: Scene) => void;
}

/** A commit of a person on src/b, made before bob held it. */
export function older({ shell }: Scene): void {
  went(
    shell(
      'echo older >>src/b && git commit -qam older && echo more >>src/c && git commit -qam more',
    ),
  );
}

export function hold({ bob }: Scene): void {
  went(bob.coord('reserve', 'src/b'));
}

export function branch({ shell }: Scene): void {
  went(
    shell(
      'git switch -q -c side && echo side >src/b && git commit -qam side && git switch -q main',
    ),
  );
}

export const edits =
  (path: string, line: string) =>
  (here: Scene): string => {
    hold(here);
    appendFileSync(join(here.repo.top, 'src/a'), 'mine\n');
    appendFileSync(join(here.repo.top, path), 'not mine\n');
    return line;
  };
