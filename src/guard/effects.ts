/**
 * What a git command may do to files that are in no commit, by its options. Where git itself refuses to overwrite a changed file (merge, switch, pull) a command
 * does nothing here.
 */
import { is } from '../git/verbs.ts';
import { type Options, optionsOf } from './options.ts';

export type Effect =
  | { readonly kind: 'nothing' }
  /** Another commit is put in place: git keeps changed files, and overwrites ignored ones. */
  | { readonly kind: 'switches' }
  /** The same, but changed files that differ there are merged with it, or get its conflicts. */
  | { readonly kind: 'merges' }
  /**
   * Whatever is in the files that these name in git's own notation, from where the command runs.
   */
  | { readonly kind: 'paths'; readonly paths: readonly string[]; readonly untracked?: boolean }
  /** Untracked files, as `git clean -n` with the same words lists them. */
  | { readonly kind: 'cleans' }
  /** Files that the index has otherwise than HEAD: what `merge --abort` takes back. */
  | { readonly kind: 'staged' }
  /** Untracked files only where that is said, or where a commit that is named brings one. */
  | { readonly kind: 'all'; readonly untracked?: boolean }
  /** It runs other programs, asks its user, or is none of git's own commands. */
  | { readonly kind: 'unknown' };

type Rule = (options: Options, exists: (path: string) => boolean) => Effect;

const nothing: Effect = { kind: 'nothing' };
const switches: Effect = { kind: 'switches' };
const merges: Effect = { kind: 'merges' };
const staged: Effect = { kind: 'staged' };
const all = { kind: 'all' } as const;
const unknown: Effect = { kind: 'unknown' };

/** git's wildcards cross folders, and its magic means what it likes. */
export function isPattern(path: string): boolean {
  return path.startsWith(':') || /[*?[\\]/.test(path);
}

/** What is named, or everything where nothing is. */
function named(
  { has }: Options,
  said: readonly string[],
): Extract<Effect, { kind: 'all' | 'paths' }> {
  const isAll = said.length === 0 || has(null, 'pathspec-from-file');
  return isAll ? all : { kind: 'paths', paths: said };
}

const operands: Rule = (options) => named(options, [...options.free, ...(options.paths ?? [])]);

/** Piece by piece, as its user answers. */
function isAsking({ has }: Options): boolean {
  return has('p', 'patch', 'interactive');
}

/** A style of conflicts is asked for only where there may be some. */
function isMerging({ has }: Options): boolean {
  return has('m', 'merge', 'conflict');
}

const rules: Readonly<Record<string, Rule>> = {
  stash: (options) => {
    const [sub = 'push'] = options.free;
    const others = ['list', 'show', 'drop', 'pop', 'apply', 'branch', 'create', 'store', 'clear'];
    if (others.includes(sub)) return nothing;
    if (isAsking(options)) return unknown;
    const effect = named(options, options.paths ?? (sub === 'push' ? options.free.slice(1) : []));
    const isWide = options.has('u', 'include-untracked') || options.has('a', 'all');
    return isWide ? { ...effect, untracked: true } : effect;
  },
  reset: ({ has }) => (has(null, 'hard') ? all : has(null, 'merge') ? staged : nothing),
  'read-tree': ({ has }) => (has('u') ? (has(null, 'reset') ? all : switches) : nothing),
  'checkout-index': (options, exists) => {
    if (!options.has('f', 'force')) return nothing;
    return options.has('a', 'all') ? all : operands(options, exists);
  },
  rm: (options, exists) =>
    options.has('f', 'force') && !options.has(null, 'cached') ? operands(options, exists) : nothing,
  clean: (options) => {
    if (options.has('n', 'dry-run')) return nothing;
    return options.has('i', 'interactive') ? unknown : { kind: 'cleans' };
  },
  restore: (options, exists) => {
    if (options.has('S', 'staged') && !options.has('W', 'worktree')) return nothing;
    return isAsking(options) ? unknown : operands(options, exists);
  },
  checkout: (options, exists) => {
    const { has, free, paths } = options;
    if (isAsking(options)) return unknown;
    if (has('f', 'force')) return all;
    if (paths !== null || has(null, 'pathspec-from-file')) {
      return paths?.length === 0 ? switches : named(options, paths ?? []);
    }
    const files = free.filter((word, i) => i > 0 || exists(word) || isPattern(word));
    if (files.length > 0 && !has('b') && !has('B')) return named(options, files);
    return isMerging(options) ? merges : switches;
  },
  switch: (options) => {
    if (options.has('f', 'force', 'discard-changes')) return all;
    return isMerging(options) ? merges : switches;
  },
  rebase: ({ has }) => {
    if (has(null, 'autostash', 'abort', 'skip')) return all;
    return has('x', 'exec') || has('i', 'interactive') ? unknown : switches;
  },
  am: ({ has }) => (has(null, 'abort', 'skip') ? staged : nothing),
  pull: ({ has }) => (has(null, 'autostash') ? all : switches),
  merge: ({ has }) => (has(null, 'abort') ? staged : has(null, 'autostash') ? all : switches),
  'cherry-pick': ({ has }) => (has(null, 'abort', 'skip') ? staged : switches),
  revert: ({ has }) => (has(null, 'abort', 'skip') ? staged : nothing),
  mv: (options) =>
    options.has('f', 'force') ? named(options, (options.paths ?? options.free).slice(-1)) : nothing,
  branch: () => nothing,
  'symbolic-ref': () => nothing,
  apply: ({ has }) =>
    has(null, 'check', 'stat', 'numstat', 'summary', 'cached') ? nothing : unknown,
  bisect: ({ free: [sub] }) => (sub === 'run' ? unknown : sub === 'log' ? nothing : switches),
  worktree: ({ has, free: [sub] }) =>
    sub === 'remove' && has('f', 'force') ? { kind: 'all', untracked: true } : nothing,
  submodule: ({ free: [sub = 'status'] }) =>
    ['status', 'init', 'summary'].includes(sub) ? nothing : unknown,
};

export function effectOf(
  [verb = '', ...words]: readonly string[],
  exists: (path: string) => boolean,
): Effect {
  const rule = Object.hasOwn(rules, verb) ? rules[verb] : undefined;
  if (rule !== undefined) return rule(optionsOf(verb, words), exists);
  return is(verb, 'harmless') ? nothing : unknown;
}
