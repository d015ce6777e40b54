/**
 * git has one stack of stashes for everybody. Before a session pushes to it, coord notes what was on top
 * then, and so can tell at the next look whose the new entry is; others cannot pop or drop it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { areKin, type Oid } from '../core/ids.ts';
import { readLocal, writeLocal } from '../git/local.ts';
import type { Repository } from '../git/repository.ts';

const owners = 'stash-owners';

interface Entry {
  readonly oid: Oid;
  /** What was on top before it; null at the bottom. */
  readonly before: Oid | null;
  readonly name: string;
}

/** Newest first, as `stash@{0}`, `stash@{1}` ... */
function stack({ commonDir }: Repository): readonly Entry[] {
  try {
    const oids = [...readFileSync(join(commonDir, 'logs', 'refs', 'stash'), 'utf8').matchAll(/^[0-9a-f]+ ([0-9a-f]+) /gm)].map((match) => match[1] ?? '');
    return oids.map((oid, i) => ({ oid, before: oids[i - 1] ?? null })).reverse().map((entry, i) => ({ ...entry, name: `stash@{${i}}` }));
  } catch {
    return [];
  }
}

/** By entry; what was noted and has come to nothing is forgotten. */
function ownersOf(repository: Repository, entries: readonly Entry[]): ReadonlyMap<Oid, string> {
  const known = new Map<Oid, string>();
  for (const line of (readLocal(repository.commonDir, owners) ?? '').split('\n')) {
    const [kind, oid = '', agent = ''] = line.split(' ');
    const entry = kind === 'on' ? entries.find(({ before }) => (before ?? 'nothing') === oid) : entries.find((candidate) => candidate.oid === oid);
    if (entry !== undefined && agent !== '' && !known.has(entry.oid)) known.set(entry.oid, agent);
  }
  return known;
}

/** Settles what is known, since taking an entry out of the middle changes what the others stand on. */
export function noteStash(repository: Repository, agent: string | null): void {
  const entries = stack(repository);
  const lines = [...ownersOf(repository, entries)].map(([oid, owner]) => `is ${oid} ${owner}`);
  const next = agent === null ? [] : [`on ${entries[0]?.oid ?? 'nothing'} ${agent}`];
  if (lines.length + next.length > 0) writeLocal(repository.commonDir, owners, `${[...lines, ...next].join('\n')}\n`);
}

const takes: readonly string[] = ['pop', 'drop', 'apply', 'branch', 'clear'];

/** Entries of others that this would take, with their owners; of an entry that nobody noted nothing is said. */
export function stashesOfOthers(repository: Repository, [verb, sub = '', ...rest]: readonly string[], me: string): readonly { readonly name: string; readonly agent: string }[] {
  if (verb !== 'stash' || !takes.includes(sub)) return [];
  const entries = stack(repository);
  const known = ownersOf(repository, entries);
  const said = Number(rest.map((word) => /^(?:(?:refs\/)?stash@\{)?(\d+)\}?$/.exec(word)?.[1]).find((number) => number !== undefined) ?? 0);
  const meant = sub === 'clear' ? entries : entries.slice(said, said + 1);
  return meant.flatMap(({ oid, name }) => {
    const agent = known.get(oid);
    return agent === undefined || areKin(agent, me) ? [] : [{ name, agent }];
  });
}
