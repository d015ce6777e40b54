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
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { CoordError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import {
  commandFor,
  isWrapper,
  moved,
  ours,
  putIn,
  quote,
  type Shim,
  section,
  shellScript,
  takeOut,
} from './hook-section.ts';
import { readRegular, regularText } from './regular-file.ts';
import type { Repository } from './repository.ts';
import { type GitProgram, git, runGit, runPlain } from './run-git.ts';

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

/** With one more, which checks nothing: without it a refusal gives back less. */
const installedEvents: readonly string[] = [...hookEvents, 'post-index-change'];

/**
 * Of a bare repository that others push to: the one that sees a push as a whole, or, where a server
 * has no such, the one that sees it ref by ref.
 */
export const serverEvents = ['pre-receive', 'update'] as const;

type HookPlan = {
  readonly event: string;
  readonly file: string;
  readonly action: 'create' | 'insert' | 'wrap' | 'update' | 'keep';
  readonly text: string;
};

/**
 * The folder that git uses: `core.hooksPath`, a hook manager's, a linked work tree's. Its own
 * answer, not ours.
 */
export function hooksInUse(repository: Repository): string {
  return folderSaid(repository, repository.git);
}

/**
 * The same for whoever works here: what the environment has of configuration is of one program's
 * shell, which may have switched hooks off for itself.
 */
export function hooksFolder(repository: Repository): string {
  const { GIT_CONFIG_COUNT: _count, ...env } = repository.git.env;
  return folderSaid(repository, { ...repository.git, env });
}

function folderSaid({ top }: Repository, program: GitProgram): string {
  const { stdout } = runPlain(program, ['-C', top, 'rev-parse', '--git-path', 'hooks']);
  const said = stdout.toString('utf8').replace(/\n$/, '');
  return isAbsolute(said) ? said : resolve(top, said);
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
export const commandKey = (event: string): string => `${configName(event)}.command`;

export function installConfig({ git: program, top }: Repository, shim: Shim): void {
  for (const event of installedEvents) {
    git(program, ['-C', top, 'config', '--local', commandKey(event), commandFor(event, shim)]);
    git(program, ['-C', top, 'config', '--local', `${configName(event)}.event`, event]);
  }
}

export function uninstallConfig(
  { git: program, top }: Repository,
  dryRun: boolean,
): readonly string[] {
  return installedEvents.map(configName).filter((name) => {
    const present =
      runGit(program, ['-C', top, 'config', '--local', '--get', `${name}.command`]).code === 0;
    if (present && !dryRun)
      git(program, ['-C', top, 'config', '--local', '--remove-section', name]);
    return present;
  });
}

/** The bytes of a hook, one character each; null where there is none that can be read. */
export function hookText(file: string): string | null {
  return regularText(file, limits.hookBytes, 'latin1');
}

export function isProgram(file: string): boolean {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat?.isFile() === true && (stat.mode & 0o111) !== 0;
}

export function planInstall(
  folder: string,
  shim: Shim,
  events: readonly string[] = installedEvents,
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
    const isOn = (stat.mode & 0o111) !== 0;
    if (without !== was && (isOn || isWrapper(without, file))) {
      const renewed = putIn(without, without === ours ? alone : lines);
      return { event, file, action: renewed === was && isOn ? 'keep' : 'update', text: renewed };
    }
    // One that is switched off must not come to life by our doing.
    if (isOn && shellScript(was)) return { event, file, action: 'insert', text: putIn(was, lines) };
    return {
      event,
      file,
      action: 'wrap',
      text: `${ours}${lines}${isOn ? `exec ${quote(`${file}${moved}`)} "$@"\n` : ''}`,
    };
  });
}

/** Does somebody else's script run for this event too? */
export function isShared(repository: Repository, event: string): boolean {
  const file = join(hooksInUse(repository), event);
  const text = hookText(file);
  return (
    existsSync(`${file}${moved}`) || (text !== null && takeOut(text) !== ours && isProgram(file))
  );
}

export function install(folder: string, plan: readonly HookPlan[]): void {
  mkdirSync(folder, { recursive: true });
  for (const { event, file, action, text } of plan) {
    // What runs the hook that it has moved aside would run coord twice.
    for (const copy of copiesOf(folder, event)) takenFrom(copy, false);
    if (action === 'keep') continue;
    const mode = existsSync(file) ? lstatSync(file).mode & 0o777 : 0o644;
    if (action === 'wrap') {
      // What was moved aside before is somebody's still.
      if (existsSync(`${file}${moved}`))
        throw new CoordError(
          'not_writable',
          `'${file}${moved}' is there already`,
          'take it away, or put it back as the hook',
        );
      takenFrom(file, false);
      renameSync(file, `${file}${moved}`);
    }
    const draft = `${file}.coord-draft`;
    writeFileSync(draft, text, 'latin1');
    chmodSync(draft, (mode & 0o111) === 0 || action === 'wrap' ? 0o755 : mode);
    renameSync(draft, file);
  }
}

/** Says which hooks were given back; a hook that was ours alone goes. */
export function uninstall(
  folder: string,
  dryRun: boolean,
  events: readonly string[] = installedEvents,
): readonly string[] {
  return events
    .flatMap((event) => [join(folder, event), ...copiesOf(folder, event)])
    .filter((file) => takenFrom(file, dryRun));
}

/** Hooks of this event that another tool has moved aside: it may run them, or put them back. */
function copiesOf(folder: string, event: string): readonly string[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .filter((name) => name.startsWith(`${event}.`) && name !== `${event}${moved}`)
    .map((name) => join(folder, name));
}

/** Did it have lines of coord? */
function takenFrom(file: string, dryRun: boolean): boolean {
  const was = hookText(file);
  if (was === null) return false;
  const without = takeOut(was);
  if (without === was) return false;
  if (dryRun) return true;
  if (existsSync(`${file}${moved}`) && isWrapper(without, file))
    renameSync(`${file}${moved}`, file);
  else if (without === ours) rmSync(file);
  else {
    const { mode } = lstatSync(file);
    writeFileSync(`${file}.coord-draft`, without, 'latin1');
    chmodSync(`${file}.coord-draft`, mode & 0o777);
    renameSync(`${file}.coord-draft`, file);
  }
  return true;
}
