/** Commits with the beads and agents that their trailers name. */

import type { Oid } from '../core/ids.ts';
import { ask } from './commits.ts';
import type { Repository } from './repository.ts';

export interface BeadsOfCommit {
  readonly oid: Oid;
  readonly committedAt: number;
  readonly agents: readonly string[];
  readonly beads: readonly string[];
  readonly message: string;
}

/** Newest first, with what their trailers name. */
export function beadsOf(
  repository: Repository,
  range: readonly string[],
  most: number,
): readonly BeadsOfCommit[] {
  const words = ask(repository, [
    'log',
    `--max-count=${most}`,
    '--no-show-signature',
    '--format=%H%x00%ct%x00%(trailers:key=Coord-Agent,valueonly,separator=%x2C)%x00%(trailers:key=Coord-Bead,valueonly,separator=%x2C)%x2C%(trailers:key=Bead,valueonly,separator=%x2C)%x00%B%x00',
    ...range,
    '--',
  ]).split('\0');
  const rows: BeadsOfCommit[] = [];
  const list = (text: string): readonly string[] =>
    text
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== '');
  for (let i = 0; i + 4 < words.length; i += 5) {
    const [oid = '', at = '', agents = '', beads = '', message = ''] = words.slice(i, i + 5);
    rows.push({
      oid: oid.trim(),
      committedAt: Number(at) * 1_000,
      agents: list(agents),
      beads: list(beads),
      message,
    });
  }
  return rows;
}
