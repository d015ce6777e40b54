/** What is kept of a command that was run for the record, and on what it was run. */
import type { Evidence } from '../core/evidence.ts';
import type { Oid } from '../core/ids.ts';
import type { OwnTree } from '../draft/own-tree.ts';
import type { Brought } from '../git/ignored-content.ts';
import type { End } from './command.ts';

export interface Around {
  where(): Where;
  /** With the lock in hand: why nothing has to be run any more, or null. */
  begin(): Promise<Already | null>;
  /** Its output, as it comes. */
  heard(chunk: Buffer): void;
  finish(end: End, heldMs: number): Promise<Recorded>;
}

/** Where a command is run, and with what environment. */
export interface Where {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** It has passed on this very content. */
export interface Already {
  readonly kind: 'already';
  readonly evidence: Evidence;
  readonly agoMs: number;
}

/** What is in a folder of its own, and what is not. */
export interface FolderFacts extends Brought {
  /** The caller's changes, and those of others; null where a commit was taken out. */
  readonly own: Pick<OwnTree, 'paths' | 'leftOut'> | null;
  /** Their folders are empty. */
  readonly submodules: readonly string[];
}

/** What has gone on since a run on one's own work began: the work itself, or HEAD below it. */
export type Since = 'work' | 'head' | null;

/** What stays of a run; `exit` is what it counts as, `outcome` what the end of the lock shall tell. */
export type Recorded = {
  readonly exit: number;
  readonly outcome: Readonly<Record<string, unknown>>;
  /** Null where it was run in the work tree. */
  readonly folder: FolderFacts | null;
} & (
  | { readonly kind: 'recorded'; readonly evidence: Evidence; readonly since: Since }
  /** Files changed while it ran, so it is evidence for nothing. */
  | { readonly kind: 'changed'; readonly tree: Oid; readonly log: string }
  | { readonly kind: 'nothing' }
);
