/**
 * The ways in which git's tests are run: plain, and with coord in every repository. What coord puts
 * into a repository is made once by coord itself, in a repository of its own, and copied from there.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync,
  symlinkSync, writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

export const modes = ['plain', 'again', 'inert', 'inert-session', 'idle', 'beside', 'session'] as const;
export type Mode = (typeof modes)[number];

export const about: Readonly<Record<Mode, string>> = {
  plain: 'plain git',
  again: 'plain git once more: what differs here is flaky',
  inert: 'the same refs, objects and hook files as below, but hooks that do nothing',
  'inert-session': 'that, and a session\'s index and trailer, but nothing that decides',
  idle: 'coord\'s hooks, and a log in which nothing is held',
  beside: 'coord\'s hooks, and another agent holds a path that nobody uses',
  session: 'as an agent with a session, beside that',
};

/** Where everything of one run is. */
export interface Place {
  /** A copy of the coord under test, so that a build in between changes nothing. */
  readonly coord: string;
  readonly run: string;
  /** The tests' repositories, in memory where there is such a place. */
  readonly root: string;
  readonly tests: string;
  /** The git that is installed. */
  readonly git: string;
  readonly folder: string;
}

export function copyCoord(from: string, to: string): void {
  for (const part of ['dist', 'hooks', 'package.json']) {
    cpSync(join(from, part), join(to, part), { recursive: true });
  }
  symlinkSync(join(from, 'node_modules'), join(to, 'node_modules'));
}

/** Nothing of the caller's own git, agent or node settings. */
function environment(home: string): NodeJS.ProcessEnv {
  const kept = ['PATH', 'USER', 'LOGNAME', 'SHELL', 'TMPDIR'];
  const ours = { HOME: home, XDG_CACHE_HOME: join(home, 'cache'), GIT_CONFIG_NOSYSTEM: '1' };
  const theirs = Object.fromEntries(kept.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }));
  return { ...theirs, ...ours };
}

const formats = ['sha1', 'sha256'] as const;

export function environmentOf(place: Place, mode: Mode, script: string): NodeJS.ProcessEnv {
  const seed = join(place.run, 'seeds', mode);
  return {
    ...environment(place.run), TERM: 'dumb',
    GIT_TEST_INSTALLED: join(place.run, 'bin'), GIT_TEST_CHAIN_LINT: '0', TEST_NO_MALLOC_CHECK: '1',
    TEST_OUTPUT_DIRECTORY_OVERRIDE: join(place.run, mode),
    SUITE_FOLDER: join(place.run, 'bin'), SUITE_CACHE: join(place.run, 'cache'), SUITE_GIT: place.git,
    SUITE_TOOL: join(place.tests, 'helper', 'test-tool'), SUITE_MODE: isPlain(mode) ? 'plain' : mode,
    ...(isPlain(mode) ? {} : {
      SUITE_SEED: seed, SUITE_HOOKS: join(seed, 'hooks'), SUITE_LINES: join(seed, 'lines'),
      SUITE_COORD: place.coord, SUITE_NODE: process.execPath, SUITE_ROOT: join(place.root, mode),
      SUITE_NOTES: join(place.run, mode, `${script}.notes`),
      COORD_TRACE: join(place.run, mode, `${script}.trace`),
    }),
  };
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => statSync(join(folder, name)).isFile());
}

/** The wrappers that the tests call as git and as test-tool. */
export function prepareWrappers({ run, folder }: Place): void {
  mkdirSync(join(run, 'bin'), { recursive: true });
  for (const name of ['git', 'test-tool']) {
    copyFileSync(join(folder, 'git'), join(run, 'bin', name));
    chmodSync(join(run, 'bin', name), 0o755);
  }
  copyFileSync(join(folder, 'test-hook.sh'), join(run, 'bin', 'test-hook.sh'));
}

export const isPlain = (mode: Mode): boolean => mode === 'plain' || mode === 'again';

