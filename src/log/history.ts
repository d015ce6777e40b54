/**
 * Reading the log backwards from a commit, and forwards from a place, across roots as far as they
 * are kept.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEntry } from '../core/entry.ts';
import { CoordError } from '../core/errors.ts';
import type { Oid } from '../core/ids.ts';
import { type Meta, readMeta } from '../core/record.ts';
import { parseCommit, parseTree } from '../git/object-text.ts';
import { askObjects, readLoose, readObject } from '../git/read-objects.ts';
import type { Repository } from '../git/repository.ts';
import { runGit } from '../git/run-git.ts';
import type { Found, LoggedEntry, Observation } from './log-store.ts';

interface ChainLink extends LoggedEntry {
  readonly parent: Oid | null;
  readonly tree: Oid;
}

export function readLink(repository: Repository, oid: Oid): ChainLink {
  const commit = parseCommit(readObject(repository, oid, 'commit'));
  const parent = commit.parents[0] ?? null;
  return {
    ...parseEntry(commit.message, oid),
    oid,
    parent: parent !== null && isCutOff(repository, oid) ? null : parent,
    tree: commit.tree,
  };
}

/** What a shallow fetch has left out is not there to be read. */
function isCutOff({ commonDir }: Repository, oid: Oid): boolean {
  try {
    return readFileSync(join(commonDir, 'shallow'), 'latin1').includes(oid);
  } catch {
    return false;
  }
}

/**
 * The operation with this nonce, from the tip back to `floor` (exclusive) or to the root, which
 * knows some of what came before.
 */
export function findNonce(
  repository: Repository,
  nonce: string,
  tip: Oid | null,
  floor: Oid | null,
): Found | null {
  let last: ChainLink | null = null;
  for (const link of chain(repository, tip, floor)) {
    if (link.nonce === nonce) return { oid: link.oid, entry: link };
    last = link;
  }
  // Where a root was reached, only it knows what came before.
  if (last === null || last.parent !== null) return null;
  return noncesAt(repository, last.tree).some((kept) => kept.endsWith(`:${nonce}`))
    ? { oid: null, entry: null }
    : null;
}

/** From `tip` back to `floor` (exclusive) or to the root. */
export function* chain(
  repository: Repository,
  tip: Oid | null,
  floor: Oid | null,
): Generator<ChainLink> {
  for (let at = tip; at !== null && at !== floor; ) {
    const link = readLink(repository, at);
    yield link;
    at = link.parent;
  }
}

/** In the tree of a root alone: what it remembers of the operations before it. */
export const noncesFile = 'nonces';

export function noncesAt(repository: Repository, tree: Oid): readonly string[] {
  const entry = parseTree(repository, readObject(repository, tree, 'tree')).find(
    ({ name }) => name === noncesFile,
  );
  return entry === undefined
    ? []
    : readObject(repository, entry.oid, 'blob')
        .toString('utf8')
        .split('\n')
        .filter((line) => line !== '');
}

/** Is the object there, loose or packed? */
function hasObject(repository: Repository, oid: Oid): boolean {
  return readLoose(repository, oid) !== null || (askObjects(repository, [oid])[0] ?? null) !== null;
}

/** One git for each root, since each chain is read whole by it; the roots lead to one another. */
export function historySince(
  repository: Repository,
  from: Observation,
  sinceSeq: number,
): readonly LoggedEntry[] {
  const newestFirst: LoggedEntry[] = [];
  let { tip, seq } = from;
  for (
    let meta: Meta | null = from.state.meta;
    tip !== null && meta !== null;
    meta = metaAt(repository, tip)
  ) {
    newestFirst.push(...readChain(repository, tip, sinceSeq, seq));
    if (
      meta.previous === null ||
      meta.rootSeq <= sinceSeq + 1 ||
      !hasObject(repository, meta.previous)
    )
      break;
    tip = meta.previous;
    seq = meta.rootSeq - 1;
  }
  return newestFirst.filter((entry) => entry.seq > sinceSeq).toReversed();
}

function readChain(
  repository: Repository,
  tip: Oid,
  sinceSeq: number,
  tipSeq: number,
): readonly LoggedEntry[] {
  const count = Math.max(1, tipSeq - sinceSeq);
  if (count <= 16) return takeWhile(chain(repository, tip, null), sinceSeq);
  const { code, stdout, stderr } = runGit(repository.git, [
    `--git-dir=${repository.commonDir}`,
    'log',
    '-z',
    '--no-show-signature',
    `--max-count=${count}`,
    '--format=%H%n%B',
    '--end-of-options',
    tip,
  ]);
  if (code !== 0)
    throw new CoordError(
      'object_missing',
      `git log failed: ${stderr.split('\n')[0] ?? ''}`,
      'coord doctor --fix',
    );
  return stdout
    .toString('utf8')
    .split('\0')
    .filter((text) => text.trim() !== '')
    .map((text) => {
      const oid = text.slice(0, text.indexOf('\n'));
      return { ...parseEntry(text.slice(oid.length + 1), oid), oid };
    });
}

function takeWhile(links: Iterable<ChainLink>, sinceSeq: number): readonly LoggedEntry[] {
  const taken: LoggedEntry[] = [];
  for (const link of links) {
    if (link.seq <= sinceSeq) break;
    taken.push(link);
  }
  return taken;
}

function metaAt(repository: Repository, tip: Oid): Meta | null {
  const [object] = askObjects(repository, [`${tip}:meta`]);
  return object === undefined || object === null
    ? null
    : readMeta(JSON.parse(object.body.toString('utf8').split('\n')[0] ?? ''));
}
