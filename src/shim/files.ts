/**
 * Every file by which coord and the shims (hooks/) tell each other something: its name below the
 * `coord` folder of the repository or of a work tree, line by line what it says, who writes and who
 * reads it, and how long it counts. Each may be gone at any time: then the shim starts coord, and
 * coord looks itself. `@` is in no name of git's, so it stands for itself.
 */

import { commitFiles } from './commit-files.ts';
import { indexFiles } from './index-files.ts';
import type { SharedFile, Side } from './shared-file.ts';

const oid = /^[0-9a-f]{40,64}$/;
const oidOrNone = /^([0-9a-f]{40,64})?$/;
const text = /^/;
/** See `until.ts`. */
const time = /^([0-9a-f-]{36}|wall) \d+$/;
const noLines = {};
const ofStage = { of: 'work tree', counts: 'until its session ends' } as const;
const both: readonly Side[] = ['coord', 'shim'];
const whileLogStands = 'while the log stands there';

type SharedName =
  | 'idle'
  | 'known'
  | 'due'
  | 'edit'
  | 'said'
  | 'read'
  | 'told'
  | 'makers'
  | 'caller'
  | 'shell'
  | 'look'
  | 'lookList'
  | 'lookAlso'
  | 'followed'
  | 'pending'
  | 'judged'
  | 'free'
  | 'branch'
  | 'trailer'
  | 'forgets'
  | 'operation'
  | 'operationMessage'
  | 'switch'
  | 'committing'
  | 'watched';

export const sharedFiles: Readonly<
  Record<SharedName, SharedFile> & typeof commitFiles & typeof indexFiles
> = {
  ...commitFiles,
  ...indexFiles,
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
    lines: { tip: oid, beginnings: text },
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
    counts: ofStage.counts,
  },
  edit: {
    name: 'edits/<session><path>/@',
    of: 'repository',
    lines: { tip: oid, until: time, owner: /^([0-9a-z]{8})?$/ },
    writers: both,
    readers: both,
    says: 'the session holds this file; by its time: when it last edited it. Of a file that is shared by lines, in which nobody else has lines, whose its edits are',
    counts: 'for a minute, while the log stands there',
  },
  said: {
    name: 'edits/<session><path>/@said',
    of: 'repository',
    lines: { edit: /^\{.*\}$/ },
    writers: ['shim'],
    readers: ['coord'],
    says: 'the edits of a file shared by lines that the shim has let pass, a line each',
    counts: 'until the next look at the file',
  },
  read: {
    name: 'reads/<session><path>',
    of: 'repository',
    lines: { known: /^(\d+ \d+|\{.*\})$/ },
    writers: both,
    readers: both,
    says: 'as what the session has read or written this file (`:` for `/`), by its `cksum`; then its own edits since',
    counts: 'until its session ends',
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
  caller: {
    name: 'callers/<session>/<call>',
    of: 'repository',
    lines: { agent: /^\S+$/, stage: text, command: text },
    writers: both,
    readers: ['shim'],
    says: 'which subagent of the session is about to run this command, without what quotes it',
    counts: 'until its shell begins, or the call is over',
  },
  shell: {
    name: 'shells/<session>',
    of: 'repository',
    lines: { agent: /^\S+$/, key: /^\S+$/, stage: text },
    writers: ['coord'],
    readers: ['shim'],
    says: 'what the shells of this agent have to have in their environment',
    counts: 'until its session ends',
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
    lines: { path: text },
    writers: ['coord'],
    readers: ['shim'],
    says: 'what differed from the index then, as git lists it',
    counts: 'as its look',
  },
  lookAlso: {
    name: 'looks/<session>.also',
    of: 'work tree',
    lines: { path: text },
    writers: ['coord'],
    readers: ['shim'],
    says: 'which other files are guarded, each ended by a zero byte',
    counts: 'as its look',
  },
  followed: {
    name: 'followed',
    of: 'work tree',
    lines: { until: time, state: /^[0-9a-f]{32}$/ },
    writers: ['coord'],
    readers: both,
    says: 'what of a linked work tree is copied, so that it comes back if its folder is gone',
    counts: 'for a few seconds',
  },
  pending: {
    name: 'pending-<git>',
    of: 'work tree',
    lines: { to: oid, base: text, follows: /^(moved|refused|deleted)?$/ },
    writers: both,
    readers: ['shim'],
    says: 'what becomes of an update once git is through: whose base it is, and which hook follows',
    counts: 'until git says committed or aborted',
  },
  judged: {
    name: 'commit-<git>/judged',
    of: 'work tree',
    lines: { tree: oid, parent: oid, tip: oid, base: text, agent: text },
    writers: ['coord'],
    readers: both,
    says: 'the commit that pre-commit has judged',
    counts: 'while the log stands there, for this git alone',
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
  branch: {
    ...ofStage,
    name: 'stages/<agent>/branch',
    lines: { branch: text },
    writers: both,
    readers: both,
    says: 'the branch that the session was last on; empty where HEAD was detached',
  },
  trailer: {
    ...ofStage,
    name: 'stages/<agent>/trailer',
    lines: { trailer: /^[A-Za-z-]+: .+$/ },
    writers: ['coord'],
    readers: both,
    says: 'the trailers of its commits, a line each; the first is its name',
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
  operation: {
    name: 'operation',
    of: 'work tree',
    lines: { begun: /^\d+ \S+( \S+ \d+( \S+)?)?$/ },
    writers: ['shim'],
    readers: both,
    says: 'when a merge, rebase or pick began, whose it is, and what git keeps of it once it stops',
    counts: 'until git is through with it',
  },
  operationMessage: {
    name: 'operation-message',
    of: 'work tree',
    lines: { message: text },
    writers: ['shim'],
    readers: ['shim'],
    says: 'the message of the merge that a session has stopped in',
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
    readers: ['shim', 'coord'],
    says: 'which git is at a commit, and when it was started: others wait for a while, and edits for a hook that puts files away',
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
