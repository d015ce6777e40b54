/** What a pattern was taken for, where its writer may have meant something else. */
import { pathOf } from '../core/pattern.ts';
import { shellLine } from '../core/shell-line.ts';

/** `key` is what has become of it. */
function oddity(arg: string, key: string): string | null {
  if (/[!@+*?]\(/.test(arg)) {
    return `'${arg}': parentheses mean nothing in a pattern and stand for themselves; write {a,b} for one or the other`;
  }
  const unclosed = ['[', '{'].find((open) => arg.includes(open) && key.includes(`\\${open}`));
  if (unclosed !== undefined)
    return `'${arg}': the ${unclosed} is not closed, so it stands for itself`;
  const [letters] = /\[[A-Za-z]{2,}\]/.exec(arg) ?? [];
  if (letters === undefined || pathOf(key) !== null) return null;
  const literally = shellLine('coord', 'reserve', '--literal', '--', arg);
  return `'${arg}': ${letters} stands for one of these letters; for a file of that very name: ${literally}`;
}

export function oddities(args: readonly string[], keys: readonly string[]): readonly string[] {
  return args.flatMap((arg, i) => oddity(arg, keys[i] ?? '') ?? []).map((said) => `note: ${said}`);
}
