/** Which files a program of everyday use writes to, by the words it is called with. */
import { basename, join } from 'node:path';

export function operands(words: readonly string[]): readonly string[] {
  const dashes = words.indexOf('--');
  return dashes < 0
    ? words.filter((word) => !word.startsWith('-'))
    : [
        ...words.slice(0, dashes).filter((word) => !word.startsWith('-')),
        ...words.slice(dashes + 1),
      ];
}

function has(words: readonly string[], pattern: RegExp): boolean {
  return words.some((word) => pattern.test(word));
}

/** What is left where the script stands behind an option, or else first. */
function withoutScript(words: readonly string[], option: RegExp): readonly string[] {
  return has(words, option)
    ? operands(words.filter((_word, i) => !option.test(words[i - 1] ?? '')))
    : operands(words).slice(1);
}

/** Where copies go: what is put into a folder has its own name there. */
function into(
  words: readonly string[],
  plain: readonly string[],
  isFolder: (file: string) => boolean,
): readonly string[] {
  const said = words.flatMap((word, i) =>
    words[i - 1] === '-t' ? word : (/^--target-directory=(.+)$/.exec(word)?.[1] ?? []),
  )[0];
  const target = said ?? plain.at(-1);
  if (target === undefined) return [];
  const sources = plain.filter((word) => word !== target);
  return said !== undefined || isFolder(target) || target.endsWith('/')
    ? sources.map((source) => join(target, basename(source)))
    : [target];
}

/** Which operands a command writes to, deletes or replaces. */
export function written(
  [name = '', ...words]: readonly string[],
  isFolder: (file: string) => boolean,
): readonly string[] {
  const plain = operands(words);
  switch (name.slice(name.lastIndexOf('/') + 1)) {
    case 'rm':
    case 'rmdir':
    case 'unlink':
    case 'shred':
    case 'tee':
    case 'truncate':
    case 'touch':
      return plain;
    case 'sort':
    case 'sponge':
      return name.endsWith('sponge')
        ? plain
        : words.flatMap((word, i) => (words[i - 1] === '-o' ? word : []));
    case 'mv':
      return [...plain.slice(0, -1), ...into(words, plain, isFolder)];
    case 'cp':
    case 'ln':
    case 'install':
    case 'rsync':
      return has(words, /^(-[a-zA-Z]*n[a-zA-Z]*|--dry-run)$/) && name.endsWith('rsync')
        ? []
        : into(words, plain, isFolder);
    case 'find':
      return words.includes('-delete') ? plain.slice(0, 1) : [];
    case 'sed':
      return has(words, /^(-[a-zA-Z]*i|--in-place)/)
        ? withoutScript(words, /^(-[a-zA-Z]*[ef]|--expression|--file)$/)
        : [];
    case 'perl':
    case 'ruby':
      return has(words, /^-[a-zA-Z0-9]*i/) ? withoutScript(words, /^-[a-zA-Z0-9]*e$/) : [];
    case 'dd':
      return words.flatMap((word) => /^of=(.+)$/.exec(word)?.[1] ?? []);
    case 'prettier':
      return has(words, /^(-w|--write)$/) ? plain : [];
    case 'gofmt':
    case 'eslint':
      return has(words, /^(-w|--fix)$/) ? plain : [];
    case 'black':
    case 'isort':
    case 'rustfmt':
      return has(words, /^--(check|diff)/) ? [] : plain;
    default:
      return [];
  }
}
