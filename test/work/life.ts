/**
 * Agents that work in work trees for a while: sessions of coord's own, and programs with work trees
 * and a way of their own to delete them. Some stop without a word, some trees are removed by force.
 * Whatever was written is in a work tree, on a branch, or kept, at any time.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Environment, said, type TestRepository } from '../support/repository.ts';
import { checkout, ranIn } from '../support/sessions.ts';
import { Program, seenIn } from '../support/work-trees.ts';

interface Worker {
  readonly name: string;
  /** Where it works at present. */
  tree: TestRepository | null;
  env: Environment;
  program: Program | null;
  bead: string;
}

type Random = () => number;

export class Life {
  readonly repo: TestRepository;
  readonly #random: Random;
  readonly #workers: readonly Worker[];
  /** Each was written into a file of its own. */
  readonly #written: { readonly token: string; readonly by: string; readonly isStaged: boolean }[] =
    [];
  readonly #isPrograms: (worker: Worker) => boolean;
  #count = 0;

  constructor(random: Random) {
    this.repo = checkout();
    writeFileSync(join(this.repo.top, '.git/info/exclude'), '*.secret\n');
    this.#random = random;
    this.#workers = ['ann', 'bob', 'eve', 'p1', 'p2', 'p3'].map((name) => ({
      name,
      tree: null,
      env: this.repo.env,
      program: null,
      bead: '',
    }));
    this.#isPrograms = ({ name }) => /^p\d/.test(name);
    // Somebody is always here, so that the guard is awake.
    this.repo.coord(null, 'session', 'start', 'zoe');
  }

  #pick<T>(all: readonly T[]): T {
    return all[Math.floor(this.#random() * all.length)] as T;
  }

  /** What was done, in words. */
  step(): string {
    const worker = this.#pick(this.#workers);
    if (worker.tree === null) return this.#begin(worker);
    const deeds = [
      () => this.#write(worker, 'new'),
      () => this.#write(worker, 'new.secret'),
      () => this.#write(worker, 'staged'),
      () => this.#commit(worker),
      () => this.#commit(worker),
      () => this.#end(worker, this.#pick(['finish', 'abandon'])),
      () => this.#force(worker),
      () => this.#stop(worker),
      () => this.#restore(),
    ];
    return this.#pick(deeds)();
  }

  #begin(worker: Worker): string {
    this.#count += 1;
    const id = `bd-${this.#count}`;
    if (this.#isPrograms(worker)) {
      const top = join(this.repo.top, '..', `${worker.name}-${this.#count}`);
      const how =
        this.#random() < 0.3 ? ['--detach'] : ['-b', `program/${worker.name}-${this.#count}`];
      this.repo.git('worktree', 'add', '-q', ...how, top);
      worker.tree = seenIn(this.repo, top);
      worker.program = new Program(worker.tree, `${worker.name}-${this.#count}`);
      worker.env = this.repo.env;
      return `${worker.name} begins in ${top}`;
    }
    const ran = this.repo.coord(`${worker.name}.${this.#count}`, 'work', 'start', id);
    if (ran.code !== 0) throw new Error(`work start: ${ran.stdout}${ran.stderr}`);
    worker.bead = id;
    worker.tree = seenIn(this.repo, ran.json['path']);
    worker.env = { ...this.repo.env, ...ran.json['env'] };
    return `${worker.name} begins ${id}`;
  }

  #write({ name, tree, program, env }: Worker, kind: string): string {
    this.#count += 1;
    const token = `token-${this.#count}-of-${name}-end`;
    const file = `${this.#count}.${kind}`;
    tree?.write(file, `${token}\n`);
    this.#written.push({ token, by: name, isStaged: kind === 'staged' });
    if (kind === 'staged' && tree !== null) {
      ranIn(tree.top, env, 'git', ['add', file]);
      tree.write(file, 'otherwise by now\n');
    }
    program?.bash('true');
    return `${name} writes ${file}`;
  }

  #commit({ name, tree, program, env, bead }: Worker): string {
    if (tree === null) return '';
    ranIn(tree.top, env, 'git', ['add', '-A']);
    ranIn(tree.top, env, 'git', [
      'commit',
      '-q',
      '-m',
      `of ${name}`,
      '-m',
      `Bead: ${bead === '' ? 'x-1' : bead}`,
    ]);
    // What was staged and changed since is replaced by its own agent.
    const left = this.#written.filter(({ by, isStaged }) => by !== name || !isStaged);
    this.#written.splice(0, this.#written.length, ...left);
    program?.bash('true');
    return `${name} commits`;
  }

  #end(worker: Worker, verb: 'finish' | 'abandon'): string {
    const { tree, env } = worker;
    if (tree === null) return '';
    const ran = said(this.repo.top, env, ['--json', 'work', verb, tree.top]);
    if (ran.code === 0 && ran.json['removed'] === true) this.#left(worker);
    return `${worker.name}: work ${verb}: ${ran.code}`;
  }

  /** By a program's own code, or by git behind coord's back. */
  #force(worker: Worker): string {
    const { tree, name, program } = worker;
    if (tree === null) return '';
    if (program === null) return this.#guarded(worker, tree.top);
    if (this.#random() < 0.5) program.deletes();
    else program.git(this.repo.top, 'worktree', 'remove', '--force', tree.top);
    if (this.#random() < 0.5) program.git(this.repo.top, 'worktree', 'prune');
    this.#left(worker);
    return `${name} is deleted by its program`;
  }

  /** In a session of somebody else, once its agent is gone. */
  #guarded(worker: Worker, top: string): string {
    said(this.repo.top, worker.env, ['--json', 'session', 'end']);
    const zoe = this.repo.coord(null, 'session', 'start', `max.${this.#count++}`).json['env'];
    const env = { ...this.repo.env, ...zoe };
    const ran =
      this.#random() < 0.5
        ? ranIn(this.repo.top, env, 'rm', ['-rf', top])
        : ranIn(this.repo.top, env, 'git', ['worktree', 'remove', '--force', top]);
    if (ran.code === 0) this.#left(worker);
    return `${worker.name} is removed by force: ${ran.code} ${ran.stderr}`;
  }

  /** Killed: its session and its folder stay as they are. */
  #stop(worker: Worker): string {
    this.#left(worker);
    return `${worker.name} stops without a word`;
  }

  #left(worker: Worker): void {
    worker.tree = null;
    worker.program = null;
  }

  #restore(): string {
    const kept = this.repo.coord(null, 'work', 'list').json['kept'] as readonly { id: string }[];
    if (kept.length === 0) return 'nothing to restore';
    const { id } = this.#pick(kept);
    const to = join(this.repo.top, '..', `restored-${this.#count++}`);
    const ran = this.repo.coord('zoe', 'work', 'restore', id, '--to', to);
    return `restores ${id}: ${ran.code}`;
  }

  /** What was written and is nowhere any more. */
  missing(): readonly string[] {
    this.repo.coord(null, 'work', 'list');
    const found = new Set([...this.#inObjects(), ...this.#inFiles()]);
    return this.#written.flatMap(({ token }) => (found.has(token) ? [] : [token]));
  }

  /** In anything that a ref or an index of git's reaches. */
  #inObjects(): readonly string[] {
    const names = [
      ...new Set(
        this.repo
          .git('rev-list', '--objects', '--glob=refs/*')
          .split('\n')
          .map((line) => line.slice(0, 40)),
      ),
      ...this.#indexed(),
    ];
    const text = ranIn(this.repo.top, this.repo.env, 'sh', [
      '-c',
      `git cat-file --batch < "$0"`,
      this.#list(names),
    ]).stdout;
    return text.match(/token-\d+-of-\w+-end/g) ?? [];
  }

  /** What is staged, in an index of git's or a session's. */
  #indexed(): readonly string[] {
    const git = join(this.repo.top, '.git');
    return readdirSync(git, { recursive: true })
      .map(String)
      .filter((name) => /(^|\/)index$/.test(name))
      .flatMap((name) => {
        const env = { ...this.repo.env, GIT_INDEX_FILE: join(git, name) };
        const { stdout } = ranIn(this.repo.top, env, 'git', ['ls-files', '-s']);
        return [...stdout.matchAll(/^\d+ ([0-9a-f]+) /gm)].map(([, oid = '']) => oid);
      });
  }

  #list(names: readonly string[]): string {
    const file = join(this.repo.top, '../names');
    writeFileSync(file, `${names.filter((name) => name !== '').join('\n')}\n`);
    return file;
  }

  #inFiles(): readonly string[] {
    const home = join(this.repo.top, '..');
    const found: string[] = [];
    const look = (folder: string): void => {
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        const path = join(folder, entry.name);
        if (entry.isDirectory() && !path.endsWith('/.git/objects')) look(path);
        else if (entry.isFile() && /\.(new|secret|staged)$/.test(entry.name))
          found.push(...(readFileSync(path, 'latin1').match(/token-\d+-of-\w+-end/g) ?? []));
      }
    };
    look(home);
    return found;
  }

  done(): void {
    rmSync(join(this.repo.top, '../names'), { force: true });
  }
}
