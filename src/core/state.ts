/**
 * Everything there is at one point of the log: agents, leases, waits, requests, meta. Each is a file
 * of one JSON object a line, sorted by id, keys in a fixed order, so that plain git shows and diffs
 * it. Records are checked here, once; inside, nobody checks again.
 */
import type { Agent } from './agent.ts';
import { encodeBead, readBead, type BeadRecord } from './bead.ts';
import { CoordError } from './errors.ts';
import { checkRecord, longestAt, malformed } from './event.ts';
import { toJson } from './harmless.ts';
import type { Lease, Wait } from './lease.ts';
import { limits } from './limits.ts';
import { encodeAgent, encodeLease, encodeRequest, encodeWait, readAgent, readLease, readMeta, readRequest, readWait, type Meta, type RecordReader, type Request } from './record.ts';

export const stateFiles = ['agents', 'beads', 'leases', 'meta', 'requests', 'waits'] as const;
export type StateFile = (typeof stateFiles)[number];

export interface State {
  readonly agents: ReadonlyMap<string, Agent>;
  readonly leases: ReadonlyMap<string, Lease>;
  readonly waits: ReadonlyMap<string, Wait>;
  readonly requests: ReadonlyMap<string, Request>;
  readonly beads: Beads;
  readonly meta: Meta;
}

export function emptyState(at: number): State {
  return {
    agents: new Map(), leases: new Map(), waits: new Map(), requests: new Map(), beads: Beads.none,
    meta: { version: 1, rootSeq: 1, rootAt: at, previous: null, stateHash: null },
  };
}

/** The line each record was read from: what did not change is not written anew. */
const lines = new WeakMap<object, string>();

export function decodeState(files: Readonly<Record<StateFile, string>>, where: string): State {
  const meta = decodeMeta(files.meta, `${where}:meta`);
  return {
    meta,
    agents: decodeFile(files.agents, readAgent, `${where}:agents`),
    leases: decodeFile(files.leases, readLease, `${where}:leases`),
    waits: decodeFile(files.waits, readWait, `${where}:waits`),
    requests: decodeFile(files.requests, readRequest, `${where}:requests`),
    beads: new Beads(() => files.beads, `${where}:beads`),
  };
}

function decodeFile<T extends { readonly id: string }>(text: string, read: RecordReader<T>, where: string): ReadonlyMap<string, T> {
  const records = new Map<string, T>();
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
    if (record === null || record.id <= last) throw malformed(`${where} line ${i + 1}`, 'it is not a record of the known form');
    lines.set(record, row);
    records.set(record.id, record);
    last = record.id;
  }
  return records;
}

/** All rows in one go, which is three times as fast as one by one; one by one to name the bad one. */
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
  if (typeof head === 'object' && head !== null && 'version' in head && typeof head.version === 'number' && head.version > 1) {
    throw new CoordError('log_newer', `the log was written by a newer coord (version ${head.version} of its format)`, 'npm install --global git-coord@latest');
  }
  const meta = readMeta(head);
  if (meta === null || !text.endsWith('\n')) throw malformed(where, 'it is not a record of the known form');
  return meta;
}

export function encodeState(state: State): Readonly<Record<StateFile, string>> {
  return {
    agents: encodeFile(state.agents, encodeAgent),
    leases: encodeFile(state.leases, encodeLease),
    waits: encodeFile(state.waits, encodeWait),
    requests: encodeFile(state.requests, encodeRequest),
    get beads() {
      return state.beads.text();
    },
    meta: encodeMeta(state.meta),
  };
}

function encodeFile<T extends { readonly id: string }>(records: ReadonlyMap<string, T>, encode: (record: T) => unknown): string {
  const rows = [...records.values()].sort((a, b) => (a.id < b.id ? -1 : 1)).map((record) => {
    const row = lines.get(record) ?? checkRecord(toJson(encode(record)));
    lines.set(record, row);
    return `${row}\n`;
  });
  const text = rows.join('');
  if (text.length > limits.stateChars) {
    throw new CoordError(
      'record_too_large',
      'the log has no room for more records of this kind',
      'coord sweep, or name fewer things',
    );
  }
  return text;
}

/** What a root remembers besides is in a file of its own, which only the search for an old nonce reads. */
function encodeMeta({ nonces: _, unknown, ...head }: Meta): string {
  return `${toJson({ id: 'log', ...head, ...unknown })}\n`;
}

/** Beads outlive agents and leases by far, and most operations have nothing to do with them: read when asked for. */
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
    return this.#records ??= decodeFile(this.#read(), readBead, this.#where);
  }

  with(changed: readonly BeadRecord[], most: number): Beads {
    const all = new Map(this.records);
    for (const bead of changed) all.set(bead.id, bead);
    // What was done longest ago goes first: by then it is for its tracker to know.
    const over = all.size <= most ? [] : [...all.values()].toSorted((a, b) => Number(b.status === 'done') - Number(a.status === 'done') || a.at - b.at).slice(0, all.size - most);
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
