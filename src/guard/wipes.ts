/** Which of git's commands can wipe a work tree, and how much of it. */

/** Options that take the next word with them. */
const takesValue: Readonly<Record<string, RegExp>> = { stash: /^(-m|--message)$/, clean: /^(-e|--exclude)$/, restore: /^(-s|--source)$/, checkout: /^(-b|-B|--orphan|--conflict)$/, switch: /^(-c|-C|--orphan|--conflict)$/ };

/** git's wildcards cross folders, and its magic means what it likes. */
function isPattern(path: string): boolean {
  return path.startsWith(':') || /[*?[\\]/.test(path);
}

/** Commands that can wipe a work tree; what they name, or everything. In doubt everything. */
export function wipes([verb = '', ...words]: readonly string[], exists: (path: string) => boolean): 'all' | readonly string[] | null {
  const dashes = words.indexOf('--');
  const before = dashes < 0 ? words : words.slice(0, dashes);
  const said = before.filter((_word, i) => takesValue[verb]?.test(before[i - 1] ?? '') !== true);
  const free = said.filter((word) => !word.startsWith('-'));
  // git takes any beginning of a long option for the whole.
  const isShort = (flag: string, long: string): boolean => flag === long || (flag.length > 2 && long.startsWith(flag));
  const has = (short: string, ...long: readonly string[]): boolean => said.some((flag) => long.some((option) => isShort(flag, option)) || (/^-[A-Za-z]+$/.test(flag) && flag.includes(short)));
  const named = (paths: readonly string[]): 'all' | readonly string[] => (paths.length === 0 || said.some((flag) => flag.startsWith('--pathspec-f')) || paths.some((path) => path === '.' || isPattern(path)) ? 'all' : paths);
  const paths = dashes < 0 ? null : words.slice(dashes + 1);
  switch (verb) {
    case 'stash': {
      const [sub = 'push'] = free;
      if (['list', 'show', 'drop', 'pop', 'apply', 'branch', 'create', 'store', 'clear'].includes(sub)) return null;
      return named(paths ?? (sub === 'push' ? free.slice(1) : []));
    }
    case 'reset':
      return has('\0', '--hard', '--merge', '--keep') ? 'all' : null;
    case 'read-tree':
      return has('u') && has('\0', '--reset') ? 'all' : null;
    case 'checkout-index':
      return has('f', '--force') ? (has('a', '--all') ? 'all' : named(paths ?? free)) : null;
    case 'rm':
      return has('f', '--force') && !has('\0', '--cached') ? named(paths ?? free) : null;
    case 'clean':
      return has('n', '--dry-run') ? null : named(paths ?? free);
    case 'restore':
      return has('S', '--staged') && !has('W', '--worktree') ? null : named(paths ?? free);
    case 'checkout': {
      if (has('f', '--force')) return 'all';
      if (paths !== null || said.some((flag) => flag.startsWith('--pathspec-f'))) return named(paths ?? []);
      const files = free.filter((word, i) => i > 0 || exists(word) || isPattern(word));
      return files.length === 0 ? null : named(files);
    }
    case 'rebase':
    case 'am':
      return has('\0', '--autostash', '--abort', '--skip') ? 'all' : null;
    case 'pull':
    case 'merge':
      return has('\0', '--autostash') ? 'all' : null;
    case 'mv':
      return has('f', '--force') ? named(free.slice(-1)) : null;
    case 'switch':
      return has('f', '--force', '--discard-changes') ? 'all' : null;
    default:
      return null;
  }
}
