/** Which of git's commands can wipe a work tree, and how much of it. */
import { optionsOf } from './options.ts';

/** git's wildcards cross folders, and its magic means what it likes. */
function isPattern(path: string): boolean {
  return path.startsWith(':') || /[*?[\\]/.test(path);
}

/** What it names, or everything; null where it wipes nothing. In doubt everything. */
export function wipes([verb = '', ...words]: readonly string[], exists: (path: string) => boolean): 'all' | readonly string[] | null {
  const { has, free, paths } = optionsOf(verb, words);
  const fromList = has(null, 'pathspec-from-file');
  const named = (said: readonly string[]): 'all' | readonly string[] => (said.length === 0 || fromList || said.some((path) => path === '.' || isPattern(path)) ? 'all' : said);
  const operands = (): 'all' | readonly string[] => named(paths === null ? free : [...free, ...paths]);
  switch (verb) {
    case 'stash': {
      const [sub = 'push'] = free;
      if (['list', 'show', 'drop', 'pop', 'apply', 'branch', 'create', 'store', 'clear'].includes(sub)) return null;
      return named(paths ?? (sub === 'push' ? free.slice(1) : []));
    }
    case 'reset':
      return has(null, 'hard', 'merge', 'keep') ? 'all' : null;
    case 'read-tree':
      return has('u') && has(null, 'reset') ? 'all' : null;
    case 'checkout-index':
      return has('f', 'force') ? (has('a', 'all') ? 'all' : operands()) : null;
    case 'rm':
      return has('f', 'force') && !has(null, 'cached') ? operands() : null;
    case 'clean':
      return has('n', 'dry-run') ? null : operands();
    case 'restore':
      return has('S', 'staged') && !has('W', 'worktree') ? null : operands();
    case 'checkout': {
      if (has('f', 'force')) return 'all';
      if (paths !== null || fromList) return named(paths ?? []);
      const files = free.filter((word, i) => i > 0 || exists(word) || isPattern(word));
      return files.length === 0 || has('b') || has('B') ? null : named(files);
    }
    case 'rebase':
    case 'am':
      return has(null, 'autostash', 'abort', 'skip') ? 'all' : null;
    case 'pull':
    case 'merge':
      return has(null, 'autostash') ? 'all' : null;
    case 'mv':
      return has('f', 'force') ? named((paths ?? free).slice(-1)) : null;
    case 'switch':
      return has('f', 'force', 'discard-changes') ? 'all' : null;
    default:
      return null;
  }
}
