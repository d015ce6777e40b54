/**
 * What a person may look at of a remote log with plain git: its view under
 * `refs/coord-remote/<name>/`, and the newest state as a commit without parents, so that no chain
 * of it hangs in the user's repository. Made from the copy, never read to decide, and out of reach
 * of the user's own fetches.
 */

import { toJson } from '../core/harmless.ts';
import type { Oid } from '../core/ids.ts';
import { encodeLease } from '../core/lease-record.ts';
import { limits } from '../core/limits.ts';
import { encodeAgent } from '../core/record.ts';
import { encodeState, type State, stateFiles } from '../core/state.ts';
import { builtin } from '../git/builtin.ts';
import { dropLocal, localAge, readLocal, takeLocalMark, writeLocal } from '../git/local.ts';
import { encodeCommit, encodeTree } from '../git/object-text.ts';
import { hashObject, type ObjectWriter, storeObjects } from '../git/objects.ts';
import { listRefs, type RefUpdate, updateRefs } from '../git/refs.ts';
import type { Repository } from '../git/repository.ts';
import { Draft } from '../log/draft.ts';
import type { Observation } from '../log/log-store.ts';
import { hashRecord, recordOf, viewFolders, viewOf, writeRecord } from '../log/view.ts';
import type { PushedRef } from './remote-ref.ts';

const shown = 'remote/shown';
const publishing = 'remote/publishing';

export function remoteViewPrefix(remote: string): string {
  return `refs/coord-remote/${remote}/`;
}

/** What is shown now, by ref: its commit, and what tells whether its record has changed since. */
interface Shown {
  readonly remote: string;
  readonly tip: Oid | null;
  readonly refs: Readonly<Record<string, readonly [Oid, string]>>;
}

function readShown(repository: Repository, remote: string): Shown | null {
  try {
    const said = JSON.parse(readLocal(repository.commonDir, shown) ?? '') as Shown;
    return said.remote === remote && typeof said.refs === 'object' ? said : null;
  } catch {
    return null;
  }
}

/** What a process of this machine has on its way; nobody waits for it. */
export interface Picture {
  readonly at: Observation;
  readonly updates: readonly RefUpdate[];
  readonly shown: Shown;
  /** The note of what was shown when it was drawn. */
  readonly before: string;
}

/** Writes what would have to be shown, and does not show it yet. */
export async function writeRemoteView(
  repository: Repository,
  remote: string,
  at: Observation,
): Promise<Picture> {
  const draft = new Draft(repository);
  const prefix = remoteViewPrefix(remote);
  const note = readLocal(repository.commonDir, shown) ?? '';
  const before = readShown(repository, remote);
  const present =
    before === null
      ? listRefs(repository, prefix.slice(0, -1))
      : new Map(Object.entries(before.refs).map(([ref, [oid]]) => [ref, oid] as const));
  const refs: Record<string, readonly [Oid, string]> = {};
  for (const [ref, record] of viewOf(at.state)) {
    const name = ref.replace('refs/coord/', prefix);
    const check = builtin.crypto
      .createHash('sha1')
      .update(toJson('startedAt' in record ? encodeAgent(record) : encodeLease(record)))
      .digest('hex')
      .slice(0, 16);
    const known = before?.refs[name];
    refs[name] = known?.[1] === check ? known : [writeRecord(draft, recordOf(record)), check];
  }
  refs[`${prefix}log`] = [writeSnapshot(draft, at), ''];
  const updates: readonly RefUpdate[] = [
    ...[...present.keys()]
      .filter((ref) => refs[ref] === undefined)
      .map((ref) => ({ ref, value: null, expected: null })),
    ...Object.entries(refs)
      .filter(([ref, [oid]]) => present.get(ref) !== oid)
      .map(([ref, [value]]) => ({ ref, value, expected: null })),
  ];
  await draft.store();
  return { at, updates, shown: { remote, tip: at.tip, refs }, before: note };
}

/** Shows it. False where it could not, which only leaves the picture old. */
function showRemoteView(repository: Repository, { updates, shown: now }: Picture): boolean {
  if (updates.length > 0 && updateRefs(repository, updates).code !== 0) {
    dropLocal(repository.commonDir, shown);
    return false;
  }
  writeLocal(repository.commonDir, shown, JSON.stringify(now));
  return true;
}

