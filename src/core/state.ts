/**
 * Everything there is at one point of the log: agents, leases, waits, requests, meta. Each is a
 * file of one JSON object a line, sorted by id, keys in a fixed order, so that plain git shows and
 * diffs it. Records are checked here, once; inside, nobody checks again.
 */
import type { Agent } from './agent.ts';
import { type BeadRecord, encodeBead, readBead } from './bead.ts';
import { CoordError } from './errors.ts';
import { formats } from './format.ts';
import { toJson } from './harmless.ts';
import { isId } from './ids.ts';
import type { Lease, Wait } from './lease.ts';
import { encodeLease, encodeWait, readLease, readWait } from './lease-record.ts';
import { limits } from './limits.ts';
import { checkRecord, longestAt, malformed } from './malformed.ts';
import {
  encodeAgent,
  encodeRequest,
  knownKinds,
  type Meta,
  type RecordReader,
  type Request,
  readAgent,
  readMeta,
  readRequest,
} from './record.ts';

export const stateFiles = ['agents', 'beads', 'leases', 'meta', 'requests', 'waits'] as const;
export type StateFile = (typeof stateFiles)[number];

export interface State {
  readonly agents: ReadonlyMap<string, Agent>;
  readonly leases: ReadonlyMap<string, Lease>;
  readonly waits: ReadonlyMap<string, Wait>;
  readonly requests: ReadonlyMap<string, Request>;
  readonly beads: Beads;
  readonly meta: Meta;
  /**
   * Rows of a newer coord whose kind of record is not known here: they are written again as they
   * were.
   */
  readonly later?: ReadonlyMap<StateFile, readonly LaterRow[]>;
}

interface LaterRow {
  readonly id: string;
  readonly row: string;
}

export function emptyState(at: number): State {
  return {
    agents: new Map(),
    leases: new Map(),
    waits: new Map(),
    requests: new Map(),
    beads: Beads.none,
    meta: { version: formats.first, rootSeq: 1, rootAt: at, previous: null, stateHash: null },
  };
}

/** The line each record was read from: what did not change is not written anew. */
const lines = new WeakMap<object, string>();

export function decodeState(files: Readonly<Record<StateFile, string>>, where: string): State {
  const meta = decodeMeta(files.meta, `${where}:meta`);
  const later = new Map<StateFile, readonly LaterRow[]>();
  const decode = <T extends { readonly id: string }>(
    file: StateFile,
    read: RecordReader<T>,
  ): ReadonlyMap<string, T> =>
    decodeFile(files[file], read, `${where}:${file}`, (rows) => later.set(file, rows));
  const state = {
    meta,
    agents: decode('agents', readAgent),
    leases: decode('leases', readLease),
    waits: decode('waits', readWait),
    requests: decode('requests', readRequest),
    beads: new Beads(() => files.beads, `${where}:beads`),
  };
  return later.size === 0 ? state : { ...state, later };
}

function decodeFile<T extends { readonly id: string }>(
  text: string,
  read: RecordReader<T>,
  where: string,
  keep: (later: readonly LaterRow[]) => void = () => {},
): ReadonlyMap<string, T> {
  const records = new Map<string, T>();
  const later: LaterRow[] = [];
  if (text === '') return records;
  if (text.length > limits.stateChars) throw malformed(where, "it is longer than any of coord's");
  if (!text.endsWith('\n')) throw malformed(where, 'it is cut short');
  const rows = text.slice(0, -1).split('\n');
  const long = longestAt(rows);
  if (long !== null) throw malformed(`${where} line ${long}`, "it is longer than any of coord's");
  const values = parseRows(rows, where);
  let last = '';
  for (const [i, row] of rows.entries()) {
    const record = read(values[i]);
    const id = record?.id ?? laterId(values[i]);
    if (id === null || id <= last)
      throw malformed(`${where} line ${i + 1}`, 'it is not a record of the known form');
    last = id;
    if (record === null) {
      later.push({ id, row });
      continue;
    }
    lines.set(record, row);
    records.set(id, record);
  }
  if (later.length > 0) keep(later);
  return records;
}

/**
 * The id of a record whose kind is none of today's, so that a newer coord has written it; else
 * null.
 */
function laterId(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || !('id' in value) || !('kind' in value))
    return null;
  const { id, kind } = value;
  const isLater =
    typeof kind === 'string' && /^[a-z][a-z-]{0,40}$/.test(kind) && !knownKinds.has(kind);
  return isLater && typeof id === 'string' && isId(id) ? id : null;
}

