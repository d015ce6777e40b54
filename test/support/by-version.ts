/**
 * Agents of one repository that work with different versions of coord, and give the ordinary calls
 * (test/support/ordinary-calls.ts).
 */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { shapes } from './harness.ts';
import type { OrdinaryCall, Step } from './ordinary-calls.ts';
import { gitHooks, type harnessHooks, harnessMoments, serverHooks } from './ordinary-hooks.ts';
import {
  at,
  coordProgram,
  type Environment,
  type Ran,
  said,
  type TestRepository,
  temporaryFolder,
} from './repository.ts';
import { checkout, ranIn } from './sessions.ts';

/** The programs of coord that I and everybody else work with. */
export interface Programs {
  readonly mine?: string;
  readonly theirs?: string;
}

/**
 * I with a session, in a checkout with work of mine that is in no commit, and with an origin that
 * is guarded by their coord.
 */
export class ByVersion {
  readonly repo: TestRepository = checkout({ guarded: false });
  readonly origin: TestRepository;
  readonly #programs: Programs;
  /** Of my session, once it has begun. */
  #mine: Environment;

  constructor(programs: Programs = {}) {
    this.#programs = programs;
    this.#mine = this.repo.env;
    const folder = `${temporaryFolder()}/origin.git`;
    this.repo.git('init', '-q', '--bare', folder);
    this.repo.git('remote', 'add', 'origin', folder);
    this.repo.git('push', '-q', '-u', 'origin', 'main');
    this.origin = at(folder, this.repo.env);
    const theirs = programs.theirs ?? coordProgram;
    const guarded = said(folder, this.repo.env, ['install', '--server'], [], theirs);
    if (guarded.code !== 0) throw new Error(guarded.stderr);
    for (const name of ['b', 'c']) this.repo.write(`src/${name}`, 'mine\n');
  }

  get env(): Environment {
    return this.#mine;
  }

  call(...args: readonly string[]): Ran {
    const words = ['--json', ...this.#meant(args)];
    const ran = said(this.repo.top, this.#mine, words, [], this.#program);
    // What is begun in a work tree of its own is for a shell of its own.
    if (ran.code === 0 && args[0] === 'session' && ran.json['env'] !== undefined)
      this.#mine = { ...this.#mine, ...ran.json['env'] };
    return ran;
  }

  /** What has to be there before a call. */
  prepare({ before = [] }: Pick<OrdinaryCall, 'before'>): void {
    for (const step of before) {
      const { code, stdout, stderr } = this.#take(step);
      if (code !== 0) throw new Error(`${step.join(' ')}: exit ${code} ${stdout}${stderr}`);
    }
  }

  #take([who, ...words]: Step): Ran {
    const { top, env } = this.repo;
    if (who === 'me') return this.call(...words);
    if (who === 'git') return ranIn(top, this.#mine, 'git', words);
    const [name = '', ofMine] = who.split(' of ');
    const program = ofMine === undefined ? this.#programs.theirs : this.#programs.mine;
    return said(top, env, ['--agent', name, '--json', ...this.#meant(words)], [], program);
  }

  /** As the hook that install has written calls it. */
  gitHook(event: string): Ran {
    const { args, input = '' } = gitHooks[event] ?? { args: [] };
    this.repo.write('.git/MESSAGE', 'a change\n');
    return this.#asked(this.repo.top, this.#mine, ['hook', 'git', event, '--', ...args], input);
  }

  /** In the repository that others push to, which has the log as it is here. */
  serverHook(event: string): Ran {
    this.origin.git('fetch', '-q', this.repo.top, '+refs/coord/log:refs/coord/log');
    const { args, input = '' } = serverHooks[event] ?? { args: [] };
    const env = { ...this.origin.env, ...(event === 'update' ? { COORD_UPDATE_OF: '1' } : {}) };
    return this.#asked(this.origin.top, env, ['hook', 'git', event, ...args], input);
  }

  harnessHook(harness: keyof typeof harnessHooks, moment: string): Ran {
    const shim = join(dirname(this.#program), '..', 'hooks', 'agent-hook');
    const env = { ...this.repo.env, COORD_NODE: process.execPath };
    return fed(
      'sh',
      [shim, harness, moment],
      this.repo.top,
      env,
      payload(this.repo, harness, moment),
    );
  }

  get #program(): string {
    return this.#programs.mine ?? coordProgram;
  }

  #asked(cwd: string, env: Environment, args: readonly string[], input: string): Ran {
    const head = this.repo.git('rev-parse', 'HEAD').trim();
    const words = args.map((arg) => (arg === 'HEAD' ? head : arg));
    const all = [this.#program, '--json', ...words];
    return fed(process.execPath, all, cwd, env, input.replaceAll('HEAD', head));
  }

  #meant(args: readonly string[]): readonly string[] {
    return args.map((arg) => {
      if (arg === 'my token') return this.#mine['COORD_SESSION'] ?? 'none';
      const [, path] = /^lease of (.*)$/.exec(arg) ?? [];
      return path === undefined ? arg : this.#leaseOf(path);
    });
  }

  #leaseOf(path: string): string {
    const row = this.repo
      .git('show', 'refs/coord/log:leases')
      .split('\n')
      .find((line) => line.includes(`"${path}"`));
    if (row === undefined) throw new Error(`nobody holds ${path}`);
    return String((JSON.parse(row) as { readonly id: unknown }).id);
  }
}

function fed(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Environment,
  input: string,
): Ran {
  const child = spawnSync(program, args, { cwd, env, input, encoding: 'utf8', timeout: 60_000 });
  const { status, stdout, stderr } = child;
  const json = /^\{.*\}\n?$/.test(stdout) ? (JSON.parse(stdout) as Ran['json']) : {};
  return { code: status ?? -1, stdout, stderr, json };
}

/** What the harness says at this moment of its one session here, in which a file of mine is edited. */
function payload(repo: TestRepository, harness: keyof typeof harnessHooks, moment: string): string {
  const { tool = null } = harnessMoments[moment] ?? {};
  const caller = {
    session: `of-${harness}`,
    ...(moment.startsWith('subagent-') ? { subagent: 'child' } : {}),
  };
  const path = join(repo.top, `${harness}.txt`);
  const command = 'touch made';
  if (harness === 'opencode' || harness === 'kilo')
    return JSON.stringify({
      // As an older coord reads it, and as this one does.
      ...caller,
      paths: [path],
      command,
      session_id: caller.session,
      ...('subagent' in caller ? { agent_id: caller.subagent } : {}),
      cwd: repo.top,
      tool_input: { file_path: path, command },
    });
  const shape = shapes[harness];
  const told =
    tool === 'edit' || tool === 'read'
      ? shape.tool(shape.edits, shape.editInput(path))
      : tool === 'shell'
        ? shape.tool(shape.shell, { command })
        : {};
  return JSON.stringify({ ...shape.common(repo, moment, caller), ...told });
}
