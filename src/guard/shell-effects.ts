/**
 * What a shell command would wipe or write over in the work tree, by what is written in it.
 * Whatever it does beyond that shows afterwards, by the files.
 */
import { resolve } from 'node:path';
import { pathsInPatch, withoutPatches } from '../core/patch-text.ts';
import { effectOf, isPattern } from './effects.ts';
import { optionsOf } from './options.ts';
import { type SimpleCommand, simpleCommands } from './shell-words.ts';
import { operands, written } from './written-operands.ts';

export interface Effects {
  /** It can wipe all that is not committed, in this folder's work tree. */
  readonly wipesIn: readonly string[];
  /** The git verbs that do so. */
  readonly wipesBy: readonly string[];
  /** Files and directories, absolute; they may hold `*` and the like. */
  readonly writes: readonly string[];
  /** Files that a patch in it edits, absolute: as an edit tool would. */
  readonly edits: readonly string[];
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

/** What is read off the file system on the way. */
interface Files {
  exists(file: string): boolean;
  isFolder(file: string): boolean;
}

/** Shells within shells: nobody writes more of them, but to make coord look for ever. */
const mostShells = 8;

/** What a command of several adds to what all of them do. */
class Sum {
  readonly wipesIn = new Set<string>();
  readonly wipesBy = new Set<string>();
  readonly writes = new Set<string>();
  readonly edits = new Set<string>();
  readonly commands: (readonly string[])[] = [];
  /** Here-documents that are patches, and no part of what is run. */
  readonly patches: string[] = [];
  isOurs = false;

  add(more: Effects): void {
    for (const folder of more.wipesIn) this.wipesIn.add(folder);
    for (const verb of more.wipesBy) this.wipesBy.add(verb);
    for (const file of more.writes) this.writes.add(file);
    for (const file of more.edits) this.edits.add(file);
    this.commands.push(...more.commands);
    this.isOurs ||= more.isOurs;
  }

  writesTo(folder: string, file: string): void {
    if (!nowhere.test(file)) this.writes.add(resolve(folder, file));
  }
}

export function effectsOf(
  command: string,
  cwd: string,
  exists: (file: string) => boolean,
  isFolder: (file: string) => boolean,
  depth = 0,
): Effects {
  const sum = new Sum();
  let folder = cwd;
  let patched: readonly string[] | null = null;
  const all = (): readonly string[] => (patched ??= pathsInPatch(command));
  for (const simple of simpleCommands(command)) {
    const words = bare(simple);
    sum.commands.push(words);
    for (const file of simple.writes) sum.writesTo(folder, file);
    const [name = ''] = words;
    if (name === 'cd' || name === 'pushd')
      folder = resolve(folder, operands(words.slice(1))[0] ?? '.');
    else if (/^(.*\/)?git$/.test(name)) addGit(sum, words, folder, exists);
    else if (/^(.*\/)?apply_?patch$/.test(name)) addPatch(sum, simple.input, folder, all);
    else addProgram(sum, { words, input: simple.input }, folder, { exists, isFolder }, depth);
  }
  return {
    wipesIn: [...sum.wipesIn],
    wipesBy: [...sum.wipesBy],
    writes: [...sum.writes],
    edits: [...sum.edits],
    commands: sum.commands,
    isOurs: sum.isOurs || /\b(git|coord)\b/.test(withoutPatches(command, sum.patches)),
  };
}

function addGit(sum: Sum, words: readonly string[], folder: string, exists: Files['exists']): void {
  const { cwd: there, rest } = gitVerb(words, folder);
  sum.isOurs = true;
  const scope =
    rest[0] === 'commit' ? commitScope(rest) : wiped(rest, (path) => exists(resolve(there, path)));
  if (scope === 'all') {
    sum.wipesIn.add(there);
    sum.wipesBy.add(rest[0] ?? '');
  } else for (const path of scope ?? []) sum.writes.add(resolve(there, path));
  if (rest[0] === 'mv')
    for (const path of operands(rest.slice(1))) sum.writes.add(resolve(there, path));
}

/** Agents are taught to edit by it; some programs run it as a tool of theirs and tell nobody. */
function addPatch(sum: Sum, input: string, folder: string, all: () => readonly string[]): void {
  const own = pathsInPatch(input);
  if (own.length > 0) sum.patches.push(input);
  // Else it comes as an argument or through a pipe, in quotes that only a shell can read.
  for (const path of own.length > 0 ? own : all()) sum.edits.add(resolve(folder, path));
}

function addProgram(
  sum: Sum,
  { words, input }: Pick<SimpleCommand, 'words' | 'input'>,
  folder: string,
  { exists, isFolder }: Files,
  depth: number,
): void {
  const [name = ''] = words;
  if (/^(.*\/)?(git-)?coord$/.test(name)) sum.isOurs = true;
  if (depth < mostShells && /^(.*\/)?(ba|da|z|k)?sh$/.test(name)) {
    const script = words.findIndex((word) => /^-[a-z]*c$/.test(word));
    const text = script < 0 ? input : (words[script + 1] ?? '');
    sum.add(effectsOf(text, folder, exists, isFolder, depth + 1));
  }
  for (const file of written(words, (path) => isFolder(resolve(folder, path))))
    sum.writesTo(folder, file);
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
