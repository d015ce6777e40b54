/**
 * Every file by which coord and the shims (hooks/) tell each other something: its name below the
 * `coord` folder of the repository or of a work tree, line by line what it says, who writes and who
 * reads it, and how long it counts. Each may be gone at any time: then the shim starts coord, and
 * coord looks itself. `@` is in no name of git's, so it stands for itself.
 */

import { dropLocal, localPath, readLocal, writeLocal } from '../git/local.ts';
import type { Repository } from '../git/repository.ts';

type Side = 'coord' | 'shim';

interface SharedFile {
  /** With `<…>` where it differs from one to the next. */
  readonly name: string;
  /** Below the common git directory, or below that of one work tree. */
  readonly of: 'repository' | 'work tree';
  /** The lines in their order, each with its form; none where the file itself says it all. */
  readonly lines: Readonly<Record<string, RegExp>>;
  /** The file that may be moved to its place as it is: its first line is the one that counts. */
  readonly was?: SharedName;
  readonly writers: readonly Side[];
  readonly readers: readonly Side[];
  readonly says: string;
  /** Until when. */
  readonly counts: string;
}

const oid = /^[0-9a-f]{40,64}$/;
const oidOrNone = /^([0-9a-f]{40,64})?$/;
const any = /^/;
/** See `until.ts`. */
const time = /^([0-9a-f-]{36}|wall) \d+$/;
const noLines = {};
const both: readonly Side[] = ['coord', 'shim'];
const whileLogStands = 'while the log stands there';
const whileSessionLives = 'until its session ends';

type SharedName =
  | 'idle'
  | 'known'
  | 'due'
  | 'edit'
  | 'told'
  | 'makers'
  | 'look'
  | 'lookList'
  | 'lookAlso'
  | 'pending'
  | 'judged'
  | 'after'
  | 'nextIndex'
  | 'seenIndex'
  | 'signed'
  | 'landed'
  | 'free'
  | 'ownBase'
  | 'base'
  | 'branch'
  | 'trailer'
  | 'forgets'
  | 'good'
  | 'goodBase'
  | 'operation'
  | 'switch'
  | 'committing'
  | 'watched';

