/** The lines of a ref update, as git gives them to its hook. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Oid } from '../core/ids.ts';
import type { Repository } from '../git/repository.ts';

export interface RefLine {
  readonly old: Oid | null;
  readonly next: Oid;
  readonly ref: string;
}

/** The lines that move HEAD or a branch. */
export function readLines(input: string): readonly RefLine[] {
  return input.split('\n').flatMap((line) => {
    const [, old = '', next = '', ref = ''] = refLine.exec(line) ?? [];
    if (ref === '' || /^0+$/.test(next)) return [];
    return [{ old: /^0+$/.test(old) ? null : old, next, ref }];
  });
}

const refLine = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) (HEAD|refs\/heads\/.+)$/;

/** git has applied a commit to the files, and is about to say that a pick is under way. */
export function beginsPick(input: string): boolean {
  return /^[0-9a-f]+ [0-9a-f]*[1-9a-f][0-9a-f]* (CHERRY_PICK|REVERT)_HEAD$/m.test(input);
}

/**
 * The branches that go. Packing looks like that too, and so does renaming, but the one holds no
 * lock on the packed refs while it takes the loose ones away, and the other has put the reflog
 * aside.
 */
export function readDeletions({ commonDir, refs }: Repository, input: string): readonly string[] {
  if (refs === 'files' && !existsSync(join(commonDir, 'packed-refs.lock'))) return [];
  const isRenamed = (ref: string): boolean =>
    refs === 'files' &&
    existsSync(join(commonDir, 'logs', 'refs', '.tmp-renamed-log')) &&
    !existsSync(join(commonDir, 'logs', ref));
  const gone = [...input.matchAll(/^[0-9a-f]+ 0+ (refs\/heads\/.+)$/gm)];
  return gone.map(([, ref = '']) => ref).filter((ref) => !isRenamed(ref));
}

/**
 * What git asks about: the lines of one transaction, the branches that go in it, and which git it
 * is.
 */
export interface Asked {
  readonly lines: readonly RefLine[];
  readonly deletions: readonly string[];
  readonly git: string | undefined;
}
