/**
 * Where the repository is and what kind it is. The ordinary case is found by looking at files;
 * where anything is unusual (GIT_DIR is set, another owner, no work tree) git itself is asked, so
 * that its answer and its refusals are the ones that count.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { CoordError } from '../core/errors.ts';
import { gitEnvironment } from './environment.ts';
import { readLocal, writeLocal } from './local.ts';
import { regularText } from './regular-file.ts';
import { type GitProgram, runGit } from './run-git.ts';

export interface Repository {
  readonly git: GitProgram;
  /** Of this work tree: its HEAD and index. */
  readonly gitDir: string;
  /** Shared by all work trees: refs and objects. */
  readonly commonDir: string;
  readonly top: string;
  readonly hash: 'sha1' | 'sha256';
  readonly refs: 'files' | 'reftable';
}

const oldest: readonly [number, number] = [2, 34];

export function openRepository(cwd: string, env: NodeJS.ProcessEnv): Repository {
  if (!isFolder(cwd)) throw repositoryFailure(cwd);
  const git: GitProgram = { path: findGit(env), env: gitEnvironment(env) };
  const asked = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_COMMON_DIR'].some(
    (name) => env[name] !== undefined,
  );
  const place = (asked ? null : discover(cwd)) ?? ask(git, cwd, env);
  const config = readText(join(place.commonDir, 'config')) ?? '';
  const repository: Repository = {
    git,
    ...place,
    hash: /^\s*objectformat\s*=\s*sha256/im.test(config) ? 'sha256' : 'sha1',
    refs: /^\s*refstorage\s*=\s*"?reftable/im.test(config) ? 'reftable' : 'files',
  };
  checkVersion(repository);
  return repository;
}

/**
 * A bare repository, as the hooks of a server see it: what a push has brought is not in it yet, but
 * beside it.
 */
export function openBare(folder: string, env: NodeJS.ProcessEnv): Repository {
  const quarantine = Object.fromEntries(
    ['GIT_OBJECT_DIRECTORY', 'GIT_ALTERNATE_OBJECT_DIRECTORIES', 'GIT_QUARANTINE_PATH'].flatMap(
      (name) => (env[name] === undefined ? [] : [[name, env[name]]]),
    ),
  );
  const git: GitProgram = { path: findGit(env), env: { ...gitEnvironment(env), ...quarantine } };
  const answer = runGit(
    git,
    [
      '-C',
      folder,
      'rev-parse',
      '--path-format=absolute',
      '--is-bare-repository',
      '--git-common-dir',
    ],
    '',
    folder,
  );
  const [bare, commonDir = ''] = answer.stdout.toString('utf8').trimEnd().split('\n');
  if (answer.code !== 0)
    throw new CoordError(
      'not_a_repository',
      `'${folder}' is not a git repository`,
      'coord -C <repository>.git install --server',
    );
  if (bare !== 'true')
    throw new CoordError(
      'usage',
      `'${folder}' has a work tree, so it is no server's`,
      'coord install',
    );
  const config = readText(join(commonDir, 'config')) ?? '';
  return {
    git,
    gitDir: commonDir,
    commonDir,
    top: commonDir,
    hash: /^\s*objectformat\s*=\s*sha256/im.test(config) ? 'sha256' : 'sha1',
    refs: /^\s*refstorage\s*=\s*"?reftable/im.test(config) ? 'reftable' : 'files',
  };
}

export function isFolder(file: string): boolean {
  try {
    return statSync(file).isDirectory();
  } catch {
    return false;
  }
}

/** Why this folder is no repository for its caller, by what git said of it. */
export function repositoryFailure(folder: string, said = ''): CoordError {
  const [message, hint] = !isFolder(folder)
    ? [`'${folder}' is not a directory`, 'go to a repository with -C <dir>']
    : /dubious ownership/.test(said)
      ? [
          `the repository at '${folder}' belongs to another user`,
          'git config --global --add safe.directory <path>, if you trust its owner',
        ]
      : [`'${folder}' is not in a git repository`, 'git init, or go to a repository with -C <dir>'];
  return new CoordError('not_a_repository', message, hint);
}

type RepositoryFolders = Pick<Repository, 'gitDir' | 'commonDir' | 'top'>;

/** The ordinary case, or null wherever git itself should answer. */
function discover(cwd: string): RepositoryFolders | null {
  const place = placeAbove(cwd);
  const mine =
    place !== null &&
    [place.gitDir, place.top].every(
      (folder) => process.getuid === undefined || statSync(folder).uid === process.getuid(),
    );
  return mine ? place : null;
}

