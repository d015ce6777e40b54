/**
 * Git objects, in this process: loose ones are read and written as files, packed ones are asked of
 * git. A written object is complete and synced before its name exists, so a crash leaves either the
 * object or a temporary file that the next writer clears away (object-draft.ts).
 */
import {
  chmodSync,
  closeSync,
  existsSync,
  fsync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Oid } from '../core/ids.ts';
import { builtin } from './builtin.ts';
import { loosePath, type ObjectKind } from './loose-object.ts';
import { draftOf } from './object-draft.ts';
import { pack } from './packing.ts';
import { isMissing } from './read-objects.ts';
import type { Repository } from './repository.ts';

export interface ObjectWriter {
  write(kind: ObjectKind, body: Buffer): Oid;
}

export function hashObject(
  repository: Repository,
  kind: ObjectKind,
  body: Buffer,
): { readonly oid: Oid; readonly store: Buffer } {
  const store = Buffer.concat([Buffer.from(`${kind} ${body.length}\0`), body]);
  return { oid: builtin.crypto.createHash(repository.hash).update(store).digest('hex'), store };
}

/** Writes one object and waits for the disk. */
export function writeObject(repository: Repository, kind: ObjectKind, body: Buffer): Oid {
  const { oid, store } = hashObject(repository, kind, body);
  ensureObject(repository, oid, store);
  return oid;
}

/** A file as it is, byte for byte. */
export function writeFileObject(repository: Repository, file: string): Oid {
  return writeObject(repository, 'blob', readFileSync(file));
}

export function ensureObject(repository: Repository, oid: Oid, store: Buffer): void {
  beginObject(repository, oid, store)?.finish();
}

/**
 * All of them or an error; a clean-up that takes a draft away before it has its name is met by
 * writing it again.
 */
export async function storeObjects(
  repository: Repository,
  objects: readonly (readonly [Oid, Buffer])[],
  anew: boolean,
): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const begun: BegunObject[] = [];
    try {
      for (const [oid, store] of objects) {
        const object = beginObject(repository, oid, store, anew);
        if (object !== null) begun.push(object);
      }
    } catch (error) {
      for (const object of begun) object.abandon();
      throw error;
    }
    try {
      return await finishSideBySide(begun);
    } catch (error) {
      if (!isMissing(error) || attempt >= 3) throw error;
    }
  }
}

/** Without waiting for the disk: for what can be had again from elsewhere. */
export function placeObjects(
  repository: Repository,
  objects: readonly (readonly [Oid, Buffer])[],
): void {
  for (const [oid, store] of objects) {
    const file = loosePath(repository, oid);
    if (freshen(file)) continue;
    const { descriptor, draft } = fillDraft(repository, oid, store);
    closeSync(descriptor);
    putInPlace(draft, file);
  }
}

/** The disk takes little longer for all of them than for one. */
async function finishSideBySide(begun: readonly BegunObject[]): Promise<void> {
  const results = await Promise.allSettled(begun.map((object) => object.finishAside()));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** An object that is written up to where the disk has to be waited for. */
interface BegunObject {
  finish(): void;
  /** The same in a thread of its own. */
  finishAside(): Promise<void>;
  abandon(): void;
}

/** Null if it is there already. */
function beginObject(
  repository: Repository,
  oid: Oid,
  store: Buffer,
  anew = false,
): BegunObject | null {
  const file = loosePath(repository, oid);
  if (!anew && freshen(file)) return null;
  const { descriptor, draft } = fillDraft(repository, oid, store);
  const close = once(() => closeSync(descriptor));
  const place = (): void => {
    close();
    putInPlace(draft, file);
  };
  const abandon = (): void => {
    close();
    rmSync(draft, { force: true });
  };
  return {
    abandon,
    finish: () => {
      try {
        fsyncSync(descriptor);
        place();
      } catch (error) {
        abandon();
        throw error;
      }
    },
    finishAside: () =>
      new Promise((resolve, reject) => {
        fsync(descriptor, (error) => {
          try {
            if (error !== null) throw error;
            place();
            resolve();
          } catch (failure) {
            abandon();
            reject(failure instanceof Error ? failure : new Error(String(failure)));
          }
        });
      }),
  };
}

function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (!done) work();
    done = true;
  };
}

/** A complete object under a temporary name. */
function fillDraft(
  repository: Repository,
  oid: Oid,
  store: Buffer,
): { readonly descriptor: number; readonly draft: string } {
  const draft = draftOf(repository, oid);
  const descriptor = openSync(draft, 'wx', 0o444);
  try {
    const packed = pack(store);
    for (let at = 0; at < packed.length; ) at += writeSync(descriptor, packed, at);
    return { descriptor, draft };
  } catch (error) {
    closeSync(descriptor);
    rmSync(draft, { force: true });
    throw error;
  }
}

/**
 * Is it there already? Then it is as good as new, and a clean-up that runs meanwhile leaves it
 * alone.
 */
function freshen(file: string): boolean {
  try {
    const now = new Date();
    utimesSync(file, now, now);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    // Somebody else's file: we cannot touch it, but it is there.
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  }
}

/** Its folder may not be there yet, or be gone because nothing was left in it. */
function putInPlace(draft: string, file: string): void {
  const folder = file.slice(0, file.lastIndexOf('/'));
  if (!existsSync(folder)) makeFolder(folder);
  try {
    renameSync(draft, file);
  } catch (error) {
    if (!isMissing(error)) throw error;
    makeFolder(folder);
    renameSync(draft, file);
  }
}

function makeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const { mode } = statSync(join(folder, '..'));
  if ((mode & 0o020) !== 0) chmodSync(folder, mode & 0o7777);
}