export const sharedFiles: Readonly<Record<SharedName, SharedFile>> = {
  idle: {
    name: 'idle',
    of: 'repository',
    lines: { tip: oidOrNone },
    writers: ['coord'],
    readers: ['shim'],
    says: 'nobody held anything and no session was open',
    counts: whileLogStands,
  },
  known: {
    name: 'known',
    of: 'repository',
    lines: { tip: oid, beginnings: any },
    writers: ['coord'],
    readers: both,
    says: 'how held paths begin, as a pattern of a case of the shell',
    counts: whileLogStands,
  },
  due: {
    name: 'due/<agent>',
    of: 'repository',
    lines: noLines,
    writers: both,
    readers: ['shim'],
    says: 'by its time: when what the agent, or all persons, hold is to be renewed',
    counts: whileSessionLives,
  },
  edit: {
    name: 'edits/<session><path>/@',
    of: 'repository',
    lines: { tip: oid, until: time },
    writers: both,
    readers: both,
    says: 'the session holds this file; by its time: when it last edited it',
    counts: 'for a minute, while the log stands there',
  },
  told: {
    name: 'told/<session>',
    of: 'repository',
    lines: { tip: oid, until: time, company: /^(alone|others)$/ },
    writers: ['coord'],
    readers: ['shim'],
    says: 'up to where the session was told what concerns it, and whether others are here',
    counts: 'for a few seconds, or while the log stands there',
  },
  makers: {
    name: 'makers',
    of: 'repository',
    lines: { maker: /^[0-9a-f]{40,64} .+$/ },
    writers: ['coord'],
    readers: both,
    says: 'who made a commit that its trailer does not tell, a line each',
    counts: 'for the newest 2,000',
  },
  look: {
    name: 'looks/<session>',
    of: 'work tree',
    lines: { marks: /^(\[.*\])?$/ },
    writers: both,
    readers: both,
    says: 'how the files were before a shell command; empty: nobody else was here',
    counts: 'until the look after the command',
  },
  lookList: {
    name: 'looks/<session>.list',
    of: 'work tree',
    lines: { path: any },
    writers: ['coord'],
    readers: ['shim'],
    says: 'what differed from the index then, as git lists it',
    counts: 'as its look',
  },
  lookAlso: {
    name: 'looks/<session>.also',
    of: 'work tree',
    lines: { path: any },
    writers: ['coord'],
    readers: ['shim'],
    says: 'which other files are guarded, each ended by a zero byte',
    counts: 'as its look',
  },
  pending: {
    name: 'pending-<git>',
    of: 'work tree',
    lines: { to: oid, base: any, follows: /^(moved|refused)?$/ },
    writers: both,
    readers: ['shim'],
    says: 'what becomes of an update once git is through: whose base it is, and which hook follows',
    counts: 'until git says committed or aborted',
  },
  judged: {
    name: 'commit-<git>/judged',
    of: 'work tree',
    lines: { tree: oid, parent: oid, tip: oid, base: any, agent: any },
    writers: ['coord'],
    readers: both,
    says: 'the commit that pre-commit has judged',
    counts: 'while the log stands there, for this git alone',
  },
  after: {
    name: 'commit-<git>/after',
    of: 'work tree',
    lines: { tally: any, note: any },
    writers: ['coord'],
    readers: ['shim'],
    says: 'what the log is to be told of the commit, and in which file; empty for a person',
    counts: 'for this commit',
  },
  nextIndex: {
    name: 'commit-<git>/index',
    of: 'work tree',
    lines: noLines,
    writers: ['coord'],
    readers: ['shim'],
    says: "the repository's own index as it will be after the commit",
    counts: 'for this commit',
  },
  seenIndex: {
    name: 'commit-<git>/seen',
    of: 'work tree',
    lines: noLines,
    writers: ['coord'],
    readers: ['shim'],
    says: 'a second name of the index that it was made from: another one by then stays',
    counts: 'for this commit',
  },
  signed: {
    name: 'commit-<git>/signed',
    of: 'work tree',
    lines: noLines,
    writers: ['shim'],
    readers: both,
    says: 'the message has its trailer',
    counts: 'for this commit',
  },
  landed: {
    name: 'commit-<git>/landed',
    of: 'work tree',
    lines: { commit: oid },
    writers: ['shim'],
    readers: ['shim'],
    says: 'the commit that came as it was judged',
    counts: 'for this commit',
  },
  free: {
    name: 'free-<git>',
    of: 'work tree',
    lines: { at: /^[0-9a-f]{40,64} [0-9a-f]{40,64}$/ },
    writers: ['shim'],
    readers: ['shim'],
    says: "a person's commit began on this log and this HEAD, and meets nothing that is held",
    counts: 'for this git alone',
  },
  ownBase: {
    name: 'index-base',
    of: 'work tree',
    lines: { base: oidOrNone },
    was: 'pending',
    writers: both,
    readers: both,
    says: "the commit that the repository's own index is based on",
    counts: 'while a session has a stage here',
  },
  base: {
    name: 'stages/<agent>/base',
    of: 'work tree',
    lines: { base: oidOrNone },
    was: 'pending',
    writers: both,
    readers: both,
    says: "the commit that the agent's own index is based on",
    counts: whileSessionLives,
  },
  branch: {
    name: 'stages/<agent>/branch',
    of: 'work tree',
    lines: { branch: any },
    writers: both,
    readers: both,
    says: 'the branch that the session was last on; empty where HEAD was detached',
    counts: whileSessionLives,
  },
  trailer: {
    name: 'stages/<agent>/trailer',
    of: 'work tree',
    lines: { trailer: /^[A-Za-z-]+: .+$/ },
    writers: ['coord'],
    readers: both,
    says: 'the trailers of its commits, a line each; the first is its name',
    counts: whileSessionLives,
  },
  forgets: {
    name: 'stages/<agent>/forgets',
    of: 'work tree',
    lines: noLines,
    writers: ['shim'],
    readers: ['coord'],
    says: 'a command of the session may have taken entries out of its index',
    counts: 'until its next commit',
  },
  good: {
    name: 'stages/<agent>/good',
    of: 'work tree',
    lines: noLines,
    writers: both,
    readers: ['coord'],
    says: 'a second name of the index as it last was whole',
    counts: whileSessionLives,
  },
  goodBase: {
    name: 'stages/<agent>/good-base',
    of: 'work tree',
    lines: { base: oidOrNone },
    was: 'pending',
    writers: both,
    readers: ['coord'],
    says: 'the commit that this one is based on',
    counts: whileSessionLives,
  },
  operation: {
    name: 'operation',
    of: 'work tree',
    lines: { begun: /^\d+ \S+( \S+ \d+( \S+)?)?$/ },
    writers: ['shim'],
    readers: both,
    says: 'when a merge, rebase or pick began, whose it is, and what git keeps of it once it stops',
    counts: 'until git is through with it',
  },
  switch: {
    name: 'switch',
    of: 'work tree',
    lines: { switch: /^\S+ .+$/ },
    writers: ['coord'],
    readers: both,
    says: 'which branch HEAD was last switched to, and by whom',
    counts: 'until the next switch',
  },
  committing: {
    name: 'committing',
    of: 'work tree',
    lines: { process: /^\d+ \d*$/ },
    writers: ['shim'],
    readers: ['shim'],
    says: 'which git is at a commit, and when it was started: others wait for a while',
    counts: 'until its post-commit, or its end',
  },
  watched: {
    name: 'watched-<git>',
    of: 'work tree',
    lines: { files: /^\[.*\]$/ },
    writers: ['coord'],
    readers: both,
    says: 'the files of others that a command may overwrite, as they were before it',
    counts: 'until the look after the command',
  },
};

