/** Trees and commits as the bytes that git keeps of them. */
import type { Oid } from '../core/ids.ts';
import type { Repository } from './repository.ts';

/** A name is one character a byte, so that any comes back as it was. */
export interface TreeEntry {
  readonly mode: string;
  readonly name: string;
  readonly oid: Oid;
}

export function encodeTree(entries: readonly TreeEntry[]): Buffer {
  const place = ({ mode, name }: TreeEntry): string => (mode === '40000' ? `${name}/` : name);
  return Buffer.concat(
    entries
      .toSorted((a, b) => (place(a) < place(b) ? -1 : 1))
      .flatMap(({ mode, name, oid }) => [
        Buffer.from(`${mode} ${name}\0`, 'latin1'),
        Buffer.from(oid, 'hex'),
      ]),
  );
}

export function parseTree(repository: Repository, body: Buffer): readonly TreeEntry[] {
  const width = repository.hash === 'sha1' ? 20 : 32;
  const entries: TreeEntry[] = [];
  for (let at = 0; at < body.length; ) {
    const end = body.indexOf(0, at);
    const gap = body.indexOf(32, at);
    entries.push({
      mode: body.toString('latin1', at, gap),
      name: body.toString('latin1', gap + 1, end),
      oid: body.toString('hex', end + 1, end + 1 + width),
    });
    at = end + 1 + width;
  }
  return entries;
}

interface Commit {
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  readonly message: string;
}

interface ReadCommit extends Commit {
  /** Name and address, without the time. */
  readonly author: string;
}

export interface Ident {
  readonly name: string;
  readonly email: string;
  readonly at: number;
}

function show({ name, email, at }: Ident): string {
  return `${name} <${email}> ${Math.floor(at / 1_000)} +0000`;
}

export function encodeCommit(commit: Commit, author: Ident, committer: Ident): Buffer {
  return Buffer.from(
    [
      `tree ${commit.tree}`,
      ...commit.parents.map((parent) => `parent ${parent}`),
      `author ${show(author)}`,
      `committer ${show(committer)}`,
      '',
      commit.message,
    ].join('\n'),
  );
}

/** As git puts it there: behind the other headers, each further line moved in by a space. */
export function withSignature(body: Buffer, signature: string): Buffer {
  const gap = body.indexOf('\n\n');
  return Buffer.concat([
    body.subarray(0, gap + 1),
    Buffer.from(`gpgsig ${signature.replaceAll('\n', '\n ')}\n`),
    body.subarray(gap + 1),
  ]);
}

export function splitSignature(body: Buffer): {
  readonly payload: Buffer;
  readonly signature: string | null;
} {
  const text = body.toString('latin1');
  const head = text.slice(0, text.indexOf('\n\n') + 1);
  const [found, value] = /^gpgsig(?:-sha256)? (.*\n(?: .*\n)*)/m.exec(head) ?? [];
  if (found === undefined || value === undefined) return { payload: body, signature: null };
  return {
    payload: Buffer.from(head.replace(found, '') + text.slice(head.length), 'latin1'),
    signature: value.replaceAll('\n ', '\n').trimEnd(),
  };
}

export function parseCommit(body: Buffer): ReadCommit {
  const text = body.toString('utf8');
  const gap = text.indexOf('\n\n');
  const head = text.slice(0, gap < 0 ? text.length : gap).split('\n');
  const values = (key: string): string[] =>
    head.filter((line) => line.startsWith(`${key} `)).map((line) => line.slice(key.length + 1));
  return {
    tree: values('tree')[0] ?? '',
    parents: values('parent'),
    author: (values('author')[0] ?? '').replace(/ \d+ [+-]\d+$/, ''),
    message: gap < 0 ? '' : text.slice(gap + 2),
  };
}