/** Looks for `.git` from here upwards. */
export function placeAbove(cwd: string): RepositoryFolders | null {
  for (let top = cwd; ; top = dirname(top)) {
    const dotGit = join(top, '.git');
    const stat = statSync(dotGit, { throwIfNoEntry: false });
    if (stat !== undefined) {
      const gitDir = stat.isDirectory() ? dotGit : gitFile(dotGit, top);
      if (gitDir === null || !existsSync(join(gitDir, 'HEAD'))) return null;
      const common = readText(join(gitDir, 'commondir'));
      const commonDir = common === null ? gitDir : resolve(gitDir, common.trim());
      return existsSync(join(commonDir, 'objects')) ? { gitDir, commonDir, top } : null;
    }
    if (dirname(top) === top || (existsSync(join(top, 'HEAD')) && existsSync(join(top, 'objects'))))
      return null;
  }
}

/** As git itself takes at most. */
const mostGitFileBytes = 1_048_576;

function gitFile(file: string, top: string): string | null {
  const [, target] = /^gitdir: (.+?)\r?\n*$/.exec(regularText(file, mostGitFileBytes) ?? '') ?? [];
  return target === undefined ? null : resolve(top, target);
}

/** Lets git decide, with the caller's own variables where those are the point. */
function ask(git: GitProgram, cwd: string, env: NodeJS.ProcessEnv): RepositoryFolders {
  const own: NodeJS.ProcessEnv = { ...git.env };
  for (const name of ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_COMMON_DIR'])
    if (env[name] !== undefined) own[name] = env[name];
  const answer = runGit(
    { ...git, env: own },
    [
      'rev-parse',
      '--path-format=absolute',
      '--is-bare-repository',
      '--is-inside-work-tree',
      '--git-dir',
      '--git-common-dir',
    ],
    '',
    cwd,
  );
  const [bare, inside, gitDir, commonDir] = answer.stdout.toString('utf8').split('\n');
  if (answer.code !== 0) throw repositoryFailure(cwd, answer.stderr);
  if (bare === 'true')
    throw new CoordError(
      'bare_repository',
      `'${cwd}' is a bare repository`,
      'run coord in a work tree of it; a server has coord install --server, and uninstall --server',
    );
  if (inside !== 'true') {
    // git's hooks name the repository, and may run where its work tree is not, or not any more.
    if (env['GIT_DIR'] === undefined)
      throw new CoordError(
        'not_a_repository',
        `'${cwd}' is inside the repository's own files`,
        'run coord in its work tree',
      );
    return { gitDir: gitDir ?? '', commonDir: commonDir ?? '', top: workTreeOf(gitDir ?? '') };
  }
  const top = runGit(
    { ...git, env: own },
    ['rev-parse', '--path-format=absolute', '--show-toplevel'],
    '',
    cwd,
  )
    .stdout.toString('utf8')
    .trimEnd();
  return { gitDir: gitDir ?? '', commonDir: commonDir ?? '', top };
}

/** Of a linked one its files say where it is; the main one is around its folder. */
function workTreeOf(gitDir: string): string {
  const link = readText(join(gitDir, 'gitdir'));
  return dirname(link === null ? gitDir : resolve(gitDir, link.trim()));
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

export function findGit(env: NodeJS.ProcessEnv): string {
  for (const directory of (env['PATH'] ?? '').split(delimiter)) {
    // The git of a session's shell is ours, and asks coord: coord itself asks the real one.
    if (!isAbsolute(directory) || existsSync(join(directory, '..', 'git-hook'))) continue;
    const file = join(directory, process.platform === 'win32' ? 'git.exe' : 'git');
    if (isProgram(file)) return file;
  }
  throw new CoordError('git_missing', 'git could not be found', 'install git 2.34 or newer');
}

function isProgram(file: string): boolean {
  try {
    const stat = statSync(file);
    return stat.isFile() && (stat.mode & 0o111) !== 0;
  } catch {
    // Absent, or in a folder that is not for us: then it is no git of ours.
    return false;
  }
}

/** `2.39.5`; null where there is none. */
export function gitVersion(env: NodeJS.ProcessEnv): string | null {
  try {
    const said = runGit({ path: findGit(env), env: gitEnvironment(env) }, ['--version']);
    return /\d+\.\d+\S*/.exec(said.stdout.toString('utf8'))?.[0] ?? null;
  } catch {
    return null;
  }
}

/** Asks git for its version once; a note remembers it for this very file. */
function checkVersion({ git, commonDir }: Repository): void {
  const { mtimeMs, size, ino } = statSync(git.path);
  const key = `${git.path} ${mtimeMs} ${size} ${ino}`;
  // Hooks and shells find git by different paths, so several are remembered.
  const known = (readLocal(commonDir, 'git') ?? '').split('\n');
  if (known.includes(key)) return;
  const said = runGit(git, ['--version']).stdout.toString('utf8').trim();
  const [, major, minor] = /(\d+)\.(\d+)/.exec(said) ?? [];
  if (Number(major) < oldest[0] || (Number(major) === oldest[0] && Number(minor) < oldest[1])) {
    throw new CoordError(
      'git_too_old',
      `'${git.path}' is ${said}`,
      `coord needs git ${oldest.join('.')} or newer`,
    );
  }
  writeLocal(commonDir, 'git', [key, ...known.slice(0, 3)].join('\n'));
}
