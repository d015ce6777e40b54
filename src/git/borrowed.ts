/**
 * A throw-away repository that borrows the objects of another: what git writes while it looks goes
 * there, and nothing that the other repository configures is run or fetched.
 */
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { CoordError } from '../core/errors.ts';
import { gitEnvironment } from './environment.ts';
import { findGit, isFolder, repositoryFailure } from './repository.ts';
import { type GitProgram, runGit } from './run-git.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface Borrowed {
  readonly git: GitProgram;
  readonly gitDir: string;
  /** The commit that HEAD of the other one is at; null where it has none. */
  readonly head: string | null;
  readonly isShallow: boolean;
  remove(): void;
}

/** Nothing of a user's configuration changes what is merged, and nothing is fetched. */
const apart: NodeJS.ProcessEnv = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
};

export function borrow(folder: string, env: NodeJS.ProcessEnv): Borrowed {
  if (!isFolder(folder)) throw repositoryFailure(folder);
  const theirs: GitProgram = { path: findGit(env), env: gitEnvironment(env) };
  const { objects, shallow, format } = placesOf(theirs, folder);
  const head = runGit(theirs, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], '', folder);
  const top = temporaryFolder('coord-replay-');
  const remove = (): void => rmSync(top, { recursive: true, force: true });
  try {
    const git: GitProgram = { path: theirs.path, env: { ...theirs.env, ...apart } };
    const made = ['init', '--quiet', '--bare', '--template=', `--object-format=${format}`, top];
    runGit(git, made, '', top);
    writeFileSync(join(top, 'objects', 'info', 'alternates'), `${quotedPath(objects)}\n`);
    const isShallow = existsSync(shallow);
    if (isShallow) copyFileSync(shallow, join(top, 'shallow'));
    const borrowed: Borrowed = {
      git,
      gitDir: top,
      head: head.code === 0 ? head.stdout.toString('utf8').trim() : null,
      isShallow,
      remove,
    };
    keepAttributes(borrowed);
    if (!hasGraph(objects)) writeGraph(borrowed);
    return borrowed;
  } catch (error) {
    remove();
    throw error;
  }
}

interface Places {
  readonly objects: string;
  readonly shallow: string;
  readonly format: string;
}

function placesOf(git: GitProgram, folder: string): Places {
  const asked = runGit(
    git,
    [
      'rev-parse',
      '--path-format=absolute',
      '--show-object-format',
      '--git-path',
      'objects',
      '--git-path',
      'shallow',
    ],
    '',
    folder,
  );
  if (asked.code !== 0) throw repositoryFailure(folder, asked.stderr);
  const [format = '', ...paths] = asked.stdout.toString('utf8').trimEnd().split('\n');
  const [objects = '', shallow = ''] = paths.map((path) =>
    isAbsolute(path) ? path : join(folder, path),
  );
  return { objects, shallow, format };
}

/** As a file of alternates has it where a name may hold anything. */
function quotedPath(path: string): string {
  return `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}

/** What the newest commit says of its files counts for all: such as `CHANGELOG.md merge=union`. */
function keepAttributes({ git, gitDir, head }: Borrowed): void {
  if (head === null) return;
  const shown = runGit(git, [`--git-dir=${gitDir}`, 'cat-file', 'blob', `${head}:.gitattributes`]);
  if (shown.code !== 0) return;
  mkdirSync(join(gitDir, 'info'), { recursive: true });
  writeFileSync(join(gitDir, 'info', 'attributes'), shown.stdout);
}

function hasGraph(objects: string): boolean {
  return ['commit-graph', 'commit-graphs'].some((name) => existsSync(join(objects, 'info', name)));
}

/**
 * Where two sides were one is found ten times as fast with it; of a very long history it takes too
 * long to make.
 */
function writeGraph({ git, gitDir, head }: Borrowed): void {
  if (head === null) return;
  const args = [`--git-dir=${gitDir}`, 'commit-graph', 'write', '--stdin-commits'];
  inTime(() => runGit(git, args, `${head}\n`));
}

/** Null where git did not end in time. */
export function inTime<Found>(ask: () => Found): Found | null {
  try {
    return ask();
  } catch (error) {
    if (error instanceof CoordError && error.code === 'git_timeout') return null;
    throw error;
  }
}

/** Asks git in the throw-away repository; null where it could not answer. */
export function askBorrowed(
  { git, gitDir }: Borrowed,
  args: readonly string[],
  input = '',
): Buffer | null {
  const { code, stdout } = runGit(git, [`--git-dir=${gitDir}`, ...args], input, gitDir);
  return code === 0 ? stdout : null;
}
