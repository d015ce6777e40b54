/**
 * A shared file is changed by coord itself, as an edit is: announced first, so that whatever stops
 * it in between its lines are told apart all the same, and written whole or not at all.
 */
import {
  chmodSync,
  closeSync,
  copyFileSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { editsBetween } from '../core/lines/change.ts';
import { fileOf, type LineRecord, type Owner } from '../core/lines/record.ts';
import { type Lines, sameLines } from '../core/lines/split.ts';
import { localDraft, ownMark } from '../git/local.ts';
import type { Repository } from '../git/repository.ts';
import { broughtUp, linesNow } from './brought-up.ts';
import { type Announced, withLineFile } from './line-store.ts';
import { isOver } from './lines.ts';
import { asBytes } from './shared-lines.ts';
import { statOf } from './vanished.ts';

type Rewritten =
  | 'written'
  /** It is so already, or nobody shares the file. */
  | 'same'
  /** The file has changed in between: nothing was written. */
  | 'moved';

interface Rewriting {
  readonly path: string;
  readonly owner: Owner;
  readonly at: number;
  /** What the file is to be; null where it may not be. */
  text(lines: LineRecord): Lines | null;
  /** Before anything is written. */
  keep(lines: LineRecord): void;
}

export function rewriteShared(
  repository: Repository,
  { path, owner, at, text, keep }: Rewriting,
): Rewritten {
  const plan = withLineFile(repository, path, (known) => {
    if (known === null) return { file: known, result: null };
    const { file } = broughtUp(repository, known);
    const before = fileOf(file.lines);
    const after = text(file.lines);
    if (after === null || sameLines(before, after)) return { file, result: null };
    keep(file.lines);
    const intent: Announced = { owner, edits: editsBetween(before, after), at };
    return {
      file: { ...file, intents: [...file.intents, intent] },
      result: { before, after, intent },
    };
  });
  if (plan === null) return 'same';
  return withLineFile<Rewritten>(repository, path, (known) => {
    const isStill = isPlain(repository, path) && sameLines(linesNow(repository, path), plan.before);
    if (isStill) replaceFile(repository, path, asBytes(plan.after));
    const told = JSON.stringify(plan.intent);
    const intents = isStill
      ? (known?.intents ?? [])
      : (known?.intents ?? []).filter((one) => JSON.stringify(one) !== told);
    const file = known === null ? null : broughtUp(repository, { ...known, intents }).file;
    return {
      file: file === null || isOver(file) ? null : file,
      result: isStill ? 'written' : 'moved',
    };
  });
}

/** A link leads elsewhere, and is no file of its own. */
function isPlain({ top }: Repository, path: string): boolean {
  return statOf(join(top, path))?.isFile() !== false;
}

/** With the mode that it has; made beside it only where git's folder is on another disk. */
function replaceFile({ gitDir, top }: Repository, path: string, bytes: Buffer): void {
  const file = join(top, path);
  const draft = localDraft(gitDir);
  const beside = join(dirname(file), `.${basename(file).slice(0, 100)}.${ownMark}`);
  try {
    writeSynced(draft, bytes, (statOf(file)?.mode ?? 0o644) & 0o7777);
    mkdirSync(dirname(file), { recursive: true });
    try {
      renameSync(draft, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
      copyFileSync(draft, beside);
      renameSync(beside, file);
    }
  } finally {
    for (const left of [draft, beside]) rmSync(left, { force: true });
  }
}

function writeSynced(file: string, bytes: Buffer, mode: number): void {
  const descriptor = openSync(file, 'wx');
  try {
    writeFileSync(descriptor, bytes);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  chmodSync(file, mode);
}
