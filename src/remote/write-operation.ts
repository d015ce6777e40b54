/** An operation on top of another one, kept in the copy of a remote log and sent nowhere yet. */
import type { Entry } from '../core/entry.ts';
import type { Oid } from '../core/ids.ts';
import type { State } from '../core/state.ts';
import { hashObject, placeObjects } from '../git/objects.ts';
import type { Observation } from '../log/log-store.ts';
import type { RemoteCopy } from './remote-copy.ts';

export function writeOperation(
  { repository, operations }: RemoteCopy,
  from: Observation,
  entry: Entry,
  state: State,
): Oid {
  const objects = new Map<Oid, Buffer>();
  const writer = {
    write: (kind: Parameters<typeof hashObject>[1], body: Buffer): Oid => {
      const hashed = hashObject(repository, kind, body);
      objects.set(hashed.oid, hashed.store);
      return hashed.oid;
    },
  };
  const oid = operations.write(writer, from, entry, state);
  placeObjects(repository, [...objects]);
  return oid;
}
