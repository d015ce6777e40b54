/**
 * Line records of the files of one work tree, a small file each below its git folder. They may be
 * gone at any time: then whose lines those are is no longer known, and nothing is granted by it.
 */
import type { Oid } from '../core/ids.ts';
import {
  added,
  baseOf,
  committed,
  type Entry,
  type LineRecord,
  type Owner,
} from '../core/lines/record.ts';
import type { Intent } from '../core/lines/settle.ts';
import { split } from '../core/lines/split.ts';
import { builtin } from '../git/builtin.ts';
import { dropLocal, listLocal, readLocal, writeLocal } from '../git/local.ts';
import { withLocalLock } from '../git/local-lock.ts';
import type { Repository } from '../git/repository.ts';

/** What an agent was allowed to do, and when; the call says which one it was. */
export interface Announced extends Intent {
  readonly at: number;
}

/** A file that is shared by lines. */
export interface LineFile {
  readonly path: string;
  /** The commit that the record was last brought to; null before the first. */
  readonly head: Oid | null;
  /** Its blob there; null where it is not in it. */
  readonly blob: Oid | null;
  readonly lines: LineRecord;
  readonly intents: readonly Announced[];
  /** As it was before something of it was gone that nobody had announced; the newest first. */
  readonly earlier: readonly EarlierLines[];
}

interface EarlierLines extends Pick<LineFile, 'head' | 'blob' | 'lines' | 'intents'> {
  readonly at: number;
  /** Who had more of it before. */
  readonly losers: readonly Owner[];
}

const folder = 'lines';
const format = 1;

function nameOf(path: string): string {
  const hash = builtin.crypto.createHash('sha256').update(path).digest('hex');
  return `${folder}/${hash.slice(0, 32)}`;
}

/** So many committed lines, or what somebody removed of them or added. */
type Run =
  | readonly [count: number]
  | readonly ['-', string, number]
  | readonly ['+', string, ...string[]];

interface Stored {
  readonly format: number;
  readonly path: string;
  readonly head: Oid | null;
  readonly blob: Oid | null;
  readonly runs: readonly Run[];
  readonly intents: readonly Announced[];
  readonly earlier?: readonly StoredEarlier[];
}

interface StoredEarlier extends Omit<EarlierLines, 'lines'> {
  readonly runs: readonly Run[];
  readonly base: string;
}

/** The committed lines follow as they are: a header of a long file stays short. */
function encode({ path, head, blob, lines, intents, earlier }: LineFile): string {
  const stored: Stored = {
    format,
    path,
    head,
    blob,
    runs: runsOf(lines),
    intents,
    ...(earlier.length === 0 ? {} : { earlier: earlier.map(encodeEarlier) }),
  };
  return `${JSON.stringify(stored)}\n${baseOf(lines).join('')}`;
}

function encodeEarlier({ lines, ...rest }: EarlierLines): StoredEarlier {
  return { ...rest, runs: runsOf(lines), base: baseOf(lines).join('') };
}

function runsOf(lines: LineRecord): readonly Run[] {
  const runs: Run[] = [];
  for (let at = 0; at < lines.length; ) {
    const { addedBy, removedBy } = lines[at] as Entry;
    let end = at + 1;
    while (lines[end]?.addedBy === addedBy && lines[end]?.removedBy === removedBy) end++;
    const run = lines.slice(at, end);
    if (addedBy !== null) runs.push(['+', addedBy, ...run.map(({ text }) => text)]);
    else runs.push(removedBy === null ? [run.length] : ['-', removedBy, run.length]);
    at = end;
  }
  return runs;
}

function decode(text: string): LineFile | null {
  const end = text.indexOf('\n');
  try {
    const {
      format: written,
      runs,
      earlier = [],
      ...rest
    } = JSON.parse(text.slice(0, end)) as Stored;
    const lines = linesOf(runs, text.slice(end + 1));
    if (written !== format || lines === null) return null;
    const before = earlier.flatMap(({ runs: some, base, ...of }): readonly EarlierLines[] => {
      const were = linesOf(some, base);
      return were === null ? [] : [{ ...of, lines: were }];
    });
    return { ...rest, lines, earlier: before };
  } catch {
    return null;
  }
}

function linesOf(runs: readonly Run[], text: string): LineRecord | null {
  const base = split(text);
  let at = 0;
  const lines = runs.flatMap((run): readonly Entry[] => {
    if (run[0] === '+') return run.slice(2).map((line) => added(String(line), run[1]));
    const count = run[0] === '-' ? run[2] : run[0];
    const removedBy = run[0] === '-' ? run[1] : null;
    at += count;
    return base.slice(at - count, at).map((line) => ({ ...committed(line), removedBy }));
  });
  return at === base.length ? lines : null;
}

/** Null where nobody shares it by lines; what cannot be read is as good as gone. */
export function lineFileAt({ gitDir }: Repository, path: string): LineFile | null {
  const text = readLocal(gitDir, nameOf(path));
  return text === null ? null : decode(text);
}

/** One at a time looks, decides and writes; null as the new one drops it. */
export function withLineFile<T>(
  repository: Repository,
  path: string,
  work: (file: LineFile | null) => { readonly file: LineFile | null; readonly result: T },
): T {
  const { gitDir } = repository;
  const name = nameOf(path);
  return withLocalLock(gitDir, name, () => {
    const before = readLocal(gitDir, name);
    const { file, result } = work(before === null ? null : decode(before));
    const after = file === null ? null : encode(file);
    if (after === null && before !== null) dropLocal(gitDir, name);
    else if (after !== null && after !== before) writeLocal(gitDir, name, after);
    return result;
  });
}

/** Of all files that are shared in this work tree. */
export function lineFiles({ gitDir }: Repository): readonly LineFile[] {
  return listLocal(gitDir, folder)
    .filter((name) => /^[0-9a-f]{32}$/.test(name))
    .flatMap((name) => {
      const text = readLocal(gitDir, `${folder}/${name}`);
      return text === null ? [] : (decode(text) ?? []);
    });
}

/** Is there any at all? Asked often, answered by one look. */
export function sharesLines({ gitDir }: Repository): boolean {
  return listLocal(gitDir, folder).length > 0;
}
