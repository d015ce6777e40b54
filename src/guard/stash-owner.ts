/**
 * git has one stack of stashes for everybody. Who pushed an entry is noted as its ref moves; others
 * cannot pop or drop it. What nobody noted was pushed while no session was open: it is a person's.
 */
import { areKin, type Oid } from '../core/ids.ts';
import { readLocal, writeLocal } from '../git/local.ts';
import { stashes } from '../git/reflog.ts';
import type { Repository } from '../git/repository.ts';
import type { Who } from './evaluate.ts';

const owners = 'stash-owners';

function ownersOf({ commonDir }: Repository): ReadonlyMap<Oid, string> {
  const lines = (readLocal(commonDir, owners) ?? '').split('\n');
  return new Map(
    lines.flatMap((line) => {
      const [, oid, agent] = /^([0-9a-f]{40,64}) (.+)$/.exec(line) ?? [];
      return oid === undefined || agent === undefined ? [] : [[oid, agent] as const];
    }),
  );
}

export function isStashed(repository: Repository, entry: Oid): boolean {
  return stashes(repository).includes(entry);
}

/** An agent has pushed this entry; what is on the stack no more is forgotten. */
export function noteStash(repository: Repository, entry: Oid, agent: string): void {
  const present = new Set(stashes(repository));
  const kept = [...ownersOf(repository)].filter(([oid]) => present.has(oid) && oid !== entry);
  const lines = [...kept, [entry, agent]].map(([oid, owner]) => `${oid} ${owner}\n`);
  writeLocal(repository.commonDir, owners, lines.join(''));
}

export interface StashEntry {
  readonly name: string;
  /** Null for a person. */
  readonly agent: string | null;
}

const takes: readonly string[] = ['pop', 'drop', 'apply', 'branch', 'clear'];

/** As git lets an entry be named. */
export const stashEntry: RegExp = /^(?:(?:refs\/)?stash@\{)?(\d+)\}?$/;

/** Entries of others that this would take. */
export function stashesOfOthers(
  repository: Repository,
  [verb, sub = '', ...rest]: readonly string[],
  me: Who,
): readonly StashEntry[] {
  if (verb !== 'stash' || !takes.includes(sub)) return [];
  const entries = entriesOf(repository);
  const numbers = rest.map((word) => stashEntry.exec(word)?.[1]);
  const said = Number(numbers.find((number) => number !== undefined) ?? 0);
  const meant = sub === 'clear' ? entries : entries.slice(said, said + 1);
  return meant.filter((entry) => !isOwn(entry, me));
}

/** What the caller has pushed itself, newest first. */
export function ownStashes(repository: Repository, me: Who): readonly string[] {
  return entriesOf(repository)
    .filter((entry) => isOwn(entry, me))
    .map(({ name }) => name);
}

function isOwn({ agent }: StashEntry, { isAgent, name }: Who): boolean {
  return agent === null ? !isAgent : areKin(agent, name());
}

function entriesOf(repository: Repository): readonly StashEntry[] {
  const known = ownersOf(repository);
  return stashes(repository).map((oid, i) => ({
    name: `stash@{${i}}`,
    agent: known.get(oid) ?? null,
  }));
}
