/**
 * One operation as git keeps it: a commit whose tree is the whole state after it and whose message
 * tells the events.
 */
import { showAgent } from '../core/agent.ts';
import { type Entry, encodeEntry, parseEntry } from '../core/entry.ts';
import { assert } from '../core/errors.ts';
import type { Oid } from '../core/ids.ts';
import { malformed } from '../core/malformed.ts';
import { decodeState, encodeState, type State, type StateFile, stateFiles } from '../core/state.ts';
import {
  encodeCommit,
  encodeTree,
  type Ident,
  parseCommit,
  parseTree,
  type TreeEntry,
  withSignature,
} from '../git/object-text.ts';
import type { ObjectWriter } from '../git/objects.ts';
import { readObject } from '../git/read-objects.ts';
import type { Repository } from '../git/repository.ts';
import { noncesFile } from './history.ts';
import type { Observation } from './log-store.ts';

const mostOthers = 8;

/** A plain file with a plain name, which no coord up to this one writes. */
function isOfNewer({ mode, name }: TreeEntry): boolean {
  const isKnown = name === noncesFile || stateFiles.some((file) => file === name);
  return !isKnown && mode === '100644' && /^[a-z][a-z-]{0,30}$/.test(name);
}

export class Operations {
  readonly #repository: Repository;
  readonly #committer: Omit<Ident, 'at'> | null;
  readonly #sign: (payload: Buffer) => string | null;
  /**
   * The blobs of a state that was read or written here: what has not changed is not written again.
   */
  readonly #blobs = new WeakMap<State, Readonly<Record<StateFile, Oid>>>();
  /** Files of a newer coord: they stand in the next tree as they are. */
  readonly #others = new WeakMap<State, readonly TreeEntry[]>();

  /** `committer` where it is to be seen from where an operation came, `sign` where by whom. */
  constructor(
    repository: Repository,
    committer: Omit<Ident, 'at'> | null = null,
    sign: (payload: Buffer) => string | null = () => null,
  ) {
    this.#repository = repository;
    this.#committer = committer;
    this.#sign = sign;
  }

  /**
   * A fetch offers the newest commits of all refs first, by committer date: those of a log beside
   * the user's branches are dated so that they come last. When it was is the author date.
   */
  #committerAt(author: Ident): Ident {
    return this.#committer === null ? { ...author, at: 0 } : { ...this.#committer, at: author.at };
  }

  read(tip: Oid): Observation & { readonly tip: Oid } {
    const { entry, state } = this.stand(tip);
    return { tip, seq: entry.seq, state };
  }

  stand(tip: Oid): { readonly entry: Entry; readonly state: State } {
    const commit = parseCommit(readObject(this.#repository, tip, 'commit'));
    const entry = parseEntry(commit.message, tip);
    const listed = parseTree(this.#repository, readObject(this.#repository, commit.tree, 'tree'));
    const entries = new Map(listed.map(({ name, oid }) => [name, oid]));
    const blobs = Object.fromEntries(stateFiles.map((file) => [file, entries.get(file)])) as Record<
      StateFile,
      Oid | undefined
    >;
    const text = (file: StateFile): string => {
      const oid = blobs[file];
      // Logs from before there were beads have none.
      if (oid === undefined && file === 'beads') return '';
      if (oid === undefined) throw malformed(tip, `its tree has no file '${file}'`);
      return readObject(this.#repository, oid, 'blob').toString('utf8');
    };
    const state = decodeState(
      {
        agents: text('agents'),
        leases: text('leases'),
        meta: text('meta'),
        requests: text('requests'),
        waits: text('waits'),
        get beads() {
          return text('beads');
        },
      },
      tip,
    );
    this.#blobs.set(state, blobs as Record<StateFile, Oid>);
    const others = listed.filter(isOfNewer).slice(0, mostOthers);
    if (others.length > 0) this.#others.set(state, others);
    // Who acted stands twice, for git's eyes and for ours.
    if (commit.author !== `${entry.agent.name} <${entry.agent.id}@coord.invalid>`)
      throw malformed(
        tip,
        `it says that it is by ${showAgent(entry.agent)}, and its author is another`,
      );
    return { entry, state };
  }

  write(objects: ObjectWriter, from: Observation, entry: Entry, given: State): Oid {
    // The first of a log is its root, whatever its number.
    const state =
      from.tip === null ? { ...given, meta: { ...given.meta, rootSeq: entry.seq } } : given;
    const texts = encodeState(state);
    const known = this.#blobs.get(from.state);
    const blobs = Object.fromEntries(
      stateFiles.map((file) => {
        const same =
          from.tip !== null && state[file] === from.state[file] ? known?.[file] : undefined;
        return [file, same ?? objects.write('blob', Buffer.from(texts[file]))];
      }),
    ) as Record<StateFile, Oid>;
    const { nonces } = state.meta;
    const others = this.#others.get(from.state) ?? [];
    if (others.length > 0) this.#others.set(given, others);
    const remembered =
      nonces === undefined
        ? []
        : [
            {
              mode: '100644',
              name: noncesFile,
              oid: objects.write('blob', Buffer.from(nonces.map((kept) => `${kept}\n`).join(''))),
            },
          ];
    const tree = objects.write(
      'tree',
      encodeTree([
        ...stateFiles.map((name) => ({ mode: '100644', name, oid: blobs[name] })),
        ...remembered,
        ...others,
      ]),
    );
    const author = {
      name: entry.agent.name,
      email: `${entry.agent.id}@coord.invalid`,
      at: entry.at,
    };
    const parents = state.meta.rootSeq === entry.seq || from.tip === null ? [] : [from.tip];
    this.#blobs.set(given, blobs);
    const message = encodeEntry(entry);
    assert(parseEntry(message, 'here').nonce === entry.nonce, 'an operation can be read back');
    const commit = encodeCommit({ tree, parents, message }, author, this.#committerAt(author));
    const signature = this.#sign(commit);
    return objects.write('commit', signature === null ? commit : withSignature(commit, signature));
  }
}
