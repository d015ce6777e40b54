/**
 * Small files of coord's own under `<common dir>/coord`. Each may be deleted at any time and none
 * is ever a reason to grant: they only save work or remember what should be noticed. So failing to
 * read or write one is not an error.
 */
import {
  appendFileSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** Tells this process's drafts from everybody else's, also where process ids are not unique. */
export const ownMark: string = `${process.pid}-${process.hrtime.bigint().toString(36)}`;

function beside(file: string): string {
  return `${file}.${ownMark}`;
}

/**
 * For what is made of a file of git's before it takes its place; what was left over is tidied away.
 */
export function localDraft(gitDir: string): string {
  mkdirSync(localPath(gitDir, '.'), { recursive: true });
  return localPath(gitDir, `draft-${ownMark}`);
}

export function localPath(commonDir: string, name: string): string {
  return join(commonDir, 'coord', name);
}

export function readLocal(commonDir: string, name: string): string | null {
  try {
    return readFileSync(localPath(commonDir, name), 'utf8');
  } catch {
    return null;
  }
}

/** All or nothing for readers; not synced, because losing it costs nothing. */
export function writeLocal(commonDir: string, name: string, text: string, mode = 0o666): void {
  const file = localPath(commonDir, name);
  const draft = beside(file);
  ignoringErrors(() => {
    try {
      writeFileSync(draft, text, { mode });
    } catch {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(draft, text, { mode });
    }
    renameSync(draft, file);
  });
}

/** False where it is full, or cannot be written. */
export function appendLocal(
  commonDir: string,
  name: string,
  text: string,
  mostBytes: number = Number.POSITIVE_INFINITY,
): boolean {
  const file = localPath(commonDir, name);
  let isWritten = false;
  ignoringErrors(() => {
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) + text.length > mostBytes) return;
    try {
      appendFileSync(file, text);
    } catch {
      mkdirSync(dirname(file), { recursive: true });
      appendFileSync(file, text);
    }
    isWritten = true;
  });
  return isWritten;
}

/** Moves a file aside and returns what it held, so that two takers never both get it. */
export function takeLocal(commonDir: string, name: string): string | null {
  const file = localPath(commonDir, name);
  const mine = beside(file);
  try {
    renameSync(file, mine);
    const text = readFileSync(mine, 'utf8');
    rmSync(mine, { force: true });
    return text;
  } catch {
    return null;
  }
}

export function dropLocal(commonDir: string, name: string): void {
  ignoringErrors(() => rmSync(localPath(commonDir, name), { force: true, recursive: true }));
}

/** Where the file is there already, and half of it would be taken for nothing. */
export function overwriteLocal(commonDir: string, name: string, text: string): void {
  ignoringErrors(() => writeFileSync(localPath(commonDir, name), text, { flag: 'r+' }));
}

/** How long ago it was written, by the wall clock; 0 if it is not there. */
export function localAge(commonDir: string, name: string): number {
  const written = statSync(localPath(commonDir, name), { throwIfNoEntry: false })?.mtimeMs;
  return written === undefined ? 0 : wallAge(written);
}

/** Since a time that a file tells. */
export function wallAge(atMs: number): number {
  return Date.now() - atMs;
}

/**
 * True for one process until the mark is dropped, or has been there for so long that nobody will
 * come back for it.
 */
export function takeLocalMark(commonDir: string, name: string, mostMs: number): boolean {
  try {
    writeFileSync(localPath(commonDir, name), '', { flag: 'wx' });
    return true;
  } catch {
    if (Math.abs(localAge(commonDir, name)) <= mostMs) return false;
    dropLocal(commonDir, name);
    return true;
  }
}

/** True for whoever makes it, and where nobody can: then nothing is remembered. */
export function isFirstAt(commonDir: string, name: string): boolean {
  const file = localPath(commonDir, name);
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '', { flag: 'wx' });
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EEXIST';
  }
}

export function listLocal(commonDir: string, folder: string): readonly string[] {
  try {
    return readdirSync(localPath(commonDir, folder)).sort();
  } catch {
    return [];
  }
}

export function moveLocal(commonDir: string, from: string, to: string): void {
  ignoringErrors(() => {
    mkdirSync(dirname(localPath(commonDir, to)), { recursive: true });
    renameSync(localPath(commonDir, from), localPath(commonDir, to));
  });
}

/** A second name for a file that is only ever replaced. */
export function keepLocal(commonDir: string, file: string, as: string): void {
  ignoringErrors(() => {
    const draft = beside(localPath(commonDir, as));
    linkSync(localPath(commonDir, file), draft);
    renameSync(draft, localPath(commonDir, as));
    rmSync(draft, { force: true });
  });
}

/**
 * A second name for a file from elsewhere: as long as both are one file, nobody has replaced it.
 */
export function linkLocal(file: string, as: string): boolean {
  try {
    linkSync(file, as);
    return true;
  } catch {
    return false;
  }
}

export function restoreLocal(commonDir: string, from: string, to: string): boolean {
  try {
    const draft = beside(localPath(commonDir, to));
    copyFileSync(localPath(commonDir, from), draft);
    renameSync(draft, localPath(commonDir, to));
    return true;
  } catch {
    return false;
  }
}

/**
 * Removes what nobody will come back for: drafts of processes that died, notes of agents long gone.
 */
export function tidyLocal(commonDir: string, folder: string, name: RegExp, beforeMs: number): void {
  ignoringErrors(() => {
    for (const file of readdirSync(localPath(commonDir, folder)).filter((entry) =>
      name.test(entry),
    )) {
      const path = join(localPath(commonDir, folder), file);
      if (statSync(path).mtimeMs < beforeMs) rmSync(path, { force: true, recursive: true });
    }
  });
}

function ignoringErrors(effort: () => void): void {
  try {
    effort();
  } catch {
    // Nothing here is needed for a right answer.
  }
}
