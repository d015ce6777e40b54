/**
 * The words behind a verb of git: its options told apart from what they are about, as git itself
 * tells them.
 */

export interface Options {
  /** By its letter, also in a cluster, or by its name, which may be cut short. */
  has(letter: string | null, ...names: readonly string[]): boolean;
  /** Is there no other than these? */
  isOnly(letters: string, names: readonly string[]): boolean;
  /** What an option took along, the last time it was said. */
  value(...options: readonly string[]): string | undefined;
  /** Each time it was said. */
  all(...options: readonly string[]): readonly string[];
  /** Operands before `--`. */
  readonly free: readonly string[];
  /** Everything after `--`; null without it. */
  readonly paths: readonly string[] | null;
}

/** Options that take a value: letters, which may have it attached, and names. */
export const valued: Readonly<
  Record<string, readonly [letters: string, names: readonly string[]]>
> = {
  stash: ['m', ['message', 'pathspec-from-file']],
  clean: ['e', ['exclude']],
  restore: ['s', ['source', 'pathspec-from-file', 'conflict']],
  checkout: ['bB', ['orphan', 'conflict', 'pathspec-from-file']],
  switch: ['cC', ['create', 'force-create', 'orphan', 'conflict']],
  reset: ['', ['pathspec-from-file']],
  commit: [
    'mFCct',
    [
      'message',
      'file',
      'reuse-message',
      'reedit-message',
      'fixup',
      'squash',
      'author',
      'date',
      'template',
      'cleanup',
      'trailer',
      'pathspec-from-file',
    ],
  ],
  branch: ['u', ['set-upstream-to', 'format', 'sort', 'points-at']],
  merge: ['msXF', ['strategy', 'strategy-option', 'file', 'into-name']],
  rebase: ['xsXC', ['onto', 'exec', 'strategy', 'strategy-option']],
};

/** git takes any beginning of a name for the whole; in doubt it is the one that is asked for. */
function means(word: string, name: string): boolean {
  return word === `--${name}` || (word.length > 2 && `--${name}`.startsWith(word));
}

export function optionsOf(verb: string, words: readonly string[]): Options {
  const [valueLetters, valueNames] = valued[verb] ?? ['', []];
  const letters = new Set<string>();
  const names: string[] = [];
  const values: (readonly [string, string])[] = [];
  const free: string[] = [];
  const dashes = words.indexOf('--');
  const before = dashes < 0 ? words : words.slice(0, dashes);
  for (let i = 0; i < before.length; i += 1) {
    const word = before[i] ?? '';
    if (word.startsWith('--')) {
      const [name = ''] = word.split('=');
      names.push(name);
      const whole = valueNames.find((known) => means(name, known));
      if (whole !== undefined)
        values.push([
          whole,
          word.includes('=') ? word.slice(name.length + 1) : (before[(i += 1)] ?? ''),
        ]);
    } else if (/^-[A-Za-z0-9]/.test(word)) {
      const at = [...word].findIndex((letter, k) => k > 0 && valueLetters.includes(letter));
      for (const letter of at < 0 ? word.slice(1) : word.slice(1, at + 1)) letters.add(letter);
      if (at > 0)
        values.push([
          word[at] ?? '',
          at < word.length - 1 ? word.slice(at + 1) : (before[(i += 1)] ?? ''),
        ]);
    } else free.push(word);
  }
  const all = (options: readonly string[]): readonly string[] =>
    values.flatMap(([option, value]) => (options.includes(option) ? [value] : []));
  return {
    has: (letter, ...wanted) =>
      (letter !== null && letters.has(letter)) ||
      names.some((name) => wanted.some((known) => means(name, known))),
    isOnly: (known, wanted) =>
      [...letters].every((letter) => known.includes(letter)) &&
      names.every((name) => wanted.some((other) => means(name, other))),
    value: (...options) => all(options).at(-1),
    all: (...options) => all(options),
    free,
    paths: dashes < 0 ? null : words.slice(dashes + 1),
  };
}

/** A commit of named files takes them from the work tree, and nothing else that is staged. */
export function isPartial(words: readonly string[]): boolean {
  const { has, free, paths } = optionsOf('commit', words);
  if (has('i', 'include')) return false;
  return (
    has('o', 'only') ||
    free.length > 0 ||
    (paths ?? []).length > 0 ||
    has(null, 'pathspec-from-file')
  );
}
