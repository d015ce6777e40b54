/**
 * git has one stack of stashes for everybody. Who pushed an entry is noted as its ref moves; others
 * cannot pop or drop it. What nobody noted was pushed while no session was open: it is a person's.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { areKin, type Oid } from '../core/ids.ts';
import { readLocal, writeLocal } from '../git/local.ts';
import type { Repository } from '../git/repository.ts';

const owners = 'stash-owners';

/** Newest first, as `stash@{0}`, `stash@{1}` ... */
function stack({ commonDir }: Repository): readonly Oid[] {
  try {
    const text = readFileSync(join(commonDir, 'logs', 'refs', 'stash'), 'utf8');
    return [...text.matchAll(/^[0-9a-f]+ ([0-9a-f]+) /gm)].map(([, oid = '']) => oid).reverse();
  } catch {
    return [];
  }
}

function ownersOf({ commonDir }: Repository): ReadonlyMap<Oid, string> {
  const lines = (readLocal(commonDir, owners) ?? '').split('\n');
  return new Map(lines.flatMap((line) => {
    const [, oid, agent] = /^([0-9a-f]{40,64}) (.+)$/.exec(line) ?? [];
    return oid === undefined || agent === undefined ? [] : [[oid, agent] as const];
  }));
}

/** An agent has pushed this entry; what is on the stack no more is forgotten. */
export function noteStash(repository: Repository, entry: Oid, agent: string): void {
  const present = new Set(stack(repository));
  const kept = [...ownersOf(repository)].filter(([oid]) => present.has(oid) && oid !== entry);
  const lines = [...kept, [entry, agent]].map(([oid, owner]) => `${oid} ${owner}\n`);
  writeLocal(repository.commonDir, owners, lines.join(''));
}

const takes: readonly string[] = ['pop', 'drop', 'apply', 'branch', 'clear'];

/** Entries of others that this would take, with their owners: null for a person. */
export function stashesOfOthers(
  repository: Repository,
  [verb, sub = '', ...rest]: readonly string[],
  me: string,
): readonly { readonly name: string; readonly agent: string | null }[] {
  if (verb !== 'stash' || !takes.includes(sub)) return [];
  const entries = stack(repository).map((oid, i) => ({ oid, name: `stash@{${i}}` }));
  const known = ownersOf(repository);
  const numbers = rest.map((word) => /^(?:(?:refs\/)?stash@\{)?(\d+)\}?$/.exec(word)?.[1]);
  const said = Number(numbers.find((number) => number !== undefined) ?? 0);
  const meant = sub === 'clear' ? entries : entries.slice(said, said + 1);
  return meant.flatMap(({ oid, name }) => {
    const agent = known.get(oid) ?? null;
    return agent !== null && areKin(agent, me) ? [] : [{ name, agent }];
  });
}