/**
 * All rows in one go, which is three times as fast as one by one; one by one to name the bad one.
 */
function parseRows(rows: readonly string[], where: string): readonly unknown[] {
  try {
    const values = JSON.parse(`[${rows.join(',')}]`) as unknown[];
    if (values.length === rows.length) return values;
  } catch {
    // Named below.
  }
  const bad = rows.findIndex((row) => {
    try {
      JSON.parse(row);
      return false;
    } catch {
      return true;
    }
  });
  throw malformed(`${where} line ${bad + 1}`, 'it is not JSON');
}

function decodeMeta(text: string, where: string): Meta {
  const rows = text.split('\n');
  const [head] = parseRows(rows.slice(0, 1), where);
  rejectNewer(head);
  const meta = readMeta(head);
  if (meta === null || !text.endsWith('\n'))
    throw malformed(where, 'it is not a record of the known form');
  return meta;
}

/** Not damage, and nothing to repair: whoever raised the log has said which coord reads it. */
function rejectNewer(head: unknown): void {
  if (
    typeof head !== 'object' ||
    head === null ||
    !('version' in head) ||
    typeof head.version !== 'number'
  )
    return;
  if (head.version <= formats.newest) return;
  const needs =
    'needs' in head && typeof head.needs === 'string' && /^\d{1,6}(\.\d{1,6}){2}$/.test(head.needs)
      ? head.needs
      : null;
  throw new CoordError(
    'log_newer',
    `the log has format ${head.version}, and this coord reads up to ${formats.newest}`,
    needs === null
      ? 'npm install --global git-coord@latest'
      : `npm install --global git-coord@^${needs}`,
  );
}

export function encodeState(state: State): Readonly<Record<StateFile, string>> {
  return {
    agents: encodeFile(state.agents, encodeAgent, state.later?.get('agents')),
    leases: encodeFile(state.leases, encodeLease, state.later?.get('leases')),
    waits: encodeFile(state.waits, encodeWait, state.later?.get('waits')),
    requests: encodeFile(state.requests, encodeRequest, state.later?.get('requests')),
    get beads() {
      return state.beads.text();
    },
    meta: encodeMeta(state.meta),
  };
}

function encodeFile<T extends { readonly id: string }>(
  records: ReadonlyMap<string, T>,
  encode: (record: T) => unknown,
  later: readonly LaterRow[] = [],
): string {
  const known = [...records.values()].map((record): LaterRow => {
    const row = lines.get(record) ?? checkRecord(toJson(encode(record)));
    lines.set(record, row);
    return { id: record.id, row };
  });
  const text = [...known, ...later]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ row }) => `${row}\n`)
    .join('');
  if (text.length > limits.stateChars) {
    throw new CoordError(
      'record_too_large',
      'the log has no room for more records of this kind',
      'coord sweep, or name fewer things',
    );
  }
  return text;
}

/**
 * What a root remembers besides is in a file of its own, which only the search for an old nonce
 * reads.
 */
function encodeMeta({ nonces: _, unknown, ...head }: Meta): string {
  return `${toJson({ id: 'log', ...head, ...unknown })}\n`;
}

/**
 * Beads outlive agents and leases by far, and most operations have nothing to do with them: read
 * when asked for.
 */
export class Beads {
  static readonly none: Beads = new Beads(() => '', 'nowhere');
  readonly #read: () => string;
  readonly #where: string;
  #records: ReadonlyMap<string, BeadRecord> | null = null;

  constructor(read: () => string, where: string) {
    this.#read = read;
    this.#where = where;
  }

  get records(): ReadonlyMap<string, BeadRecord> {
    return (this.#records ??= decodeFile(this.#read(), readBead, this.#where));
  }

  with(changed: readonly BeadRecord[], most: number): Beads {
    const all = new Map(this.records);
    for (const bead of changed) all.set(bead.id, bead);
    // What was done longest ago goes first: by then it is for its tracker to know.
    const over =
      all.size <= most
        ? []
        : [...all.values()]
            .toSorted(
              (a, b) => Number(b.status === 'done') - Number(a.status === 'done') || a.at - b.at,
            )
            .slice(0, all.size - most);
    for (const { id } of over) all.delete(id);
    const beads = new Beads(() => encodeFile(all, encodeBead), this.#where);
    beads.#records = all;
    return beads;
  }

  /** None; not the one that every log begins with, so that it is written. */
  emptied(): Beads {
    return new Beads(() => '', this.#where);
  }

  text(): string {
    return this.#read();
  }
}