type Places = Pick<Repository, 'commonDir' | 'gitDir'>;

/** Below the `coord` folder, with these for what differs from one to the next. */
export function sharedName({ name }: SharedFile, ...parts: readonly string[]): string {
  const rest = [...parts];
  return name.replace(/<\w+>/g, () => rest.shift() ?? '');
}

/** Whose `coord` folder it is in, and its name there. */
export function sharedPlace(
  { commonDir, gitDir }: Places,
  file: SharedFile,
  ...parts: readonly string[]
): readonly [folder: string, name: string] {
  return [file.of === 'repository' ? commonDir : gitDir, sharedName(file, ...parts)];
}

export function sharedPath(places: Places, file: SharedFile, ...parts: readonly string[]): string {
  return localPath(...sharedPlace(places, file, ...parts));
}

export function readShared(
  places: Places,
  file: SharedFile,
  ...parts: readonly string[]
): string | null {
  return readLocal(...sharedPlace(places, file, ...parts));
}

export function dropShared(places: Places, file: SharedFile, ...parts: readonly string[]): void {
  dropLocal(...sharedPlace(places, file, ...parts));
}

/** Its lines in their order; null where one would be two, and so move all that follow it. */
export function sharedText(
  file: SharedFile,
  lines: Readonly<Record<string, string>>,
): string | null {
  const texts = Object.keys(file.lines).map((line) => lines[line] ?? '');
  return texts.some((text) => text.includes('\n'))
    ? null
    : texts.map((text) => `${text}\n`).join('');
}

/** An empty file without lines; none where they do not fit, and then the shim starts coord. */
export function writeShared(
  places: Places,
  file: SharedFile,
  parts: readonly string[],
  lines: Readonly<Record<string, string>> | null,
): void {
  const text = lines === null ? '' : sharedText(file, lines);
  if (text === null) dropShared(places, file, ...parts);
  else writeLocal(...sharedPlace(places, file, ...parts), text);
}