/** Nothing in it decides: what differs here differs by what is there to be seen, and by nothing else. */
export const isInert = (mode: Mode): boolean => mode === 'inert' || mode === 'inert-session';

/** The one without decisions that shows what is there to be seen in this one. */
export function inertOf(mode: Mode): Mode {
  return mode === 'session' ? 'inert-session' : 'inert';
}

/** A message that says something gets the trailer of the session. */
const signing = `[ -n "$(git stripspace --strip-comments < "$1")" ] || exit 0
read -r trailer < "\${COORD_STAGE%/*}/trailer" || exit 0
git interpret-trailers --no-divider --in-place --if-exists doNothing --trailer "$trailer" "$1"
`;

/** What coord makes of a new repository in this mode, without what git makes of it. */
export function prepareSeed(place: Place, mode: Mode): void {
  const seed = join(place.run, 'seeds', mode);
  for (const format of formats) {
    const { top, before } = newRepository(place, join(place.run, 'scratch'), format);
    coord(place, top, ['install', '--harness', 'none']);
    coord(place, top, [
      '--agent', 'other', 'reserve', 'unrelated/path/nobody/uses', '--ttl', '24h',
      '--reason', 'nobody uses it',
    ]);
    if (mode === 'idle') coord(place, top, ['--agent', 'other', 'release', '--all']);
    keep(join(top, '.git'), before, seed, format);
    rmSync(top, { recursive: true });
  }
  if (isInert(mode)) {
    for (const event of readdirSync(join(seed, 'hooks'))) {
      const text = mode === 'inert-session' && event === 'commit-msg' ? signing : 'exit 0\n';
      writeFileSync(join(seed, 'hooks', event), `#!/bin/sh\n${text}`);
    }
  } else {
    keepLines(place, join(seed, 'hooks'), join(seed, 'lines'));
  }
}

interface Scratch {
  readonly top: string;
  readonly before: ReadonlyMap<string, string>;
}

function newRepository(place: Place, top: string, format: string): Scratch {
  execFileSync(place.git, ['init', '-q', `--object-format=${format}`, top], { env: environment(place.run) });
  const folder = join(top, '.git');
  const texts = filesIn(folder).map((name): [string, string] => [name, readFileSync(join(folder, name), 'latin1')]);
  return { top, before: new Map(texts) };
}

function coord(place: Place, cwd: string, args: readonly string[]): void {
  execFileSync(process.execPath, [join(place.coord, 'dist', 'coord.cjs'), ...args], {
    cwd, env: environment(place.run), stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** Every file that is new. Hooks are kept apart, since the wrapper puts them in place again. */
function keep(folder: string, before: ReadonlyMap<string, string>, seed: string, format: string): void {
  for (const name of filesIn(folder)) {
    const text = readFileSync(join(folder, name), 'latin1');
    const was = before.get(name);
    if (was === text) continue;
    if (text.includes(dirname(folder))) throw new Error(`${name} names the repository that it was made in`);
    if (name === 'config' && was !== undefined && text.startsWith(was)) {
      writeFileSync(join(seed, 'config'), text.slice(was.length));
      continue;
    }
    if (was !== undefined) throw new Error(`coord has changed ${name} of a new repository`);
    const target = name.startsWith('hooks/') ? join(seed, name) : join(seed, format, name);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(folder, name), target);
  }
}

/** What `coord install` puts into a hook that it finds. */
function keepLines(place: Place, hooks: string, lines: string): void {
  const { top } = newRepository(place, join(place.run, 'scratch'), 'sha1');
  const folder = join(top, '.git', 'hooks');
  const events = existsSync(hooks) ? readdirSync(hooks) : [];
  for (const event of events) writeFileSync(join(folder, event), '#!/bin/sh\n', { mode: 0o755 });
  coord(place, top, ['install', '--harness', 'none']);
  mkdirSync(lines, { recursive: true });
  for (const event of events) {
    const text = readFileSync(join(folder, event), 'utf8');
    writeFileSync(join(lines, event), text.slice('#!/bin/sh\n'.length));
  }
  rmSync(top, { recursive: true });
}
