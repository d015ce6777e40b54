/** Files that several change, as those who do see them: whose lines there are, and each one's part. */
import { join } from 'node:path';
import { nameOf } from '../core/agent.ts';
import type { Oid } from '../core/ids.ts';
import type { AgentName } from '../core/lease.ts';
import {
  fileOf,
  type LineRecord,
  nobodyKnown,
  type Owner,
  ownersOf,
  versionOf,
} from '../core/lines/record.ts';
import type { Lines } from '../core/lines/split.ts';
import { writeObject } from '../git/objects.ts';
import type { Repository } from '../git/repository.ts';
import type { Observation } from '../log/log-store.ts';
import { lineFileAt } from './line-store.ts';
import { lookAtLines } from './lines.ts';
import { candidates } from './maybe-by.ts';
import { statOf } from './vanished.ts';

/** Null where there are none. */
export function sharedLines(repository: Repository, path: string): LineRecord | null {
  if (lineFileAt(repository, path) === null) return null;
  const lines = lookAtLines(repository, path)?.file.lines ?? [];
  return ownersOf(lines).length === 0 ? null : lines;
}

/** Null for nobody that is known. */
export function ownerNamed({ state }: Observation, owner: Owner): AgentName | null {
  // One of several commands that are still under way is nobody yet.
  if (owner === nobodyKnown || candidates(owner).length > 0) return null;
  const agent = state.agents.get(owner);
  if (agent !== undefined) return nameOf(agent);
  // A session that has ended leaves its lines under its name.
  return { id: owner, name: /^[0-9a-z]{8}$/.test(owner) ? 'unknown' : owner };
}

interface Sharer {
  readonly agent: AgentName | null;
  readonly isHeld: boolean;
}

/** Whoever has lines in it; what nobody is known to have changed may be any holder's. */
export function sharersOf(
  at: Observation,
  lines: LineRecord,
  holders: readonly AgentName[],
): readonly Sharer[] {
  const owners = ownersOf(lines);
  const silent = owners.includes(nobodyKnown)
    ? holders.filter(({ id }) => !owners.includes(id))
    : [];
  return [
    ...owners.map((owner) => ({
      agent: ownerNamed(at, owner),
      isHeld: holders.some(({ id }) => id === owner),
    })),
    ...silent.map((agent) => ({ agent, isHeld: true })),
  ];
}

/** Lines hold a byte a character. */
export function asBytes(lines: Lines): Buffer {
  return Buffer.from(lines.join(''), 'latin1');
}

export function writeLines(repository: Repository, lines: Lines): Oid {
  return writeObject(repository, 'blob', asBytes(lines));
}

/** What is committed with the lines of these alone; null where they have taken it all away. */
export function partEntry(
  repository: Repository,
  path: string,
  lines: LineRecord,
  isTheirs: (owner: Owner) => boolean,
): { readonly mode: string; readonly oid: Oid } | null {
  const stat = statOf(join(repository.top, path));
  const version = versionOf(lines, isTheirs);
  if (stat === undefined && fileOf(lines).length === 0 && version.length === 0) return null;
  const mode = ((stat?.mode ?? 0) & 0o111) === 0 ? '100644' : '100755';
  return { mode, oid: writeLines(repository, version) };
}
