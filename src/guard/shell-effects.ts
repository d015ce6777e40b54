/**
 * What a shell command would wipe or write over in the work tree, by what is written in it.
 * Whatever it does beyond that shows afterwards, by the files.
 */
import { resolve } from 'node:path';
import { type Change, changesInPatch, pathsInPatch, withoutPatches } from '../core/patch-text.ts';
import { effectOf, isPattern } from './effects.ts';
import { type SimpleCommand, simpleCommands } from './shell-words.ts';
import { operands, written } from './written-operands.ts';

/** A command of git: the folder it works in, its verb and what follows. */
export interface GitCall {
  readonly cwd: string;
  readonly words: readonly string[];
}

export interface Effects {
  /** It can wipe all that is not committed, in this folder's work tree. */
  readonly wipesIn: readonly string[];
  /** The git verbs that do so. */
  readonly wipesBy: readonly string[];
  /** Files and directories, absolute; they may hold `*` and the like. */
  readonly writes: readonly string[];
  /** Of these, what git puts back or takes away whole. */
  readonly restores: readonly string[];
  /** Files that a patch in it edits, absolute: as an edit tool would. */
  readonly edits: readonly string[];
  /** What becomes of files that it edits or writes as a whole, as far as its text tells. */
  readonly changes: readonly Change[];
  /** What it runs, word by word. */
  readonly commands: readonly (readonly string[])[];
  /** Of those, what git is asked to do. */
  readonly git: readonly GitCall[];
  /** It runs git or coord, or what may do so: these have to know whose they are. */
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
/** A script, or what is there to run others. */
const runsOthers = /\/|^((ba|da|z|k)?sh|make|just|task|npm|npx|pnpm|yarn|bun|deno|source|\.)$/;
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
function gitVerb(words: readonly string[], cwd: string): GitCall {
  let [folder, i] = [cwd, 1];
  for (; i < words.length && (words[i] ?? '').startsWith('-'); i += 1) {
    if (words[i] === '-C') folder = resolve(folder, words[i + 1] ?? '.');
    if (/^(-C|-c|--git-dir|--work-tree|--namespace|--exec-path)$/.test(words[i] ?? '')) i += 1;
  }
  return { cwd: folder, words: words.slice(i) };
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
  readonly restores = new Set<string>();
  readonly edits = new Set<string>();
  readonly changes: Change[] = [];
  readonly commands: (readonly string[])[] = [];
  readonly git: GitCall[] = [];
  /** Here-documents that are patches, and no part of what is run. */
  readonly patches: string[] = [];
  isOurs = false;

  add(more: Effects): void {
    for (const folder of more.wipesIn) this.wipesIn.add(folder);
    for (const verb of more.wipesBy) this.wipesBy.add(verb);
    for (const file of more.writes) this.writes.add(file);
    for (const file of more.restores) this.restores.add(file);
    for (const file of more.edits) this.edits.add(file);
    this.changes.push(...more.changes);
    this.commands.push(...more.commands);
    this.git.push(...more.git);
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
    addText(sum, simple, words, folder);
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
    restores: [...sum.restores],
    edits: [...sum.edits],
    changes: sum.changes,
    commands: sum.commands,
    git: sum.git,
    isOurs: sum.isOurs || /\b(git|coord)\b/.test(withoutPatches(command, sum.patches)),
  };
}

function addGit(sum: Sum, words: readonly string[], folder: string, exists: Files['exists']): void {
  const call = gitVerb(words, folder);
  const { cwd: there, words: rest } = call;
  sum.git.push(call);
  sum.isOurs = true;
  const scope = wiped(rest, (path) => exists(resolve(there, path)));
  if (scope === 'all') {
    sum.wipesIn.add(there);
    sum.wipesBy.add(rest[0] ?? '');
  }
  const named = scope === 'all' ? [] : (scope ?? []);
  for (const path of rest[0] === 'mv' ? operands(rest.slice(1)) : named) {
    sum.writes.add(resolve(there, path));
    sum.restores.add(resolve(there, path));
  }
}

/** A file that gets just what stands in a here-document. */
function addText(
  sum: Sum,
  { empties, input, isLiteral }: SimpleCommand,
  [name = '', ...rest]: readonly string[],
  folder: string,
): void {
  if (!isLiteral || input === '') return;
  const isCat = /^(.*\/)?cat$/.test(name) && rest.every((word) => word === '-');
  const isTee = /^(.*\/)?tee$/.test(name) && !rest.some((word) => word.startsWith('-'));
  for (const file of isCat ? empties : isTee ? rest : [])
    if (!nowhere.test(file))
      sum.changes.push({ kind: 'whole', path: resolve(folder, file), text: input });
}

/** Agents are taught to edit by it; some programs run it as a tool of theirs and tell nobody. */
function addPatch(sum: Sum, input: string, folder: string, all: () => readonly string[]): void {
  const own = pathsInPatch(input);
  if (own.length > 0) sum.patches.push(input);
  for (const change of changesInPatch(input))
    sum.changes.push({ ...change, path: resolve(folder, change.path) });
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
  if (runsOthers.test(name)) sum.isOurs = true;
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
