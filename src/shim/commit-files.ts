/** What the guard and the hooks of one commit tell each other, from its pre-commit to its end. */
import type { SharedFile } from './shared-file.ts';

const oid = /^[0-9a-f]{40,64}$/;
const text = /^/;
const noLines = {};
const ofCommit = { of: 'work tree', counts: 'for this commit' } as const;

type CommitName = 'after' | 'nextIndex' | 'seenIndex' | 'signed' | 'landed';

export const commitFiles: Readonly<Record<CommitName, SharedFile>> = {
  after: {
    ...ofCommit,
    name: 'commit-<git>/after',
    lines: { tally: text, note: text },
    writers: ['coord'],
    readers: ['shim'],
    says: 'what the log is to be told of the commit, and in which file; empty for a person',
  },
  nextIndex: {
    ...ofCommit,
    name: 'commit-<git>/index',
    lines: noLines,
    writers: ['coord'],
    readers: ['shim'],
    says: "the repository's own index as it will be after the commit",
  },
  seenIndex: {
    ...ofCommit,
    name: 'commit-<git>/seen',
    lines: noLines,
    writers: ['coord'],
    readers: ['shim'],
    says: 'a second name of the index that it was made from: another one by then stays',
  },
  signed: {
    ...ofCommit,
    name: 'commit-<git>/signed',
    lines: noLines,
    writers: ['shim'],
    readers: ['coord', 'shim'],
    says: 'the message has its trailer',
  },
  landed: {
    ...ofCommit,
    name: 'commit-<git>/landed',
    lines: { commit: oid },
    writers: ['shim'],
    readers: ['shim'],
    says: 'the commit that came as it was judged',
  },
};
