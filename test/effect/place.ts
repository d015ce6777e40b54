/** A throw-away checkout of a history as it was before the tasks, with coord or without. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Policy } from './options.ts';
import { type Task, taskOf } from './tasks.ts';

const program = resolve('dist/coord.cjs');

const mostBytes = 268_435_456;

function git(top: string, env: NodeJS.ProcessEnv, ...args: readonly string[]): string {
  return execFileSync('git', args, {
    cwd: top,
    env,
    encoding: 'utf8',
    maxBuffer: mostBytes,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** The newest commits that have steps, oldest first, and the commit before them. */
export interface Source {
  readonly name: string;
  readonly path: string;
  readonly base: string;
  readonly tasks: readonly Task[];
}

export function sourceOf(name: string, path: string, count: number): Source {
  const env = hermetic(tmpdir());
  const commits = git(path, env, 'rev-list', '--no-merges', `--max-count=${count * 8}`, 'HEAD')
    .trim()
    .split('\n');
  const chosen: { readonly oid: string; readonly patch: string }[] = [];
  for (const oid of commits) {
    if (chosen.length === count) break;
    const patch = git(path, env, 'diff-tree', '-p', '-U3', '--no-renames', '--no-ext-diff', oid);
    if (taskOf('', patch) !== null) chosen.unshift({ oid, patch });
  }
  const [oldest] = chosen;
  if (oldest === undefined) throw new Error(`'${path}' has no commits that change lines`);
  const tasks = chosen.flatMap(({ patch }, i): readonly Task[] => {
    const task = taskOf(`bd-${i + 1}`, patch);
    return task === null ? [] : [task];
  });
  return { name, path, base: git(path, env, 'rev-parse', `${oldest.oid}^`).trim(), tasks };
}

function hermetic(home: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(GIT|COORD|CLAUDE|XDG|NODE)_/.test(name),
  );
  return {
    ...Object.fromEntries(own),
    HOME: home,
    GIT_CONFIG_GLOBAL: join(home, 'gitconfig'),
    GIT_CONFIG_SYSTEM: '/dev/null',
    LC_ALL: 'C.UTF-8',
  };
}

export interface Place {
  readonly top: string;
  readonly env: NodeJS.ProcessEnv;
  /** The commit that the tasks begin from. */
  readonly base: string;
  git(...args: readonly string[]): string;
  remove(): void;
}

export function placeFor(source: Source, policy: Policy): Place {
  const home = mkdtempSync(join(tmpdir(), 'coord-effect-'));
  const top = join(home, 'repo');
  const env = hermetic(home);
  writeFileSync(
    join(home, 'gitconfig'),
    '[user]\n\tname = Effect\n\temail = effect@example.invalid\n[gc]\n\tauto = 0\n',
  );
  git(home, env, 'clone', '-q', resolve(source.path), top);
  git(top, env, 'checkout', '-q', '-B', 'effect', source.base);
  git(top, env, 'remote', 'remove', 'origin');
  mkdirSync(join(top, '.beads'), { recursive: true });
  writeFileSync(
    join(top, '.beads', 'issues.jsonl'),
    source.tasks.map(({ bead }) => `${JSON.stringify({ id: bead, status: 'open' })}\n`).join(''),
  );
  appendFileSync(join(top, '.git', 'info', 'exclude'), '.beads/\n');
  if (policy !== 'off') {
    git(top, env, 'config', 'coord.editMode', policy === 'lines' ? 'lines' : 'exclusive');
    const install = [program, 'install', '--harness', 'claude'];
    execFileSync(process.execPath, install, { cwd: top, env, stdio: 'ignore' });
    git(top, env, 'add', '-A');
    git(top, env, 'commit', '-qm', 'coord');
  }
  return {
    top,
    env,
    base: git(top, env, 'rev-parse', 'HEAD').trim(),
    git: (...args) => git(top, env, ...args),
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}
