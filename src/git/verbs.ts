/**
 * What coord knows of git's own commands, once: whoever looks at a command, in TypeScript or in a
 * shell (hooks/git-verbs is written from this), asks here. A verb that is not in the table may be an
 * alias or a program of somebody's, and may do anything.
 */

/**
 * - `harmless`: changes no file of a work tree, and takes no commit off its branch
 * - `apart`: has nothing to do with the index of a session, or makes one of its own
 * - `aside`: does not care whether HEAD has moved under an index
 * - `builds`: goes on from the branch that HEAD is on
 * - `forgets`: may take entries out of the index, and means it
 * - `begins`: may stop in the middle, with files of git's that say so
 * - `ends`: may end what has stopped so
 * - `replays`: gives up without a hook
 * - `follows`: runs a hook of git's after which the repository's own index comes along
 */
type Trait =
  | 'harmless'
  | 'apart'
  | 'aside'
  | 'builds'
  | 'forgets'
  | 'begins'
  | 'ends'
  | 'replays'
  | 'follows';

const harmless = ['harmless'] as const;
const aside = ['harmless', 'aside'] as const;
const none: readonly Trait[] = [];

const verbs: Readonly<Record<string, readonly Trait[]>> = {
  add: ['harmless', 'builds'],
  am: ['builds', 'begins', 'ends', 'replays'],
  annotate: harmless,
  apply: ['builds', 'forgets'],
  archive: harmless,
  bisect: none,
  blame: aside,
  branch: ['aside'],
  bundle: harmless,
  'cat-file': aside,
  'check-attr': harmless,
  'check-ignore': harmless,
  'check-mailmap': harmless,
  'check-ref-format': harmless,
  checkout: ['forgets', 'ends', 'follows'],
  'checkout-index': none,
  cherry: harmless,
  'cherry-pick': ['builds', 'begins', 'ends'],
  clean: none,
  clone: ['apart'],
  commit: ['harmless', 'follows'],
  'commit-graph': harmless,
  'commit-tree': harmless,
  config: ['harmless', 'apart'],
  'count-objects': harmless,
  describe: harmless,
  diff: ['harmless', 'builds'],
  'diff-files': harmless,
  'diff-index': harmless,
  'diff-tree': harmless,
  fetch: aside,
  'filter-branch': none,
  'for-each-ref': aside,
  'format-patch': harmless,
  fsck: harmless,
  gc: harmless,
  grep: harmless,
  'hash-object': harmless,
  help: ['harmless', 'apart'],
  init: ['apart'],
  'init-db': ['apart'],
  log: aside,
  'ls-files': harmless,
  'ls-remote': aside,
  'ls-tree': harmless,
  maintenance: harmless,
  merge: ['builds', 'begins', 'ends', 'follows'],
  'merge-base': harmless,
  'merge-file': harmless,
  'merge-tree': harmless,
  mktag: harmless,
  mktree: harmless,
  'multi-pack-index': harmless,
  mv: ['builds', 'forgets'],
  'name-rev': harmless,
  notes: aside,
  'pack-objects': harmless,
  'pack-redundant': harmless,
  'pack-refs': harmless,
  'patch-id': harmless,
  prune: harmless,
  pull: ['builds', 'begins', 'ends', 'follows'],
  push: aside,
  'range-diff': harmless,
  'read-tree': none,
  rebase: ['builds', 'begins', 'ends', 'replays', 'follows'],
  reflog: harmless,
  remote: aside,
  repack: harmless,
  replace: harmless,
  rerere: harmless,
  reset: ['builds', 'forgets', 'ends'],
  restore: ['builds', 'forgets'],
  'rev-list': harmless,
  'rev-parse': aside,
  revert: ['builds', 'begins', 'ends'],
  rm: ['builds', 'forgets'],
  shortlog: harmless,
  show: aside,
  'show-branch': harmless,
  'show-index': harmless,
  'show-ref': harmless,
  'sparse-checkout': harmless,
  stash: ['builds', 'forgets', 'ends'],
  status: ['harmless', 'builds'],
  stripspace: harmless,
  submodule: none,
  switch: ['forgets', 'ends', 'follows'],
  'symbolic-ref': none,
  tag: aside,
  'unpack-file': harmless,
  'unpack-objects': harmless,
  'update-index': ['harmless', 'forgets'],
  'update-ref': harmless,
  var: harmless,
  'verify-commit': harmless,
  'verify-pack': harmless,
  'verify-tag': harmless,
  version: ['harmless', 'apart'],
  whatchanged: harmless,
  worktree: ['apart'],
  'write-tree': harmless,
};

export const gitVerbs: ReadonlyMap<string, readonly Trait[]> = new Map(Object.entries(verbs));

export function is(verb: string, trait: Trait): boolean {
  return gitVerbs.get(verb)?.includes(trait) === true;
}

/** Options of git itself, before the verb, that take a value of their own. */
export const valuedOptions: readonly string[] = [
  '-C',
  '-c',
  '--git-dir',
  '--work-tree',
  '--namespace',
  '--exec-path',
  '--super-prefix',
  '--config-env',
  '--attr-source',
];
