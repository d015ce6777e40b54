/** What coord has noted of a work tree that it made: whose work is done there, and from where. */
import { CoordError } from '../../core/errors.ts';
import type { Oid } from '../../core/ids.ts';
import type { AgentName } from '../../core/lease.ts';
import { readLocal, writeLocal } from '../../git/local.ts';
import type { WorkTree } from '../../git/work-trees.ts';
import { workNote } from '../../shim/apart.ts';

export interface WorkNote {
  readonly bead: string;
  readonly agent: AgentName;
  /** The commit that it began with. */
  readonly base: Oid;
  readonly attempt: number;
  /** By variable, which member of a pool it has. */
  readonly pools: Readonly<Record<string, string>>;
  /** Until it has all that it needs. */
  readonly isBeingMade?: true;
  /** Its bead is done, and the folder goes once nobody is in it. */
  readonly isOver?: true;
}

export function noteOf({ gitDir }: Pick<WorkTree, 'gitDir'>): WorkNote | null {
  const text = readLocal(gitDir, workNote);
  if (text === null) return null;
  try {
    return JSON.parse(text) as WorkNote;
  } catch {
    return null;
  }
}

/** Leases do not count where it stands, so that it could not be written is an error. */
export function writeNote({ gitDir }: Pick<WorkTree, 'gitDir'>, note: WorkNote): void {
  const text = JSON.stringify(note);
  writeLocal(gitDir, workNote, text);
  if (readLocal(gitDir, workNote) !== text)
    throw new CoordError('not_writable', `'${gitDir}' cannot be written to`, 'coord doctor');
}
