/** What coord has noted of a work tree that it made: whose work is done there, and from where. */
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

export function writeNote({ gitDir }: Pick<WorkTree, 'gitDir'>, note: WorkNote): void {
  writeLocal(gitDir, workNote, JSON.stringify(note));
}
