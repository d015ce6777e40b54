/**
 * What a person may look at of a remote log with plain git: its view under `refs/coord-remote/<name>/`,
 * and the newest state as a commit without parents, so that no chain of it hangs in the user's
 * repository. Made from the copy, never read to decide, and out of reach of the user's own fetches.
 */
import type { Oid } from '../core/ids.ts';
import { encodeState, stateFiles, type State } from '../core/state.ts';
import type { PushedRef } from './arbiter.ts';
import type { Observation } from './log-store.ts';
import { dropLocal, readLocal, writeLocal } from './local.ts';
import { encodeCommit, encodeTree } from './object-text.ts';
import { hashObject, storeObjects, type ObjectWriter } from './objects.ts';
import { listRefs, updateRefs, type RefUpdate } from './refs.ts';
import type { Repository } from './repository.ts';
import { hashRecord, recordOf, viewFolders, viewOf, writeRecord } from './view.ts';

const shown = 'remote/shown';

export function farPrefix(remote: string): string {
  return `refs/coord-remote/${remote}/`;
}

/** Writes what differs. False where it could not, which only leaves the picture old. */
export async function publishFarView(repository: Repository, remote: string, at: Observation): Promise<boolean> {
  const note = `${remote} ${at.tip ?? ''}`;
  if (readLocal(repository.commonDir, shown) === note) return true;
  const objects = new Map<Oid, Buffer>();
  const writer = storingIn(repository, objects);
  const prefix = farPrefix(remote);
  const wanted = new Map([...viewOf(at.state)].map(([ref, lease]) => [ref.replace('refs/coord/', prefix), writeRecord(writer, recordOf(lease))] as const));
  wanted.set(`${prefix}log`, writeSnapshot(writer, at));
  const present = listRefs(repository, prefix.slice(0, -1));
  const updates: RefUpdate[] = [
    ...[...present.keys()].filter((ref) => !wanted.has(ref)).map((ref) => ({ ref, value: null, expected: null })),
    ...[...wanted].filter(([ref, oid]) => present.get(ref) !== oid).map(([ref, value]) => ({ ref, value, expected: null })),
  ];
  const news = new Set(updates.map(({ value }) => value));
  const needed = news.has(wanted.get(`${prefix}log`) ?? null) ? objects : new Map([...objects].filter(([oid]) => news.has(oid)));
  await storeObjects(repository, [...needed], false);
  if (updates.length > 0 && updateRefs(repository, updates).code !== 0) return false;
  writeLocal(repository.commonDir, shown, note);
  return true;
}

/** The view over there, for whoever only has plain git: what is to be written so that it shows this state and not `shown` any more. */
export async function viewRefs(copy: Repository, shown: ReadonlyMap<string, Oid>, state: State): Promise<readonly PushedRef[]> {
  const objects = new Map<Oid, Buffer>();
  const wanted = new Map([...viewOf(state)].map(([ref, record]) => [ref, writeRecord(storingIn(copy, objects), recordOf(record))] as const));
  const news = [...wanted].filter(([ref, oid]) => shown.get(ref) !== oid);
  if (news.length > 0) await storeObjects(copy, [...objects], false);
  return [
    ...news.map(([ref, value]) => ({ ref, value, expected: 'any' as const })),
    ...[...shown.keys()].filter((ref) => isOfView(ref) && !wanted.has(ref)).map((ref) => ({ ref, value: null, expected: 'any' as const })),
  ];
}

/** What the view shows where it shows this state. */
export function shownBy(copy: Repository, state: State): ReadonlyMap<string, Oid> {
  return new Map([...viewOf(state)].map(([ref, record]) => [ref, hashRecord(copy, recordOf(record))] as const));
}

function isOfView(ref: string): boolean {
  return viewFolders.some((folder) => ref.startsWith(`refs/coord/${folder}/`));
}

function storingIn(repository: Repository, objects: Map<Oid, Buffer>): ObjectWriter {
  return { write: (kind, body) => {
    const { oid, store } = hashObject(repository, kind, body);
    objects.set(oid, store);
    return oid;
  } };
}

export function dropFarView(repository: Repository, remote: string): void {
  const updates = [...listRefs(repository, farPrefix(remote).slice(0, -1)).keys()].map((ref) => ({ ref, value: null, expected: null }));
  if (updates.length > 0) updateRefs(repository, updates);
  dropLocal(repository.commonDir, shown);
}

function writeSnapshot(writer: ObjectWriter, { tip, seq, state }: Observation): Oid {
  const texts = encodeState(state);
  const tree = writer.write('tree', encodeTree(stateFiles.map((name) => ({ mode: '100644', name, oid: writer.write('blob', Buffer.from(texts[name])) }))));
  const by = { name: 'coord', email: 'coord@coord.invalid', at: 0 };
  return writer.write('commit', encodeCommit({ tree, parents: [], message: `the log as of operation ${seq}\n\nSeq: ${seq}\nTip: ${tip ?? 'none'}\n` }, by, by));
}
