/**
 * Hooks where git really looks for them. A hook that is there already keeps every byte: coord's
 * lines go into it between two marks, or, where it is no shell script, it is moved aside and called
 * from ours. Taking coord's lines out again gives back what was.
 */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { CoordError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { readRegular, regularText } from './regular-file.ts';
import type { Repository } from './repository.ts';
import { git, runGit, runPlain } from './run-git.ts';

export const hookEvents = [
  'pre-commit',
  'pre-merge-commit',
  'prepare-commit-msg',
  'commit-msg',
  'post-commit',
  'post-merge',
  'pre-rebase',
  'post-checkout',
  'post-rewrite',
  'reference-transaction',
  'pre-push',
] as const;

/** These are told something on standard input, and a script behind ours wants it too. */
const readsInput: readonly string[] = [
  'post-rewrite',
  'reference-transaction',
  'pre-push',
  'pre-receive',
];

/**
 * Of a bare repository that others push to: the one that sees a push as a whole, or, where a server
 * has no such, the one that sees it ref by ref.
 */
export const serverEvents = ['pre-receive', 'update'] as const;

const begin = '# >>> coord >>>';
const end = '# <<< coord <<<';
const moved = '.before-coord';
const ours = '#!/bin/sh\n# Made by coord install; coord uninstall takes it away.\n';

export interface Shim {
  readonly node: string;
  readonly file: string;
}

export type HookPlan = {
  readonly event: string;
  readonly file: string;
  readonly action: 'create' | 'insert' | 'wrap' | 'update' | 'keep';
  readonly text: string;
};

/**
 * The folder that git uses: `core.hooksPath`, a hook manager's, a linked work tree's. Its own
 * answer, not ours.
 */
export function hooksFolder(repository: Repository): string {
  const { stdout } = runPlain(repository.git, [
    '-C',
    repository.top,
    'rev-parse',
    '--git-path',
    'hooks',
  ]);
  const said = stdout.toString('utf8').replace(/\n$/, '');
  return isAbsolute(said) ? said : resolve(repository.top, said);
}

/**
 * Where git has hooks in its configuration, they are independent of folders and of hook managers.
 */
export function hasConfigHooks({ git, top }: Repository): boolean {
  // Older ones know no such command, or none of that name.
  const { code, stderr } = runPlain(git, ['-C', top, 'hook', 'list', 'pre-commit']);
  return (code === 0 || code === 1) && !stderr.includes('is not a git command');
}

const configName = (event: string): string => `hook.coord-${event}`;

/** git's own process id tells the two calls for one ref update that they belong together. */
export function commandFor(event: string, { node, file }: Shim): string {
  return `COORD_GIT_PID=$PPID COORD_NODE=${quote(node)} ${quote(file)} ${event}`;
}

/**
 * The same inside a script that is a shell already: no process is started for it where there is
 * nothing to do.
 */
function sourced(event: string, { node, file }: Shim): readonly string[] {
  return [
    `COORD_GIT_PID=$PPID COORD_NODE=${quote(node)} coord_hooks=${quote(dirname(file))}`,
    'export COORD_GIT_PID COORD_NODE',
    `. ${quote(file)}`,
    `coord_hook ${event} "$@"`,
  ];
}

export function installConfig({ git: program, top }: Repository, shim: Shim): void {
  for (const event of hookEvents) {
    git(program, [
      '-C',
      top,
      'config',
      '--local',
      `${configName(event)}.command`,
      commandFor(event, shim),
    ]);
    git(program, ['-C', top, 'config', '--local', `${configName(event)}.event`, event]);
  }
}

export function uninstallConfig(
  { git: program, top }: Repository,
  dryRun: boolean,
): readonly string[] {
  return hookEvents.map(configName).filter((name) => {
    const present =
      runGit(program, ['-C', top, 'config', '--local', '--get', `${name}.command`]).code === 0;
    if (present && !dryRun)
      git(program, ['-C', top, 'config', '--local', '--remove-section', name]);
    return present;
  });
}

/** Events for which git would not run coord. */
export function missingHooks(repository: Repository): readonly string[] {
  const folder = hooksFolder(repository);
  const inConfig = (event: string): boolean =>
    runGit(repository.git, [
      '-C',
      repository.top,
      'config',
      '--get',
      `${configName(event)}.command`,
    ]).code === 0;
  const byConfig = hasConfigHooks(repository);
  return hookEvents.filter(
    (event) => !inFile(join(folder, event)) && !(byConfig && inConfig(event)),
  );
}

/** The bytes of a hook, one character each; null where there is none that can be read. */
export function hookText(file: string): string | null {
  return regularText(file, limits.hookBytes, 'latin1');
}

function inFile(file: string): boolean {
  const text = hookText(file);
  return text !== null && takeOut(text) !== text && (lstatSync(file).mode & 0o111) !== 0;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The lines between the marks. Absent coord is the one thing that lets everything pass. */
function section(event: string, shim: Shim, isAlone: boolean): string {
  const { file } = shim;
  const missing = `  echo ${quote(`coord: '${file}' is gone, so nothing is guarded: npm install --global git-coord, or take these lines out of this hook`)} >&2`;
  // In somebody else's script a shell of its own keeps our variables from theirs.
  const apart = `(set +eu; ${sourced(event, shim).join('; ')})`;
  const fed = [
    '  coord_input=$(cat; echo .)',
    '  coord_input=${coord_input%.}',
    `  printf %s "$coord_input" | ${apart} || exit $?`,
    '  if [ -z "$coord_input" ]; then exec </dev/null; else',
    '    exec <<COORD_INPUT',
    '${coord_input%?}',
    'COORD_INPUT',
    '  fi',
  ];
  const run = isAlone
    ? [...sourced(event, shim).map((line) => `  ${line}`), '  [ $? = 0 ] || exit 1']
    : readsInput.includes(event)
      ? fed
      : [`  ${apart} </dev/null || exit $?`];
  return [begin, `if [ -x ${quote(file)} ]; then`, ...run, 'else', missing, 'fi', end, ''].join(
    '\n',
  );
}

export function isProgram(file: string): boolean {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat?.isFile() === true && (stat.mode & 0o111) !== 0;
}

function shellScript(text: string): boolean {
  return /^#!\s*(\/usr)?\/bin\/(env\s+)?(ba|da|k|a)?sh\b.*\n/.test(text);
}

export function planInstall(
  folder: string,
  shim: Shim,
  events: readonly string[] = hookEvents,
): readonly HookPlan[] {
  return events.map((event) => {
    const file = join(folder, event);
    const stat = lstatSync(file, { throwIfNoEntry: false });
    if (stat?.isSymbolicLink() === true)
      throw new CoordError(
        'not_writable',
        `the hook '${file}' is a symbolic link`,
        'make it a file of its own, or set core.hooksPath to a folder of this repository',
      );
    const lines = section(event, shim, false);
    const alone = section(event, shim, true);
    if (stat === undefined) return { event, file, action: 'create', text: `${ours}${alone}` };
    const content = readRegular(file, limits.hookBytes);
    if (content.kind === 'unread')
      throw new CoordError(
        'not_writable',
        `nothing is added to the hook '${file}': ${content.why}`,
        'make it a file of its own',
      );
    const was = content.kind === 'file' ? content.bytes.toString('latin1') : '';
    const without = takeOut(was);
    if (without !== was) {
      const renewed = putIn(without, without === ours ? alone : lines);
      return { event, file, action: renewed === was ? 'keep' : 'update', text: renewed };
    }
    // One that is switched off must not come to life by our doing.
    const isOn = (stat.mode & 0o111) !== 0;
    if (isOn && shellScript(was)) return { event, file, action: 'insert', text: putIn(was, lines) };
    return {
      event,
      file,
      action: 'wrap',
      text: `${ours}${lines}${isOn ? `exec ${quote(`${file}${moved}`)} "$@"\n` : ''}`,
    };
  });
}

/** Behind the first line, before anything that may exit or exec. */
function putIn(text: string, lines: string): string {
  const first = text.startsWith(ours) ? ours.length : text.indexOf('\n') + 1;
  return `${text.slice(0, first)}${lines}${text.slice(first)}`;
}

/** What is between the marks. */
export function coordLines(text: string): string {
  const from = text.indexOf(`${begin}\n`);
  const to = text.indexOf(`${end}\n`, from);
  return from < 0 || to < 0 ? '' : text.slice(from, to + end.length + 1);
}

/** Does somebody else's script run for this event too? */
export function isShared(repository: Repository, event: string): boolean {
  const file = join(hooksFolder(repository), event);
  const text = hookText(file);
  return (
    existsSync(`${file}${moved}`) || (text !== null && takeOut(text) !== ours && isProgram(file))
  );
}

function takeOut(text: string): string {
  return text.replace(coordLines(text), () => '');
}

export function install(folder: string, plan: readonly HookPlan[]): void {
  mkdirSync(folder, { recursive: true });
  for (const { file, action, text } of plan) {
    if (action === 'keep') continue;
    const mode = existsSync(file) ? lstatSync(file).mode & 0o777 : 0o755;
    if (action === 'wrap') {
      // What was moved aside before is somebody's still.
      if (existsSync(`${file}${moved}`))
        throw new CoordError(
          'not_writable',
          `'${file}${moved}' is there already`,
          'take it away, or put it back as the hook',
        );
      renameSync(file, `${file}${moved}`);
    }
    const draft = `${file}.coord-draft`;
    writeFileSync(draft, text, 'latin1');
    chmodSync(draft, action === 'wrap' ? 0o755 : mode);
    renameSync(draft, file);
  }
}

/**
 * Nothing in it but the call of what was moved aside, or not even that where it was switched off.
 */
function isWrapper(without: string, file: string): boolean {
  return without === ours || without === `${ours}exec ${quote(`${file}${moved}`)} "$@"\n`;
}

/** Says which hooks were given back; a hook that was ours alone goes. */
export function uninstall(
  folder: string,
  dryRun: boolean,
  events: readonly string[] = hookEvents,
): readonly string[] {
  return events.flatMap((event) => {
    const file = join(folder, event);
    const was = hookText(file);
    if (was === null) return [];
    const without = takeOut(was);
    if (without === was) return [];
    if (dryRun) return [file];
    if (existsSync(`${file}${moved}`) && isWrapper(without, file))
      renameSync(`${file}${moved}`, file);
    else if (without === ours) rmSync(file);
    else {
      const { mode } = lstatSync(file);
      writeFileSync(`${file}.coord-draft`, without, 'latin1');
      chmodSync(`${file}.coord-draft`, mode & 0o777);
      renameSync(`${file}.coord-draft`, file);
    }
    return [file];
  });
}
