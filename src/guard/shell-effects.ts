/**
 * What a shell command would wipe or write over in the work tree, by what is written in it.
 * Whatever it does beyond that shows afterwards, by the files.
 */
import { basename, join, resolve } from 'node:path';
import { effectOf, isPattern } from './effects.ts';
import { optionsOf } from './options.ts';
import { type SimpleCommand, simpleCommands } from './shell-words.ts';

export interface Effects {
  /** It can wipe all that is not committed, in this folder's work tree. */
  readonly wipesIn: readonly string[];
  /** The git verbs that do so. */
  readonly wipesBy: readonly string[];
  /** Files and directories, absolute; they may hold `*` and the like. */
  readonly writes: readonly string[];
  /** What it runs, word by word. */
  readonly commands: readonly (readonly string[])[];
  /** Its `git` and `coord` have to know whose they are. */
  readonly isOurs: boolean;
}

/** Words before the command itself. */
const prefixes: readonly string[] = [
  'sudo',
  'env',
  'command',
  'exec',
  'nohup',
  'nice',
  'time',
  'builtin',
  'then',
  'else',
  'do',
  'if',
  'while',
  'until',
  '!',
  '{',
  '(',
];
const nowhere = /^\/dev\/|^&?\d+$|^-$/;

/** Prefixes with options of their own, some with a value, and of `timeout` the time. */
const optioned = /^(sudo|env|nice|timeout|nohup|time|stdbuf|ionice|xargs)$/;

function bare({ words }: SimpleCommand): readonly string[] {
  let i = 0;
  for (; i < words.length; i += 1) {
    const word = words[i] ?? '';
    if (/^[A-Za-z_][A-Za-z0-9_]*=/.test(word)) continue;
    if (!prefixes.includes(word) && !optioned.test(word)) break;
    if (optioned.test(word)) {
      while (/^-/.test(words[i + 1] ?? '')) i += /^-[nugCPLI]$/.test(words[i + 1] ?? '') ? 2 : 1;
      if (word === 'timeout') i += 1;
    }
  }
  return words.slice(i);
}

function operands(words: readonly string[]): readonly string[] {
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
function written(
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

/** `git -C dir -c key=value verb ...`: the folder it works in, and the rest. */
function gitVerb(
  words: readonly string[],
  cwd: string,
): { readonly cwd: string; readonly rest: readonly string[] } {
  let [folder, i] = [cwd, 1];
  for (; i < words.length && (words[i] ?? '').startsWith('-'); i += 1) {
    if (words[i] === '-C') folder = resolve(folder, words[i + 1] ?? '.');
    if (/^(-C|-c|--git-dir|--work-tree|--namespace|--exec-path)$/.test(words[i] ?? '')) i += 1;
  }
  return { cwd: folder, rest: words.slice(i) };
}

export function effectsOf(
  command: string,
  cwd: string,
  exists: (file: string) => boolean,
  isFolder: (file: string) => boolean,
): Effects {
  const wipesIn = new Set<string>();
  const wipesBy = new Set<string>();
  const writes = new Set<string>();
  const commands: (readonly string[])[] = [];
  let folder = cwd;
  let isOurs = false;
  for (const simple of simpleCommands(command)) {
    const words = bare(simple);
    const [name = ''] = words;
    commands.push(words);
    const add = (file: string): unknown =>
      nowhere.test(file) ? null : writes.add(resolve(folder, file));
    for (const file of simple.writes) add(file);
    if (name === 'cd' || name === 'pushd')
      folder = resolve(folder, operands(words.slice(1))[0] ?? '.');
    else if (/^(.*\/)?git$/.test(name)) {
      const { cwd: there, rest } = gitVerb(words, folder);
      isOurs = true;
      const scope =
        rest[0] === 'commit'
          ? commitScope(rest)
          : wiped(rest, (path) => exists(resolve(there, path)));
      if (scope === 'all') {
        wipesIn.add(there);
        wipesBy.add(rest[0] ?? '');
      } else for (const path of scope ?? []) writes.add(resolve(there, path));
      if (rest[0] === 'mv')
        for (const path of operands(rest.slice(1))) writes.add(resolve(there, path));
    } else {
      if (/^(.*\/)?(git-)?coord$/.test(name)) isOurs = true;
      if (/^(.*\/)?(ba|da|z|k)?sh$/.test(name) && has(words, /^-[a-z]*c$/)) {
        const inner = effectsOf(
          words[words.findIndex((word) => /^-[a-z]*c$/.test(word)) + 1] ?? '',
          folder,
          exists,
          isFolder,
        );
        for (const there of inner.wipesIn) wipesIn.add(there);
        for (const verb of inner.wipesBy) wipesBy.add(verb);
        for (const file of inner.writes) writes.add(file);
        commands.push(...inner.commands);
        isOurs ||= inner.isOurs;
      }
      for (const file of written(words, (path) => isFolder(resolve(folder, path)))) add(file);
    }
  }
  return {
    wipesIn: [...wipesIn],
    wipesBy: [...wipesBy],
    writes: [...writes],
    commands,
    isOurs: isOurs || /\b(git|coord)\b/.test(command),
  };
}

/** Files that it surely overwrites or deletes. */
function wiped(
  rest: readonly string[],
  exists: (path: string) => boolean,
): 'all' | readonly string[] | null {
  const effect = effectOf(rest, exists);
  if (effect.kind === 'paths' && !effect.paths.some((path) => path === '.' || isPattern(path)))
    return effect.paths;
  return ['all', 'paths', 'cleans'].includes(effect.kind) ? 'all' : null;
}

/** `commit -a` takes everybody's changes along. */
function commitScope(rest: readonly string[]): 'all' | null {
  return optionsOf('commit', rest.slice(1)).has('a', 'all') ? 'all' : null;
}
