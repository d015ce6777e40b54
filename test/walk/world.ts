/**
 * The repository that a walk goes through: sessions and a person in one checkout, a session in a
 * linked work tree, a bare remote with a colleague's clone; and how each of them runs a command.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  at,
  coordProgram,
  type Environment,
  hermetic,
  type Ran,
  run,
} from '../support/repository.ts';
import { session } from '../support/sessions.ts';
import { lineOf } from './lines.ts';
import { Objects } from './objects.ts';
import { look, type Scene } from './scene.ts';

/** With coord; or as others do: an index for each, or one for all. */
export type Guard = 'coord' | 'own indexes' | 'one index';

export interface Actor {
  readonly name: string;
  readonly kind: 'session' | 'person';
  readonly place: 'main' | 'far';
  readonly cwd: string;
  readonly env: Environment;
  readonly index: string;
}

export const startFiles: readonly string[] = [
  'src/a',
  'src/b',
  'src/c',
  'src/d',
  'lib/x',
  'lib/y',
  'doc/readme',
  'doc/win.crlf',
  'Case',
  'deep/down/z',
];

export class World {
  readonly home: string;
  readonly top: string;
  readonly remote: string;
  readonly teammate: string;
  readonly env: Environment;
  readonly guard: Guard;
  readonly actors: readonly Actor[];
  readonly objects: Objects;
  readonly #program: string;

  constructor(guard: Guard, sessions: number, program = coordProgram) {
    this.home = mkdtempSync(join(tmpdir(), 'coord-walk-'));
    this.guard = guard;
    this.#program = program;
    this.top = join(this.home, 'repo');
    this.remote = join(this.home, 'remote.git');
    this.teammate = join(this.home, 'teammate');
    const bin = join(this.home, 'bin');
    const plain = hermetic(this.home);
    this.env = {
      ...plain,
      PATH: `${bin}:${plain['PATH'] ?? ''}`,
      TMPDIR: this.home,
      GIT_EDITOR: 'true',
      GIT_MERGE_AUTOEDIT: 'no',
    };
    mkdirSync(bin);
    writeFileSync(join(bin, 'coord'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, {
      mode: 0o755,
    });
    this.#begin();
    this.objects = new Objects(join(this.top, '.git'), this.env);
    this.actors = this.#people(sessions);
  }

  #git(cwd: string, ...args: string[]): string {
    return execFileSync('git', args, {
      cwd,
      env: { ...this.env },
      encoding: 'utf8',
      stdio: 'pipe',
    });
  }

  #begin(): void {
    const config = [
      '[user]\n\tname = Test Person\n\temail = test@example.invalid',
      '[init]\n\tdefaultBranch = main',
      '[protocol "file"]\n\tallow = always',
      '[advice]\n\tdetachedHead = false',
      '[gc]\n\tauto = 0',
      '[coord]\n\tttl = 24h',
    ];
    writeFileSync(join(this.home, 'gitconfig'), `${config.join('\n')}\n`);
    for (const folder of [this.top, join(this.home, 'trees'), join(this.home, 'part')]) {
      mkdirSync(folder);
    }
    this.#git(join(this.home, 'part'), 'init', '-q');
    this.#git(join(this.home, 'part'), 'commit', '-q', '--allow-empty', '-m', 'part');
    this.#git(this.home, 'init', '-q', '--bare', this.remote);
    this.#git(this.top, 'init', '-q');
    const { write } = at(this.top, this.env);
    let number = 0;
    for (const path of startFiles) {
      const lines = Array.from({ length: 4 }, () => lineOf('base', (number += 1)));
      const end = path.endsWith('.crlf') ? '\r\n' : '\n';
      write(path, `${lines.join(`${end}.${end}`)}${end}`);
    }
    write('.gitattributes', '*.crlf text eol=crlf\n');
    this.#git(this.top, 'add', '.');
    this.#git(this.top, 'commit', '-q', '-m', 'base');
    for (const branch of ['side', 'topic', 'far', 'main']) {
      if (branch !== 'main') this.#git(this.top, 'branch', branch, 'main');
      this.#git(this.top, 'switch', '-q', branch);
      for (const path of ['src/a', `src/${branch}`, 'lib/y']) {
        appendFileSync(join(this.top, path), `${lineOf('base', (number += 1))}\n`);
        this.#git(this.top, 'add', path);
        this.#git(this.top, 'commit', '-q', '-m', `${branch} ${path}`);
      }
    }
    this.#git(this.top, 'remote', 'add', 'origin', this.remote);
    this.#git(this.top, 'push', '-q', '-u', 'origin', 'main', 'side', 'topic', 'far');
    this.#git(this.home, 'clone', '-q', this.remote, this.teammate);
    this.#git(this.top, 'worktree', 'add', '-q', join(this.home, 'far'), 'far');
    if (this.guard !== 'coord') return;
    const installed = run(this.top, this.env, ['install'], [], this.#program);
    if (installed.code !== 0) throw new Error(installed.stderr);
  }

  #people(sessions: number): readonly Actor[] {
    const names = ['ann', 'bob', 'dee', 'cy', 'eve'].slice(0, sessions);
    const person: Actor = {
      name: 'person',
      kind: 'person',
      place: 'main',
      cwd: this.top,
      env: this.env,
      index: join(this.top, '.git/index'),
    };
    return [person, ...names.map((name) => this.#session(name, name === 'dee' ? 'far' : 'main'))];
  }

  #session(name: string, place: 'main' | 'far'): Actor {
    const cwd = place === 'main' ? this.top : join(this.home, 'far');
    const shared = join(this.top, place === 'main' ? '.git/index' : '.git/worktrees/far/index');
    if (this.guard === 'coord') {
      const { env } = session(at(this.top, this.env), name, cwd, this.#program);
      return { name, kind: 'session', place, cwd, env, index: env['COORD_STAGE'] ?? shared };
    }
    if (this.guard === 'one index') {
      return { name, kind: 'session', place, cwd, env: this.env, index: shared };
    }
    const index = `${shared}-${name}`;
    copyFileSync(shared, index);
    return {
      name,
      kind: 'session',
      place,
      cwd,
      env: { ...this.env, GIT_INDEX_FILE: index },
      index,
    };
  }

  actor(name: string): Actor {
    const found = this.actors.find((candidate) => candidate.name === name);
    if (found === undefined) throw new Error(`nobody is called ${name}`);
    return found;
  }

  look(): Scene {
    return look(
      join(this.top, '.git'),
      new Set([...this.actors.map(({ index }) => index), join(this.top, '.git/index')]),
    );
  }

  run(
    { cwd, env }: Pick<Actor, 'cwd' | 'env'>,
    argv: readonly string[],
    input = '',
    extra: Environment = {},
    limitMs = 60_000,
  ): Ran {
    const [program = '', ...args] = argv;
    const child = spawnSync(program, args, {
      cwd,
      env: { ...env, ...extra },
      encoding: 'utf8',
      input,
      timeout: limitMs,
      maxBuffer: 1 << 24,
    });
    return {
      code: child.status ?? -1,
      stdout: child.stdout ?? '',
      stderr: child.stderr ?? '',
      json: {},
    };
  }

  /** Plain git without hooks, to prepare and to look. */
  plainly(cwd: string, ...args: string[]): Ran {
    return this.run({ cwd, env: this.env }, ['git', '-c', 'core.hooksPath=/dev/null', ...args]);
  }

  patchFile(text: string): string {
    const file = join(this.home, 'patch');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  end(): void {
    rmSync(this.home, { recursive: true, force: true, maxRetries: 20 });
  }
}
