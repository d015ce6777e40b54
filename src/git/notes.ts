/**
 * Git notes, read and written in this process: one text for an object, in a tree of their names.
 * Written by the rule of the log: compare, swap, read again; what others keep there stays as it is.
 */
import { CoordError } from '../core/errors.ts';
import type { Oid } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import {
  encodeCommit,
  encodeTree,
  type Ident,
  parseCommit,
  parseTree,
  type TreeEntry,
} from './object-text.ts';
import { writeObject } from './objects.ts';
import { readObject } from './read-objects.ts';
import { readRef, updateRefs, zeroOid } from './refs.ts';
import type { Repository } from './repository.ts';

export const notesRef = 'refs/notes/coord';

/** So often it is tried while nobody else moves it either. */
const stuckTries = 16;

function entriesOf(repository: Repository, tree: Oid): readonly TreeEntry[] {
  return parseTree(repository, readObject(repository, tree, 'tree'));
}

function rootOf(repository: Repository, tip: Oid): Oid {
  try {
    return parseCommit(readObject(repository, tip, 'commit')).tree;
  } catch (error) {
    throw new CoordError(
      'notes_malformed',
      `${notesRef} does not hold notes`,
      `git update-ref -d ${notesRef} takes it away`,
      error,
    );
  }
}

/** Git spreads notes over folders of two digits, as deep as it likes. */
function find(repository: Repository, tree: Oid, name: string): Oid | null {
  const entries = entriesOf(repository, tree);
  const whole = entries.find((entry) => entry.name === name && entry.mode !== '40000');
  if (whole !== undefined) return whole.oid;
  const folder = entries.find(
    (entry) => entry.mode === '40000' && entry.name.length === 2 && name.startsWith(entry.name),
  );
  return folder === undefined || name.length <= 2
    ? null
    : find(repository, folder.oid, name.slice(2));
}

function textAt(repository: Repository, tip: Oid | null, object: Oid): string {
  const blob = tip === null ? null : find(repository, rootOf(repository, tip), object);
  return blob === null ? '' : readObject(repository, blob, 'blob').toString('utf8');
}

function tipOf(repository: Repository): Oid | null {
  try {
    return readRef(repository, notesRef);
  } catch (error) {
    throw new CoordError(
      'notes_malformed',
      `${notesRef} does not hold notes`,
      `git symbolic-ref ${notesRef}, or git update-ref -d ${notesRef}`,
      error,
    );
  }
}

export function readNote(repository: Repository, object: Oid): string {
  return textAt(repository, tipOf(repository), object);
}

/** The tree with this note in it, one folder deep unless it is somewhere else already. */
function put(
  repository: Repository,
  entries: readonly TreeEntry[],
  name: string,
  blob: Oid,
  depth: number,
): Oid {
  const rest = entries.filter((entry) => entry.name !== name || entry.mode === '40000');
  const prefix = name.slice(0, 2);
  const folder = entries.find((entry) => entry.mode === '40000' && entry.name === prefix);
  if (folder === undefined && (depth > 0 || rest.length < entries.length))
    return writeObject(
      repository,
      'tree',
      encodeTree([...rest, { mode: '100644', name, oid: blob }]),
    );
  const below = put(
    repository,
    folder === undefined ? [] : entriesOf(repository, folder.oid),
    name.slice(2),
    blob,
    depth + 1,
  );
  return writeObject(
    repository,
    'tree',
    encodeTree([
      ...rest.filter((entry) => entry !== folder),
      { mode: '40000', name: prefix, oid: below },
    ]),
  );
}

interface NoteWrite {
  readonly objects: readonly Oid[];
  /** The new text of each, from what it is now; null where it says so already. */
  readonly edit: (text: string) => string | null;
  readonly subject: string;
  readonly by: Ident;
  /** Until the next try. */
  readonly pause: () => Promise<void>;
}

/** All of the notes in one step, or an error. */
export async function writeNotes(repository: Repository, write: NoteWrite): Promise<void> {
  let said = '';
  let stuck = 0;
  for (let attempt = 0; attempt < limits.swapAttempts; attempt += 1) {
    const tip = tipOf(repository);
    const edited = write.objects.map(
      (object) => [object, write.edit(textAt(repository, tip, object))] as const,
    );
    // Also what tells that an earlier try went through: git's yes and no are no proof.
    if (edited.every(([, text]) => text === null)) return;
    let tree =
      tip === null ? writeObject(repository, 'tree', Buffer.alloc(0)) : rootOf(repository, tip);
    for (const [object, text] of edited) {
      if (text !== null)
        tree = put(
          repository,
          entriesOf(repository, tree),
          object,
          writeObject(repository, 'blob', Buffer.from(text)),
          0,
        );
    }
    const commit = writeObject(
      repository,
      'commit',
      encodeCommit(
        { tree, parents: tip === null ? [] : [tip], message: `${write.subject}\n` },
        write.by,
        write.by,
      ),
    );
    const { code, stderr } = updateRefs(repository, [
      { ref: notesRef, value: commit, expected: tip ?? zeroOid(repository) },
    ]);
    if (code !== 0) {
      said = stderr.trim().split('\n')[0] ?? '';
      stuck = tipOf(repository) === tip ? stuck + 1 : 0;
      if (stuck >= stuckTries) break;
      await write.pause();
    }
  }
  throw new CoordError(
    'busy',
    `${notesRef} could not be written${said === '' ? '' : `: ${said}`}`,
    'try again; a lock that a killed git has left is yours to remove',
  );
}
