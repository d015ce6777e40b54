/**
 * Throw-away repositories and real coord processes, in an environment that holds nothing of this
 * machine: no user configuration, fixed names, a home of its own.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { runPlain } from './one-by-one.ts';
import { fromTemplate, runFolder } from './templates.ts';
import { temporaryFolder } from './temporary.ts';

export { temporaryFolder };

export const coordProgram: string = resolve(import.meta.dirname, '../../dist/coord.cjs');

export type Environment = Readonly<Record<string, string>>;

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The one JSON object on stdout, where there is one. */
  readonly json: Readonly<Record<string, any>>;
}

export interface TestRepository {
  readonly top: string;
  readonly env: Environment;
  /** Runs git and returns its output; throws where it fails. */
  git(...args: string[]): string;
  /** Runs coord with --json as this agent and returns what came of it. */
  coord(agent: string | null, ...args: string[]): Ran;
  /** The same without --json, for what people see. */
  text(agent: string | null, ...args: string[]): Ran;
  /** Starts coord and returns at once. */
  start(agent: string | null, args: readonly string[], env?: Environment): Started;
  write(path: string, content?: string): void;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ran>;
}

export function hermetic(home: string, extra: Environment = {}): Environment {
  const run = runFolder();
  return {
    // Compiling coord takes as long as most commands: what V8 made of it is shared.
    ...(run === null ? {} : { XDG_CACHE_HOME: join(run, 'cache') }),
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    TMPDIR: process.env['TMPDIR'] ?? '/tmp',
    GIT_CONFIG_GLOBAL: join(home, 'gitconfig'),
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_AUTHOR_NAME: 'Test',
    GIT_AUTHOR_EMAIL: 'test@example.invalid',
    GIT_COMMITTER_NAME: 'Test',
    GIT_COMMITTER_EMAIL: 'test@example.invalid',
    ...extra,
  };
}

export interface Options {
  /** Arguments for git init, such as --object-format=sha256. */
  readonly init?: readonly string[];
  readonly env?: Environment;
  /** Without it the repository has one commit. */
  readonly unborn?: boolean;
  readonly program?: string;
}

export function repository(options: Options = {}): TestRepository {
  const home = temporaryFolder();
  const top = join(home, 'repo');
  const env = hermetic(home, options.env);
  fromTemplate(`repository ${keyOf(options)}`, home, (place) => make(place, options));
  return at(top, env);
}

/** What makes the beginning of one repository differ from that of another. */
export function keyOf({ init = [], unborn = false, env = {} }: Options): string {
  return JSON.stringify([init, unborn, env]);
}

/** A repository below this home, made from nothing. */
export function make(
  home: string,
  { init = [], unborn = false, env: extra }: Options,
): TestRepository {
  const env = hermetic(home, extra);
  const repo = at(join(home, 'repo'), env);
  writeFileSync(
    join(home, 'gitconfig'),
    '[user]\n\tname = Test Person\n\temail = test@example.invalid\n[init]\n\tdefaultBranch = main\n[maintenance]\n\tauto = false\n',
  );
  mkdirSync(repo.top);
  execFileSync('git', ['init', '-q', ...init, repo.top], { env });
  if (!unborn) repo.git('commit', '-q', '--allow-empty', '-m', 'first');
  return repo;
}

/** Coord and git in an existing folder; coord behind `prefix`, a program that runs others. */
export function at(top: string, env: Environment, prefix: readonly string[] = []): TestRepository {
  const flags = (agent: string | null): string[] => (agent === null ? [] : ['--agent', agent]);
  return {
    top,
    env,
    git: (...args) =>
      execFileSync('git', args, {
        cwd: top,
        env,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    coord: (agent, ...args) => said(top, env, [...flags(agent), '--json', ...args], prefix),
    text: (agent, ...args) => said(top, env, [...flags(agent), ...args], prefix),
    start: (agent, args, extra = {}) =>
      start(top, { ...env, ...extra }, [...flags(agent), '--json', ...args], prefix),
    write: (path, content = '') => {
      mkdirSync(dirname(join(top, path)), { recursive: true });
      writeFileSync(join(top, path), content);
    },
  };
}

function ran(code: number | null, stdout: string, stderr: string): Ran {
  const object = /^\{.*\}\n?$/.test(stdout) ? (JSON.parse(stdout) as Record<string, any>) : {};
  return { code: code ?? -1, stdout, stderr, json: object };
}

/** A command whose answer is wanted, whatever process it runs in. */
export function said(
  cwd: string,
  env: Environment,
  args: readonly string[],
  prefix: readonly string[] = [],
  coord = coordProgram,
): Ran {
  const answer =
    prefix.length > 0 || coord !== coordProgram ? null : runPlain(coordProgram, cwd, env, args);
  return answer === null
    ? run(cwd, env, args, prefix, coord)
    : ran(answer.code, answer.stdout, answer.stderr);
}

/** In a process of its own. */
export function run(
  cwd: string,
  env: Environment,
  args: readonly string[],
  prefix: readonly string[] = [],
  coord = coordProgram,
): Ran {
  const [program = '', ...rest] = [...prefix, process.execPath, coord, ...args];
  const child = spawnSync(program, rest, { cwd, env, encoding: 'utf8', timeout: 60_000 });
  return ran(child.status, child.stdout, child.stderr);
}

export function start(
  cwd: string,
  env: Environment,
  args: readonly string[],
  prefix: readonly string[] = [],
  coord = coordProgram,
): Started {
  const [program = '', ...rest] = [...prefix, process.execPath, coord, ...args];
  const child = spawn(program, rest, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<Ran>((done) =>
    child.on('close', (code) => done(ran(code, stdout, stderr))),
  );
  return { child, ended };
}

/** A command that is not coord itself, but ends as coord does. */
export function runAsync(
  [file = '', ...args]: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<Ran> {
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((done, failed) => {
    child.on('error', failed);
    child.on('close', (code) =>
      done({
        code: code ?? -1,
        stdout,
        stderr,
        json: /^\{.*\}\n$/.test(stdout) ? (JSON.parse(stdout) as Ran['json']) : {},
      }),
    );
  });
}

/** Until it holds; fails the test if it does not within the limit. */
export async function eventually(
  what: string,
  holds: () => boolean,
  limitMs = 20_000,
): Promise<void> {
  const until = performance.now() + limitMs;
  while (!holds()) {
    if (performance.now() > until) throw new Error(`did not happen within ${limitMs} ms: ${what}`);
    await new Promise((next) => setTimeout(next, 10));
  }
}
