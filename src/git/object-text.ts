/** Trees and commits as the bytes that git keeps of them. */
import type { Oid } from '../core/ids.ts';
import type { Repository } from './repository.ts';

export interface TreeEntry {
  readonly mode: string;
  readonly name: string;
  readonly oid: Oid;
}

export function encodeTree(entries: readonly TreeEntry[]): Buffer {
  return Buffer.concat(entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ mode, name, oid }) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')]));
}

export function parseTree(repository: Repository, body: Buffer): readonly TreeEntry[] {
  const width = repository.hash === 'sha1' ? 20 : 32;
  const entries: TreeEntry[] = [];
  for (let at = 0; at < body.length;) {
    const end = body.indexOf(0, at);
    const [mode, name] = body.toString('utf8', at, end).split(' ', 2);
    entries.push({ mode: mode ?? '', name: name ?? '', oid: body.toString('hex', end + 1, end + 1 + width) });
    at = end + 1 + width;
  }
  return entries;
}

export interface Commit {
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  readonly message: string;
}

export interface Signature {
  readonly name: string;
  readonly email: string;
  readonly at: number;
}

function sign({ name, email, at }: Signature): string {
  return `${name} <${email}> ${Math.floor(at / 1_000)} +0000`;
}

export function encodeCommit(commit: Commit, author: Signature, committer: Signature): Buffer {
  return Buffer.from([
    `tree ${commit.tree}`,
    ...commit.parents.map((parent) => `parent ${parent}`),
    `author ${sign(author)}`,
    `committer ${sign(committer)}`,
    '',
    commit.message,
  ].join('\n'));
}

export function parseCommit(body: Buffer): Commit {
  const text = body.toString('utf8');
  const gap = text.indexOf('\n\n');
  const head = text.slice(0, gap < 0 ? text.length : gap).split('\n');
  const values = (key: string): string[] => head.filter((line) => line.startsWith(`${key} `)).map((line) => line.slice(key.length + 1));
  return { tree: values('tree')[0] ?? '', parents: values('parent'), message: gap < 0 ? '' : text.slice(gap + 2) };
}
