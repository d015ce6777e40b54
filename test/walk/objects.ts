/**
 * Reads git objects without starting git where they are loose, which most are: the walk looks at
 * every new commit after every step. What has been packed meanwhile is asked of `git cat-file`.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import type { Environment } from '../support/repository.ts';
import { linesIn } from './lines.ts';

export interface CommitRead {
  readonly oid: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
}

/** A path is `mode oid`; a file that is not there has no entry. */
export type Listing = ReadonlyMap<string, string>;

export const nothing: Listing = new Map();

export function blobOid(content: Buffer): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}

export class Objects {
  readonly #dir: string;
  readonly #env: Environment;
  readonly #commits = new Map<string, CommitRead | null>();
  readonly #trees = new Map<string, readonly (readonly [string, string, string])[]>();
  readonly #listings = new Map<string, Listing>();
  readonly #lines = new Map<string, readonly string[]>();
  readonly #fresh = new Map<string, readonly string[]>();

  constructor(gitDir: string, env: Environment) {
    this.#dir = gitDir;
    this.#env = env;
  }

  /** Null where there is no such object here. */
  #read(oid: string): { readonly type: string; readonly data: Buffer } | null {
    try {
      const raw = inflateSync(
        readFileSync(join(this.#dir, 'objects', oid.slice(0, 2), oid.slice(2))),
      );
      const end = raw.indexOf(0);
      return { type: raw.toString('latin1', 0, raw.indexOf(32)), data: raw.subarray(end + 1) };
    } catch {
      return this.#asked(oid);
    }
  }

  #asked(oid: string): { readonly type: string; readonly data: Buffer } | null {
    const { stdout } = spawnSync('git', [`--git-dir=${this.#dir}`, 'cat-file', '--batch'], {
      input: `${oid}\n`,
      env: { ...this.#env },
      maxBuffer: 1 << 26,
    });
    const end = stdout.indexOf(10);
    const [, type = 'missing', size = '0'] = stdout.toString('latin1', 0, end).split(' ');
    return type === 'missing'
      ? null
      : { type, data: stdout.subarray(end + 1, end + 1 + Number(size)) };
  }

  commit(oid: string): CommitRead | null {
    const known = this.#commits.get(oid);
    if (known !== undefined) return known;
    const found = this.#read(oid);
    if (found !== null && found.type === 'tag') {
      return this.commit(/^object ([0-9a-f]+)$/m.exec(found.data.toString('utf8'))?.[1] ?? '');
    }
    const read =
      found === null || found.type !== 'commit' ? null : parsed(oid, found.data.toString('utf8'));
    this.#commits.set(oid, read);
    return read;
  }

  #tree(oid: string): readonly (readonly [string, string, string])[] {
    const known = this.#trees.get(oid);
    if (known !== undefined) return known;
    const data = this.#read(oid)?.data ?? Buffer.alloc(0);
    const entries: (readonly [string, string, string])[] = [];
    for (let at = 0; at < data.length; ) {
      const [space, end] = [data.indexOf(32, at), data.indexOf(0, at)];
      const hash = data.toString('hex', end + 1, end + 21);
      entries.push([
        data.toString('latin1', at, space),
        data.toString('utf8', space + 1, end),
        hash,
      ]);
      at = end + 21;
    }
    this.#trees.set(oid, entries);
    return entries;
  }

  /** All files of a commit. */
  listing(commit: string | null): Listing {
    const read = commit === null ? null : this.commit(commit);
    if (read === null) return nothing;
    const known = this.#listings.get(read.tree);
    if (known !== undefined) return known;
    const files = new Map<string, string>();
    const visit = (tree: string, under: string): void => {
      for (const [mode, name, oid] of this.#tree(tree)) {
        if (mode === '40000') visit(oid, `${under}${name}/`);
        else files.set(`${under}${name}`, `${mode} ${oid}`);
      }
    };
    visit(read.tree, '');
    this.#listings.set(read.tree, files);
    return files;
  }

  linesOfBlob(oid: string): readonly string[] {
    const known = this.#lines.get(oid);
    if (known !== undefined) return known;
    const lines = linesIn(this.#read(oid)?.data.toString('utf8') ?? '');
    this.#lines.set(oid, lines);
    return lines;
  }

  textOfBlob(oid: string): string {
    return this.#read(oid)?.data.toString('utf8') ?? '';
  }

  linesOf(commit: string | null): ReadonlySet<string> {
    return linesAmong(this, this.listing(commit));
  }

  /** The lines of the files that differ from those of the first parent. */
  freshLines(commit: string): readonly string[] {
    const known = this.#fresh.get(commit);
    if (known !== undefined) return known;
    const before = this.listing(this.commit(commit)?.parents[0] ?? null);
    const fresh: string[] = [];
    for (const [path, entry] of this.listing(commit)) {
      if (before.get(path) !== entry && !entry.startsWith('160000')) {
        fresh.push(...this.linesOfBlob(entry.slice(-40)));
      }
    }
    this.#fresh.set(commit, fresh);
    return fresh;
  }

  /** Everything that can be reached from these commits. */
  reach(tips: Iterable<string>): Set<string> {
    const seen = new Set<string>();
    const left = [...tips];
    for (let oid = left.pop(); oid !== undefined; oid = left.pop()) {
      const commit = this.commit(oid);
      if (commit === null || seen.has(commit.oid)) continue;
      seen.add(commit.oid);
      left.push(...commit.parents);
    }
    return seen;
  }
}

export function linesAmong(objects: Objects, listing: Listing): ReadonlySet<string> {
  const lines = new Set<string>();
  for (const entry of listing.values()) {
    if (entry.startsWith('160000')) continue;
    for (const line of objects.linesOfBlob(entry.slice(-40))) lines.add(line);
  }
  return lines;
}

/** What differs between two listings: the path, and how it is in the second. */
export function changes(before: Listing, after: Listing): ReadonlyMap<string, string | null> {
  const found = new Map<string, string | null>();
  for (const [path, entry] of after) if (before.get(path) !== entry) found.set(path, entry);
  for (const path of before.keys()) if (!after.has(path)) found.set(path, null);
  return found;
}

function parsed(oid: string, text: string): CommitRead {
  const [head = '', ...body] = text.split('\n\n');
  return {
    oid,
    tree: /^tree ([0-9a-f]+)/.exec(head)?.[1] ?? '',
    parents: [...head.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, parent = '']) => parent),
    message: body.join('\n\n'),
  };
}
