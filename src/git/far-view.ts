/**
 * What a person may look at of a remote log with plain git: its view under `refs/coord-remote/<name>/`,
 * and the newest state as a commit without parents, so that no chain of it hangs in the user's
 * repository. Made from the copy, never read to decide, and out of reach of the user's own fetches.
 */
import type { Oid } from '../core/ids.ts';
import { encodeState, stateFiles } from '../core/state.ts';
import type { Observation } from './log-store.ts';
import { dropLocal, readLocal, writeLocal } from './local.ts';
import { encodeCommit, encodeTree } from './object-text.ts';
import { hashObject, storeObjects, type ObjectWriter } from './objects.ts';
import { listRefs, updateRefs, type RefUpdate } from './refs.ts';
import type { Repository } from './repository.ts';
import { recordOf, viewOf, writeRecord } from './view.ts';

const shown = 'remote/shown';

export function farPrefix(remote: string): string {
  return `refs/coord-remote/${remote}/`;
}

/** Writes what differs. False where it could not, which only leaves the picture old. */
export async function publishFarView(repository: Repository, remote: string, at: Observation): Promise<boolean> {
  const note = `${remote} ${at.tip ?? ''}`;
  if (readLocal(repository.commonDir, shown) === note) return true;
  const objects = new Map<Oid, Buffer>();
  const writer: ObjectWriter = { write: (kind, body) => {
    const { oid, store } = hashObject(repository, kind, body);
    objects.set(oid, store);
    return oid;
  } };
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
