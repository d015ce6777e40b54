/** The folders of a run, and what the tests' processes find in their environment. */
import { chmodSync, copyFileSync, cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isInert, isPlain, type Mode, modes } from './modes.ts';

export interface Place {
  /** A copy of the coord under test, so that a build in between changes nothing. */
  readonly coord: string;
  readonly run: string;
  /** The tests' repositories, in memory where there is such a place. */
  readonly root: string;
  readonly tests: string;
  /** So many logs are made; a script rarely has more repositories that speak to each other. */
  readonly logs: number;
  /** The git that is installed. */
  readonly git: string;
  /** This one, with the wrapper. */
  readonly folder: string;
}

export function copyCoord(from: string, to: string): void {
  for (const part of ['dist', 'hooks', 'package.json']) {
    cpSync(join(from, part), join(to, part), { recursive: true });
  }
  symlinkSync(join(from, 'node_modules'), join(to, 'node_modules'));
}

/** What the tests call as git and as test-tool, and what their library reads. */
export function prepareWrappers({ run, folder }: Place): void {
  const bin = join(run, 'bin');
  mkdirSync(bin);
  for (const name of ['git', 'test-tool']) {
    copyFileSync(join(folder, 'git'), join(bin, name));
    chmodSync(join(bin, name), 0o755);
  }
  copyFileSync(join(folder, 'test-hook.sh'), join(bin, 'test-hook.sh'));
}

/** As short and as long in all modes: a socket of gpg's agent has to fit below it. */
export function rootOf({ root }: Place, mode: Mode): string {
  return join(root, String(modes.indexOf(mode)));
}

/** Nothing of the caller's own settings of git, of agents and of node. */
export function environment({ run }: Place): NodeJS.ProcessEnv {
  const kept = ['PATH', 'USER', 'LOGNAME', 'SHELL', 'TMPDIR'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  const cache = join(run, 'cache');
  const ours = { HOME: run, XDG_CACHE_HOME: cache, GIT_CONFIG_NOSYSTEM: '1' };
  return { ...Object.fromEntries(kept), ...ours };
}

/** Logs by object format; those of all modes but idle have a lease in them. */
export function seedOf({ run }: Place, mode: Mode): string {
  return join(run, 'seeds', mode === 'idle' ? 'idle' : 'held');
}

/** What `coord install` makes in a git directory; where nothing decides, hooks that do nothing. */
export function installedOf({ run }: Place, mode: Mode): string {
  return join(run, 'installed', isInert(mode) ? mode : 'coord');
}

/** What it makes in a hook that it finds. */
export function linesOf({ run }: Place): string {
  return join(run, 'installed', 'lines');
}

export function environmentOf(place: Place, mode: Mode, script: string): NodeJS.ProcessEnv {
  const withCoord = {
    SUITE_SEED: seedOf(place, mode),
    SUITE_INSTALLED: installedOf(place, mode),
    SUITE_LINES: isInert(mode) ? '' : linesOf(place),
    SUITE_COORD: place.coord,
    SUITE_NODE: process.execPath,
    SUITE_ROOT: rootOf(place, mode),
    SUITE_NOTES: join(place.run, mode, `${script}.notes`),
    SUITE_COUNT: join(place.run, mode, `${script}.count`),
    SUITE_SEEDS: String(place.logs),
    COORD_TRACE: join(place.run, mode, `${script}.trace`),
  };
  return {
    ...environment(place),
    TERM: 'dumb',
    GIT_TEST_INSTALLED: join(place.run, 'bin'),
    GIT_TEST_CHAIN_LINT: '0',
    TEST_NO_MALLOC_CHECK: '1',
    TEST_OUTPUT_DIRECTORY_OVERRIDE: join(place.run, mode),
    SUITE_FOLDER: join(place.run, 'bin'),
    SUITE_CACHE: join(place.run, 'cache'),
    SUITE_GIT: place.git,
    SUITE_TOOL: join(place.tests, 'helper', 'test-tool'),
    SUITE_MODE: isPlain(mode) ? 'plain' : mode,
    ...(isPlain(mode) ? {} : withCoord),
  };
}
