/** What stands in a repository at one moment (work trees, indexes, refs), without a process. */
import {
  type Dirent,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type IndexRead, readIndex } from './index-reader.ts';
import { linesIn } from './lines.ts';
import { blobOid, type Objects } from './objects.ts';

export interface FileSeen {
  readonly entry: string;
  /** The same with the line ends that git would commit. */
  readonly clean: string;
  readonly lines: readonly string[];
}

export interface Place {
  readonly name: string;
  readonly top: string;
  readonly gitDir: string;
  readonly files: ReadonlyMap<string, FileSeen>;
  /** The branch that is checked out, null where none is. */
  readonly branch: string | null;
  readonly head: string | null;
  /** Files of git that say what is under way, with their content. */
  readonly operation: ReadonlyMap<string, string>;
}

export interface Scene {
  readonly refs: ReadonlyMap<string, string>;
  readonly places: ReadonlyMap<string, Place>;
  readonly stashes: readonly string[];
  /** By the file that holds it. */
  readonly indexes: ReadonlyMap<string, IndexRead | null>;
}

const underWay = [
  'MERGE_HEAD',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'MERGE_AUTOSTASH',
  'BISECT_START',
  'SQUASH_MSG',
  'rebase-merge/autostash',
  'rebase-merge/orig-head',
  'rebase-apply/autostash',
  'rebase-apply/orig-head',
  'rebase-merge/done',
  'rebase-apply/next',
  'sequencer/todo',
];

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** The same order everywhere, or a walk could not be replayed. */
function sorted(folder: string): readonly Dirent[] {
  return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function readFiles(top: string): ReadonlyMap<string, FileSeen> {
  const files = new Map<string, FileSeen>();
  const hasAttributes = existsSync(join(top, '.gitattributes'));
  const visit = (under: string): void => {
    for (const item of sorted(join(top, under))) {
      const path = `${under}${item.name}`;
      if (item.name === '.git') continue;
      if (item.isDirectory()) {
        // A repository of its own, as a submodule is.
        if (lstatSync(join(top, path, '.git'), { throwIfNoEntry: false }) === undefined) {
          visit(`${path}/`);
        }
      } else files.set(path, seen(join(top, path), item.isSymbolicLink(), hasAttributes));
    }
  };
  visit('');
  return files;
}

function seen(file: string, isLink: boolean, hasAttributes: boolean): FileSeen {
  const content = isLink ? Buffer.from(readlinkSync(file)) : readFileSync(file);
  const mode = isLink ? '120000' : (lstatSync(file).mode & 0o100) === 0 ? '100644' : '100755';
  const text = content.toString('utf8');
  const clean =
    hasAttributes && file.endsWith('.crlf') ? Buffer.from(text.replaceAll('\r\n', '\n')) : content;
  return {
    entry: `${mode} ${blobOid(content)}`,
    clean: `${mode} ${blobOid(clean)}`,
    lines: linesIn(text),
  };
}

function readRefs(gitDir: string): Map<string, string> {
  const refs = new Map<string, string>();
  for (const line of (textOf(join(gitDir, 'packed-refs')) ?? '').split('\n')) {
    const [, oid = '', ref = ''] = /^([0-9a-f]{40}) (\S+)$/.exec(line) ?? [];
    if (ref !== '') refs.set(ref, oid);
  }
  const visit = (under: string): void => {
    for (const item of sorted(join(gitDir, under))) {
      const ref = `${under}/${item.name}`;
      if (item.isDirectory()) visit(ref);
      else if (!ref.endsWith('.lock')) refs.set(ref, (textOf(join(gitDir, ref)) ?? '').trim());
    }
  };
  visit('refs');
  return refs;
}

function resolved(refs: ReadonlyMap<string, string>, value: string | undefined): string | null {
  if (value === undefined) return null;
  return value.startsWith('ref: ') ? resolved(refs, refs.get(value.slice(5))) : value;
}

function readPlace(
  name: string,
  top: string,
  gitDir: string,
  refs: ReadonlyMap<string, string>,
): Place {
  const head = (textOf(join(gitDir, 'HEAD')) ?? '').trim();
  const operation = new Map(
    underWay.flatMap((file) => {
      const text = textOf(join(gitDir, file));
      return text === null ? [] : [[file, text.trim()] as const];
    }),
  );
  return {
    name,
    top,
    gitDir,
    files: readFiles(top),
    operation,
    branch: head.startsWith('ref: ') ? head.slice(5) : null,
    head: resolved(refs, head),
  };
}

export function look(commonDir: string, indexFiles: Iterable<string>): Scene {
  const refs = readRefs(commonDir);
  const places = new Map([['main', readPlace('main', dirname(commonDir), commonDir, refs)]]);
  let linked: readonly string[] = [];
  try {
    linked = sorted(join(commonDir, 'worktrees')).map(({ name }) => name);
  } catch {
    // There is none.
  }
  for (const name of linked) {
    const gitDir = join(commonDir, 'worktrees', name);
    const top = dirname((textOf(join(gitDir, 'gitdir')) ?? '').trim());
    if (lstatSync(top, { throwIfNoEntry: false }) === undefined || top === '.') continue;
    places.set(name, readPlace(name, top, gitDir, refs));
  }
  const log = textOf(join(commonDir, 'logs/refs/stash')) ?? '';
  const stashes = log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.slice(41, 81));
  return {
    refs: new Map(
      [...refs]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([ref, value]) => [ref, resolved(refs, value) ?? value]),
    ),
    places,
    stashes: stashes.reverse(),
    indexes: new Map([...indexFiles].map((file) => [file, readIndex(file)])),
  };
}