/**
 * Shows how it stands now, by one process for all that have just changed it. `drawn` if it has been
 * drawn already.
 */
export async function publishRemoteView(
  repository: Repository,
  remote: string,
  newest: () => Observation,
  drawn: Picture | null = null,
): Promise<boolean> {
  for (let at = newest(); readShown(repository, remote)?.tip !== at.tip; at = newest()) {
    if (!takeLocalMark(repository.commonDir, publishing, limits.publishMs)) return true;
    try {
      if (
        !showRemoteView(
          repository,
          drawn?.at.tip === at.tip && isCurrent(repository, drawn)
            ? drawn
            : await writeRemoteView(repository, remote, at),
        )
      )
        return false;
    } finally {
      dropLocal(repository.commonDir, publishing);
    }
  }
  return true;
}

/** Less than a second ago. */
export function isShownLately(repository: Repository): boolean {
  return (
    readLocal(repository.commonDir, shown) !== null &&
    localAge(repository.commonDir, shown) < limits.showEveryMs
  );
}

/** Nobody has shown anything else since it was drawn. */
function isCurrent(repository: Repository, { before }: Picture): boolean {
  return (readLocal(repository.commonDir, shown) ?? '') === before;
}

/**
 * The view over there, for whoever only has plain git: what is to be written so that it shows this
 * state and not `shown` any more.
 */
export async function viewRefs(
  copy: Repository,
  shown: ReadonlyMap<string, Oid>,
  state: State,
): Promise<readonly PushedRef[]> {
  const objects = new Map<Oid, Buffer>();
  const wanted = new Map(
    [...viewOf(state)].map(
      ([ref, record]) => [ref, writeRecord(storingIn(copy, objects), recordOf(record))] as const,
    ),
  );
  const news = [...wanted].filter(([ref, oid]) => shown.get(ref) !== oid);
  if (news.length > 0) await storeObjects(copy, [...objects], false);
  return [
    ...news.map(([ref, value]) => ({ ref, value, expected: 'any' as const })),
    ...[...shown.keys()]
      .filter((ref) => isOfView(ref) && !wanted.has(ref))
      .map((ref) => ({ ref, value: null, expected: 'any' as const })),
  ];
}

/** What the view shows where it shows this state. */
export function shownBy(copy: Repository, state: State): ReadonlyMap<string, Oid> {
  return new Map(
    [...viewOf(state)].map(([ref, record]) => [ref, hashRecord(copy, recordOf(record))] as const),
  );
}

function isOfView(ref: string): boolean {
  return viewFolders.some((folder) => ref.startsWith(`refs/coord/${folder}/`));
}

function storingIn(repository: Repository, objects: Map<Oid, Buffer>): ObjectWriter {
  return {
    write: (kind, body) => {
      const { oid, store } = hashObject(repository, kind, body);
      objects.set(oid, store);
      return oid;
    },
  };
}

export function dropRemoteView(repository: Repository, remote: string): void {
  const updates = [...listRefs(repository, remoteViewPrefix(remote).slice(0, -1)).keys()].map(
    (ref) => ({ ref, value: null, expected: null }),
  );
  if (updates.length > 0) updateRefs(repository, updates);
  dropLocal(repository.commonDir, shown);
}

function writeSnapshot(writer: ObjectWriter, { tip, seq, state }: Observation): Oid {
  const texts = encodeState(state);
  const tree = writer.write(
    'tree',
    encodeTree(
      stateFiles.map((name) => ({
        mode: '100644',
        name,
        oid: writer.write('blob', Buffer.from(texts[name])),
      })),
    ),
  );
  const by = { name: 'coord', email: 'coord@coord.invalid', at: 0 };
  return writer.write(
    'commit',
    encodeCommit(
      {
        tree,
        parents: [],
        message: `the log as of operation ${seq}\n\nSeq: ${seq}\nTip: ${tip ?? 'none'}\n`,
      },
      by,
      by,
    ),
  );
}
