/**
 * All that a work tree holds, as git objects: the files byte for byte, whatever filters and line
 * ends git would apply, and what is staged. A name is one character a byte, so that any comes back
 * as it was. What git ignores, and repositories within, are no part of it.
 */
import { lstatSync, readFileSync, readlinkSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { CoordError } from '../core/errors.ts';
import type { Oid } from '../core/ids.ts';
import { asText, fileAt } from './byte-names.ts';
import { treeOf } from './files-at.ts';
import { headOf } from './head.ts';
import { writeObject } from './objects.ts';
import { isMissing } from './read-objects.ts';
import type { Repository } from './repository.ts';
import { type Ask, onDraftOf } from './tested-tree.ts';

export interface TreeContent {
  /** Of all files as they are. */
  readonly tree: Oid;
  /** Of what is staged, where that is neither what HEAD has nor what the files are. */
  readonly staged: Oid | null;
  /** How many files are not as HEAD has them. */
  readonly changed: number;
  /** Folders that are repositories of their own: submodules that are there, and others. */
  readonly inner: readonly string[];
  /** Permissions that a tree cannot tell, of files that are not as HEAD has them, and their folders. */
  readonly modes: Readonly<Record<string, number>>;
  /** Most of its files are not there: it is being made, or taken away. */
  readonly isHalfGone: boolean;
}

/** So few files may all go in one step of work. */
const mostAtOnce = 20;

/** A file may go while it is read; then all of it is looked at again. */
const mostTries = 4;

export function contentOf(
  repository: Repository,
  mostBytes: number = Number.POSITIVE_INFINITY,
): TreeContent {
  const index = join(repository.gitDir, 'index');
  for (let tries = 1; ; tries += 1) {
    try {
      return onDraftOf(repository, index, (ask) => contentBy(repository, ask, mostBytes));
    } catch (error) {
      if (!(error instanceof CoordError) || tries >= mostTries) throw error;
    }
  }
}

function contentBy(repository: Repository, ask: Ask, mostBytes: number): TreeContent {
  const { oid: head } = headOf(repository);
  const atHead = head === null ? null : treeOf(repository, head);
  const listed = namesIn(
    ask(['ls-files', '-z', '-m', '-d', '-o', '--exclude-standard'], '', 'latin1'),
  );
  const entries = entriesIn(ask);
  const links = entries.flatMap(({ mode, name }) => (mode === '160000' ? name : []));
  const tracked = Math.max(mostAtOnce, entries.length);
  settleUnmerged(
    ask,
    entries.filter(({ stage }) => stage !== '0'),
  );
  const staged = ask(['write-tree']).trim();
  const stats = new Map(listed.map((name) => [name, lookAt(repository, name)] as const));
  const isFolder = (name: string): boolean => stats.get(name)?.isDirectory() === true;
  const isLarge = (name: string): boolean => (stats.get(name)?.size ?? 0) > mostBytes;
  const files = listed.filter((name) => !isFolder(name) && !links.includes(name) && !isLarge(name));
  putInIndex(repository, ask, files, stats);
  const tree = ask(['write-tree']).trim();
  return {
    tree,
    staged: staged === atHead || staged === tree ? null : staged,
    changed: tree === atHead ? 0 : changedNames(ask, atHead, tree).length,
    inner: [
      ...listed.filter(isFolder).map((name) => name.replace(/\/$/, '')),
      ...links.filter((name) => !isFolder(name) && isPopulated(repository, name)),
    ].map(asText),
    modes: modesOf(repository, files, stats),
    isHalfGone: 2 * listed.filter((name) => stats.get(name) === undefined).length > tracked,
  };
}

function namesIn(text: string): readonly string[] {
  return [...new Set(text.split('\0'))].filter((name) => name !== '');
}

function modesOf(
  repository: Repository,
  names: readonly string[],
  stats: ReadonlyMap<string, Looked | undefined>,
): Readonly<Record<string, number>> {
  const folders = new Set(
    names.flatMap((name) => name.split('/').map((_, i, parts) => parts.slice(0, i).join('/'))),
  );
  const modes: Record<string, number> = {};
  for (const name of [...folders, ...names].filter((one) => one !== '')) {
    const stat = stats.get(name) ?? lookAt(repository, name);
    const mode = (stat?.mode ?? 0) & 0o7777;
    const isUsual = [0o644, 0o755].includes(mode) || stat === undefined || stat.isSymbolicLink();
    if (!isUsual) modes[name] = mode;
  }
  return modes;
}

interface IndexEntry {
  readonly mode: string;
  readonly oid: Oid;
  readonly stage: string;
  readonly name: string;
}

function entriesIn(ask: Ask): readonly IndexEntry[] {
  return ask(['ls-files', '-z', '-s'], '', 'latin1')
    .split('\0')
    .flatMap((row) => {
      const [, mode = '', oid = '', stage = '', name = ''] =
        /^(\d+) (\S+) (\d)\t(.*)$/s.exec(row) ?? [];
      return name === '' ? [] : [{ mode, oid, stage, name }];
    });
}

function isPopulated(repository: Repository, name: string): boolean {
  return lookAt(repository, `${name}/.git`) !== undefined;
}

/** Of a path with several versions, the one of this side: the others are in commits. */
function settleUnmerged(ask: Ask, unmerged: readonly IndexEntry[]): void {
  if (unmerged.length === 0) return;
  const versions = new Map<string, IndexEntry>();
  for (const entry of unmerged)
    if (entry.stage === '2' || !versions.has(entry.name)) versions.set(entry.name, entry);
  const lines = [...versions].flatMap(([name, { mode, oid }]) => [
    `0 ${'0'.repeat(oid.length)}\t${name}\0`,
    `${mode} ${oid}\t${name}\0`,
  ]);
  ask(['update-index', '-z', '--index-info'], Buffer.from(lines.join(''), 'latin1'));
}

type Looked = Pick<Stats, 'isDirectory' | 'isSymbolicLink' | 'isFile' | 'mode' | 'size'>;

function lookAt(repository: Repository, name: string): Looked | undefined {
  try {
    return lstatSync(fileAt(repository.top, name), { throwIfNoEntry: false });
  } catch (error) {
    // A file stands where its folder was.
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function putInIndex(
  repository: Repository,
  ask: Ask,
  names: readonly string[],
  stats: ReadonlyMap<string, Looked | undefined>,
): void {
  if (names.length === 0) return;
  const gone = `0 ${'0'.repeat(repository.hash === 'sha1' ? 40 : 64)}`;
  const oids = blobsOf(
    repository,
    ask,
    names.filter((name) => stats.get(name)?.isFile() === true),
  );
  const lines = names.map((name) => {
    const stat = stats.get(name);
    if (stat?.isSymbolicLink() === true) {
      const target = readlinkSync(fileAt(repository.top, name), 'buffer');
      return `120000 ${writeObject(repository, 'blob', target)}\t${name}\0`;
    }
    const oid = oids.get(name);
    const mode = stat !== undefined && (stat.mode & 0o111) !== 0 ? '100755' : '100644';
    // A socket or a pipe holds nothing.
    return oid === undefined ? `${gone}\t${name}\0` : `${mode} ${oid}\t${name}\0`;
  });
  // First what goes: a file may stand where a folder was.
  lines.sort((a, b) => Number(b.startsWith(gone)) - Number(a.startsWith(gone)));
  ask(['update-index', '-z', '--replace', '--index-info'], Buffer.from(lines.join(''), 'latin1'));
}

function blobsOf(
  repository: Repository,
  ask: Ask,
  names: readonly string[],
): ReadonlyMap<string, Oid> {
  // git reads a name that begins so as one in quotes.
  const isOdd = (name: string): boolean => /\n|^"/.test(name);
  const plain = names.filter((name) => !isOdd(name));
  const oids =
    plain.length === 0
      ? []
      : ask(
          ['hash-object', '-w', '--no-filters', '--stdin-paths'],
          Buffer.from(plain.map((name) => `${name}\n`).join(''), 'latin1'),
        ).split('\n');
  return new Map([
    ...plain.map((name, i) => [name, oids[i] ?? ''] as const),
    ...names
      .filter(isOdd)
      .map(
        (name) =>
          [
            name,
            writeObject(repository, 'blob', readFileSync(fileAt(repository.top, name))),
          ] as const,
      ),
  ]);
}

function changedNames(ask: Ask, before: Oid | null, after: Oid): readonly string[] {
  const args = before === null ? ['ls-tree', '-r', '-z', '--name-only', after] : null;
  const compared = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', before ?? '', after];
  return namesIn(ask(args ?? compared, '', 'latin1'));
}