/** Which commits keep what they hold from being lost: with or without what coord has saved. */
export function tipsOf({ refs, places, stashes }: Scene, withSaved: boolean): readonly string[] {
  const kept = [...refs].filter(
    ([ref]) => !ref.startsWith('refs/coord/') || (withSaved && ref.startsWith('refs/coord/saved/')),
  );
  const others = [...places.values()].flatMap(({ head, operation }) => [
    ...(head === null ? [] : [head]),
    ...[...operation]
      .filter(([name]) => /autostash|orig-head|_HEAD$/i.test(name))
      .flatMap(([, text]) => text.match(/[0-9a-f]{40}/g) ?? []),
  ]);
  return [...kept.map(([, oid]) => oid), ...others, ...stashes];
}

export function linesInTrees({ places }: Scene): Set<string> {
  const lines = new Set<string>();
  for (const { files } of places.values()) {
    for (const file of files.values()) for (const line of file.lines) lines.add(line);
  }
  return lines;
}

/** All that a refusal has to leave as it was, each part under a name of its own. */
export function partsOf(scene: Scene): ReadonlyMap<string, string> {
  const parts = new Map<string, string>();
  for (const [ref, oid] of scene.refs) if (!ref.startsWith('refs/coord/')) parts.set(ref, oid);
  for (const { name, files, branch, head, operation } of scene.places.values()) {
    parts.set(`${name}: HEAD`, `${branch ?? ''} ${head ?? ''}`);
    for (const [path, { entry }] of files) parts.set(`${name}: ${path}`, entry);
    for (const [file, text] of operation) parts.set(`${name}: ${file}`, text);
  }
  for (const [file, index] of scene.indexes) {
    for (const [path, entry] of index?.entries ?? []) parts.set(`index ${file}: ${path}`, entry);
  }
  parts.set('stash', scene.stashes.join(' '));
  return parts;
}

export function differing(before: Scene, after: Scene, allowed = /^$/): readonly string[] {
  const [a, b] = [partsOf(before), partsOf(after)];
  const names = new Set([...a.keys(), ...b.keys()]);
  return [...names].filter((name) => a.get(name) !== b.get(name) && !allowed.test(name));
}

export interface Reached {
  readonly commits: ReadonlySet<string>;
  readonly lines: ReadonlySet<string>;
}

/** What a commit reaches, kept until a tip moves. */
export class Reach {
  readonly #objects: Objects;
  #key = '';
  #commits = new Set<string>();
  #lines = new Set<string>();

  constructor(objects: Objects) {
    this.#objects = objects;
  }

  of(tips: readonly string[]): Reached {
    const key = [...new Set(tips)].sort().join(' ');
    if (key !== this.#key) {
      const commits = this.#objects.reach(tips);
      const isMore = [...this.#commits].every((oid) => commits.has(oid));
      const lines = isMore ? new Set(this.#lines) : new Set<string>();
      for (const oid of commits) {
        if (isMore && this.#commits.has(oid)) continue;
        for (const line of this.#objects.freshLines(oid)) lines.add(line);
      }
      [this.#key, this.#commits, this.#lines] = [key, commits, lines];
    }
    return { commits: this.#commits, lines: this.#lines };
  }
}
