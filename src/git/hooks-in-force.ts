/**
 * Whether git still runs coord's hooks. Another tool may have written a hook anew, or sent git to
 * another folder, and nothing shows it. Where coord was installed is noted, and so is how every
 * file was that decides it: as long as those are the same, looking at them is all it takes.
 */
import { readFileSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { configFiles } from './config.ts';
import { workTreeFolders } from './head.ts';
import {
  commandKey,
  hasConfigHooks,
  hookEvents,
  hooksFolder,
  hookText,
  isProgram,
} from './hook-files.ts';
import { takeOut } from './hook-section.ts';
import { dropLocal, readLocal, writeLocal } from './local.ts';
import type { Repository } from './repository.ts';
import { runPlain } from './run-git.ts';
import { teamOf } from './team-file.ts';

/** Coord was installed here, and git does not run all of it any more. */
export interface LostHooks {
  /** Events for which git does not run coord. */
  readonly missing: readonly string[];
  readonly why: string;
}

/**
 * Of the repository: the folders that coord has put hooks into, the newest first, as seen from
 * `.git`, for a repository may be moved; or that they are in its configuration.
 */
const installedNote = 'hooks';
export const inConfiguration = 'configuration';
/** Of the repository: that its team uses coord, and this clone does not, has been said. */
const unjoinedNote = 'unjoined';
/** Of a work tree: what was seen last, and so has been said. */
const seenNote = 'hooks-seen';

interface Seen {
  /** As seen from the git directory of the work tree. */
  readonly folder: string;
  readonly marks: string;
  readonly lost: LostHooks | null;
}

export function installedFolders({ commonDir }: Repository): readonly string[] {
  const folders = (readLocal(commonDir, installedNote) ?? '').split('\n');
  return folders
    .filter((folder) => folder !== '')
    .map((folder) => (folder === inConfiguration ? folder : resolve(commonDir, folder)));
}

export function noteInstalled(repository: Repository, folder: string): void {
  const folders = [...new Set([folder, ...installedFolders(repository)])].map((known) =>
    known === inConfiguration ? known : relative(repository.commonDir, known),
  );
  writeLocal(repository.commonDir, installedNote, folders.join('\n'));
  // Whatever happens to them from now on is new.
  for (const gitDir of workTreeFolders(repository)) dropLocal(gitDir, seenNote);
}

export function noteUninstalled(repository: Repository): void {
  dropLocal(repository.commonDir, installedNote);
  for (const gitDir of workTreeFolders(repository)) dropLocal(gitDir, seenNote);
}

/** Events for which git would not run coord. */
export function missingHooks(repository: Repository): readonly string[] {
  const { folder, settings } = placeOf(repository);
  return missingIn(repository, folder, settings);
}

/** Null where coord is in force, or was never installed, or is kept out of this one command. */
export function lostHooks(repository: Repository): LostHooks | null {
  return look(repository).now;
}

/** The same, but only where it has not been said yet. */
export function newlyLostHooks(repository: Repository): LostHooks | null {
  const { before, now } = look(repository);
  return JSON.stringify(before) === JSON.stringify(now) ? null : now;
}

/** Its team uses coord, nothing is installed in this clone, and nobody has been told. */
export function isNewlyUnjoined(repository: Repository): boolean {
  const { commonDir } = repository;
  if (installedFolders(repository).length > 0 || teamOf(repository) === null) return false;
  // Hooks are looked at only until it has been said.
  if (readLocal(commonDir, unjoinedNote) !== null || missingHooks(repository).length === 0)
    return false;
  writeLocal(commonDir, unjoinedNote, '');
  return true;
}

/** What puts hooks in place where there are none. */
export function howToBegin(repository: Repository): string {
  return teamOf(repository) === null ? 'coord install' : 'coord init';
}

export function lostWords({ missing, why }: LostHooks): string {
  const isChecked = !['pre-commit', 'reference-transaction'].every((event) =>
    missing.includes(event),
  );
  const what = isChecked
    ? 'not all hooks of coord are in force any more'
    : 'commits are not checked by coord any more';
  return `${what}: ${why}`;
}

function look(repository: Repository): Readonly<Record<'before' | 'now', LostHooks | null>> {
  const seen = readSeen(repository);
  const folderThen = resolve(repository.gitDir, seen?.folder ?? '');
  if (seen !== null && marksOf(repository, folderThen) === seen.marks)
    return { before: seen.lost, now: seen.lost };
  const installed = installedFolders(repository);
  if (installed.length === 0 || isForThisCommand(repository.git.env))
    return { before: null, now: null };
  const { folder, settings } = placeOf(repository);
  // Noted as it was before it is read: what changes meanwhile is looked at again.
  const marks = marksOf(repository, folder);
  const missing = missingIn(repository, folder, settings);
  const now =
    missing.length === 0
      ? null
      : { missing, why: whyLost(repository, { installed, folder, missing, settings }) };
  const noted: Seen = { folder: relative(repository.gitDir, folder), marks, lost: now };
  writeLocal(repository.gitDir, seenNote, JSON.stringify(noted));
  return { before: seen?.lost ?? null, now };
}

function isForThisCommand(env: NodeJS.ProcessEnv): boolean {
  return Object.entries(env).some(
    ([name, value]) => name.startsWith('GIT_CONFIG_') && /hookspath/i.test(value ?? ''),
  );
}

function readSeen({ gitDir }: Repository): Seen | null {
  try {
    return JSON.parse(readLocal(gitDir, seenNote) ?? 'null') as Seen | null;
  } catch {
    return null;
  }
}

function marksOf(repository: Repository, folder: string): string {
  const hooks = hookEvents.map((event) => join(folder, event));
  return [...configFiles(repository), ...hooks].map(markOf).join(' ');
}

function markOf(file: string): string {
  try {
    const stat = statSync(file, { throwIfNoEntry: false });
    return stat === undefined ? '-' : `${stat.ino}:${stat.size}:${stat.ctimeMs}`;
  } catch {
    return '-';
  }
}

type Settings = ReadonlyMap<string, string>;

interface Place {
  readonly folder: string;
  readonly settings: Settings;
}

/** Asks git only where some file of its configuration may have a word about hooks. */
function placeOf(repository: Repository): Place {
  const isMentioned =
    isForThisCommand(repository.git.env) ||
    configFiles(repository).some((file) => {
      try {
        return /hookspath|\[\s*(hook|include)/i.test(readFileSync(file, 'utf8'));
      } catch {
        return false;
      }
    });
  if (!isMentioned) return { folder: join(repository.commonDir, 'hooks'), settings: new Map() };
  const said = runPlain(repository.git, [
    '-C',
    repository.top,
    'config',
    '-z',
    '--get-regexp',
    '^(core\\.hookspath|hook\\..*\\.command)$',
  ]);
  const rows = said.stdout.toString('utf8').split('\0');
  const settings = new Map(
    rows.map((row) => [row.split('\n', 1)[0] ?? '', row.slice(row.indexOf('\n') + 1)] as const),
  );
  return { folder: hooksFolder(repository), settings };
}

function missingIn(repository: Repository, folder: string, settings: Settings): readonly string[] {
  const inConfig = (event: string): boolean => settings.has(commandKey(event));
  const byConfig = hookEvents.some(inConfig) && hasConfigHooks(repository);
  return hookEvents.filter((event) => {
    const file = join(folder, event);
    return !(hasLines(file) && isProgram(file)) && !(byConfig && inConfig(event));
  });
}

function hasLines(file: string): boolean {
  const text = hookText(file);
  return text !== null && takeOut(text) !== text;
}

function whyLost(
  { top }: Repository,
  {
    installed,
    folder,
    missing,
    settings,
  }: Place & { readonly installed: readonly string[]; readonly missing: readonly string[] },
): string {
  if (installed[0] === inConfiguration)
    return missing.some((event) => settings.has(commandKey(event)))
      ? 'this git runs no hooks of its configuration'
      : `git's configuration has no ${commandKey(missing[0] ?? '')} any more`;
  const inside = relative(top, folder);
  const shown = inside.startsWith('..') || isAbsolute(inside) ? folder : inside;
  if (!installed.includes(folder)) {
    const path = settings.get('core.hookspath');
    return path === undefined
      ? `core.hooksPath is not set any more, and coord's hooks are not in '${shown}'`
      : `core.hooksPath is '${path}', and coord's hooks are not there`;
  }
  if (markOf(folder) === '-') return `the folder '${shown}' is gone`;
  const off = missing.filter((event) => hasLines(join(folder, event)));
  const gone = missing.filter((event) => !off.includes(event));
  return [
    ...(gone.length === 0 ? [] : [`coord's lines are gone from ${listed(gone)} in '${shown}'`]),
    ...(off.length === 0 ? [] : [`${listed(off)} in '${shown}' cannot be executed`]),
  ].join(', and ');
}

function listed(events: readonly string[]): string {
  return events.length > 4 ? `${events.length} of ${hookEvents.length} hooks` : events.join(', ');
}
