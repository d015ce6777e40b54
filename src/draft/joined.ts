/**
 * What was kept of a file that several change is one agent's part of it: only these lines come
 * back, into what is there now.
 */
import { join } from 'node:path';
import type { RealWorld } from '../agent/world.ts';
import { CoordError } from '../core/errors.ts';
import type { Oid } from '../core/ids.ts';
import { merge } from '../core/lines/merge.ts';
import { type Lines, split } from '../core/lines/split.ts';
import { askObjects } from '../git/read-objects.ts';
import type { Repository } from '../git/repository.ts';
import type { Observation } from '../log/log-store.ts';
import { linesNow } from './brought-up.ts';
import { ownerOf, ownership } from './in-hand.ts';
import { lineFileAt } from './line-store.ts';
import { filesOf } from './rescued.ts';
import { rewriteShared } from './rewritten.ts';
import { writeLines } from './shared-lines.ts';
import { partsIn, type Saved, type SavedEntry } from './snapshot.ts';
import { statOf } from './vanished.ts';

interface Joined {
  /** As they would be below that folder. */
  readonly files: readonly SavedEntry[];
  /** Those that go into what is there. */
  readonly parts: readonly string[];
  /** Of these what is there now touches what was kept. */
  readonly conflicts: readonly string[];
}

export function joined(world: RealWorld, saved: Saved, below: string): Joined {
  const { repository } = world;
  const bases = partsIn(repository, saved);
  const conflicts: string[] = [];
  const parts: string[] = [];
  const files = filesOf(world, saved).map((entry): SavedEntry => {
    const { path, oid } = entry;
    const base = bases.get(path);
    const place = join(below, path);
    if (base === undefined || statOf(join(repository.top, place))?.isFile() !== true) return entry;
    parts.push(path);
    const text = joinedText(repository, place, base, oid);
    if (text !== null) return { ...entry, oid: writeLines(repository, text) };
    conflicts.push(path);
    return entry;
  });
  return { files, parts, conflicts };
}

/** Null where they touch. */
function joinedText(repository: Repository, path: string, base: Oid, kept: Oid): Lines | null {
  const [from, to] = [textOf(repository, base), textOf(repository, kept)];
  return from === null || to === null ? null : merge(from, linesNow(repository, path), to);
}

function textOf(repository: Repository, oid: Oid): Lines | null {
  const [found = null] = askObjects(repository, [oid]);
  return found === null ? null : split(found.body.toString('latin1'));
}

/** Where several change the file still, the lines that come back are the caller's. */
export function joinShared(
  world: RealWorld,
  at: Observation,
  below: string,
  { files, parts }: Joined,
): readonly string[] {
  const { repository, clock } = world;
  const owner = ownerOf(ownership(world, at).owner);
  return files.flatMap(({ path, oid }) => {
    const place = join(below, path);
    if (!parts.includes(path) || lineFileAt(repository, place) === null) return [];
    const came = rewriteShared(repository, {
      path: place,
      owner,
      at: clock.now().at,
      text: () => textOf(repository, oid),
      keep: () => {},
    });
    if (came === 'moved')
      throw new CoordError('busy', `'${place}' has changed meanwhile`, 'try again');
    return [path];
  });
}
