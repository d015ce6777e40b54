/**
 * Files that may not become objects, such as `.env`, and folders that are repositories of their
 * own: copied below the git folder for their owner alone, and put back byte for byte.
 */
import {
  chmodSync,
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { asText, fileAt, folderOfFile } from './byte-names.ts';
import { localPath, ownMark } from './local.ts';

/** Files of the work tree itself, or of git's own folder of it. */
export type Part = 'files' | 'git';

/** What was kept, by part and path: `files/.env`. */
export interface KeptFiles {
  /** Permissions as they were. */
  readonly modes: Readonly<Record<string, number>>;
  /** Of files that are kept as objects: permissions that a tree cannot tell. */
  readonly permissions?: Readonly<Record<string, number>>;
  readonly links: Readonly<Record<string, string>>;
  /** What was too large, with its size as far as it was looked at. */
  readonly leftOut: readonly { readonly path: string; readonly bytes: number }[];
  readonly bytes: number;
}

const nothing: KeptFiles = { modes: {}, links: {}, leftOut: [], bytes: 0 };

const list = 'kept.json';

function folderOf(commonDir: string, id: string): string {
  return localPath(commonDir, `quarantine/${id}`);
}

interface Walked {
  readonly files: readonly string[];
  readonly folders: readonly string[];
  readonly links: readonly string[];
  readonly bytes: number;
  readonly isWhole: boolean;
}

/** All below a path, itself included, until it is more than that. */
function walk(top: string, path: string, mostBytes: number): Walked {
  const files: string[] = [];
  const folders: string[] = [];
  const links: string[] = [];
  let bytes = 0;
  const left = [path];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const stat = lstatSync(fileAt(top, next), { throwIfNoEntry: false });
    if (stat?.isSymbolicLink() === true) links.push(next);
    else if (stat?.isFile() === true) {
      files.push(next);
      bytes += stat.size;
    } else if (stat?.isDirectory() === true) {
      folders.push(next);
      for (const name of readdirSync(fileAt(top, next), 'latin1')) left.push(`${next}/${name}`);
    }
    if (bytes > mostBytes || files.length + links.length > mostFiles)
      return { files, folders, links, bytes, isWhole: false };
  }
  return { files, folders, links, bytes, isWhole: true };
}

const mostFiles = 50_000;

/** Of a folder and all in it; only as far as `mostBytes`. */
export function sizeOf(top: string, path: string, mostBytes: number): number {
  return walk(top, path, mostBytes).bytes;
}

export interface Wanted {
  readonly part: Part;
  /** What `path` is below. */
  readonly top: string;
  readonly path: string;
  readonly mostBytes: number;
}

/** Copies these, all or nothing: what was kept before under this id stays until then. */
export function keepFiles(
  commonDir: string,
  id: string,
  wanted: readonly Wanted[],
  permissions: KeptFiles['modes'] = {},
): KeptFiles {
  const folder = folderOf(commonDir, id);
  const walked = wanted.map((one) => ({ ...one, ...walk(one.top, one.path, one.mostBytes) }));
  const leftOut = walked
    .filter(({ isWhole }) => !isWhole)
    .map(({ path, bytes }) => ({ path: asText(path), bytes }));
  // A folder of nothing but links to somewhere else holds nothing itself.
  const kept = walked.filter(
    ({ isWhole, files, folders, links }) =>
      isWhole && files.length + (folders.length === 0 ? links.length : 0) > 0,
  );
  if (kept.length + Object.keys(permissions).length === 0) {
    rmSync(folder, { recursive: true, force: true });
    return { ...nothing, leftOut };
  }
  const draft = `${folder}.new-${ownMark}`;
  const modes: Record<string, number> = {};
  const links: Record<string, string> = {};
  for (const { part, top, ...one } of kept) {
    for (const path of [...one.folders, ...one.files])
      modes[`${part}/${path}`] = lstatSync(fileAt(top, path)).mode & 0o7777;
    for (const path of one.folders) mkdirPrivate(fileAt(draft, `${part}/${path}`));
    for (const path of one.files) copyPrivate(fileAt(top, path), fileAt(draft, `${part}/${path}`));
    for (const path of one.links)
      links[`${part}/${path}`] = readlinkSync(fileAt(top, path), 'latin1');
  }
  const bytes = kept.reduce((sum, one) => sum + one.bytes, 0);
  const all: KeptFiles = { modes, permissions, links, leftOut, bytes };
  mkdirPrivate(draft);
  writeFileSync(join(draft, list), JSON.stringify(all), { mode: 0o600 });
  replace(folder, draft);
  return all;
}

/** What was there goes last: at no moment there is nothing. */
function replace(folder: string, draft: string): void {
  const old = `${folder}.old-${ownMark}`;
  try {
    renameSync(folder, old);
  } catch {
    // There was nothing.
  }
  renameSync(draft, folder);
  rmSync(old, { recursive: true, force: true });
}

export function keptFiles(commonDir: string, id: string): KeptFiles {
  try {
    return JSON.parse(readFileSync(join(folderOf(commonDir, id), list), 'utf8')) as KeptFiles;
  } catch {
    return nothing;
  }
}

/** Those of a part that are in the way of none are put back; returns them. */
export function putBack(commonDir: string, id: string, part: Part, top: string): readonly string[] {
  const all = keptFiles(commonDir, id);
  const from = join(folderOf(commonDir, id), part);
  const isFree = (path: string): boolean => {
    try {
      return lstatSync(fileAt(top, path), { throwIfNoEntry: false }) === undefined;
    } catch {
      // A file stands where its folder was.
      return false;
    }
  };
  const done: string[] = [];
  const folders: (readonly [path: string, mode: number])[] = [];
  for (const [path, mode] of ofPart(all.modes, part)) {
    if (lstatSync(fileAt(from, path)).isDirectory()) {
      folders.push([path, mode]);
      mkdirSync(fileAt(top, path), { recursive: true });
    } else if (isFree(path)) {
      mkdirSync(folderOfFile(fileAt(top, path)), { recursive: true });
      copyFileSync(fileAt(from, path), fileAt(top, path), constants.COPYFILE_FICLONE);
      chmodSync(fileAt(top, path), mode);
      done.push(path);
    }
  }
  for (const [path, target] of ofPart(all.links, part).filter(([path]) => isFree(path))) {
    mkdirSync(folderOfFile(fileAt(top, path)), { recursive: true });
    symlinkSync(Buffer.from(target, 'latin1'), fileAt(top, path));
    done.push(path);
  }
  // Last, for a folder may be one that nobody may write to.
  const objects = part === 'files' ? Object.entries(all.permissions ?? {}) : [];
  for (const [path, mode] of [...folders, ...objects].toReversed())
    if (!isFree(path)) chmodSync(fileAt(top, path), mode);
  return done.map(asText);
}

function ofPart<T>(
  record: Readonly<Record<string, T>>,
  part: Part,
): readonly (readonly [string, T])[] {
  return Object.entries(record).flatMap(([key, value]) =>
    key.startsWith(`${part}/`) ? [[key.slice(part.length + 1), value] as const] : [],
  );
}

export function dropFiles(commonDir: string, id: string): void {
  rmSync(folderOf(commonDir, id), { recursive: true, force: true });
}

function mkdirPrivate(folder: string | Buffer): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

function copyPrivate(from: Buffer, to: Buffer): void {
  mkdirPrivate(folderOfFile(to));
  copyFileSync(from, to, constants.COPYFILE_FICLONE);
  chmodSync(to, 0o600);
}
