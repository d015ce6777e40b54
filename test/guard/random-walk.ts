/**
 * Four agents and a person work in one checkout by chance, with every way to commit that git has.
 * Files only ever grow by lines of their own, so a line that HEAD has lost was undone by somebody,
 * and a commit that holds more than its author staged is seen at once. COORD_SEED replays a walk.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { TestRepository } from '../support/repository.ts';
import { checkout, pathsIn, ranIn, type Session, session } from '../support/sessions.ts';
import { seeded } from '../support/world.ts';

const seed = Number(process.env['COORD_SEED'] ?? 20261118);
const files = Array.from({ length: 12 }, (_, i) => `src/file-${i}`);

interface Walker {
  readonly session: Session;
  /** What it has added and not committed. */
  readonly staged: Set<string>;
}

class Walk {
  readonly problems: string[] = [];
  readonly done = new Map<string, number>();
  readonly #repo: TestRepository;
  readonly #walkers: readonly Walker[];
  readonly #chance: () => number;
  readonly #guarded: boolean;
  #line = 0;
  #lines = new Set<string>();

  constructor(guarded: boolean, chance: () => number) {
    this.#guarded = guarded;
    this.#chance = chance;
    this.#repo = checkout({ guarded });
    for (const file of files) this.#repo.write(file, 'begin\n');
    this.#repo.git('add', '.');
    this.#repo.git('commit', '-q', '-m', 'files');
    this.#walkers = ['ann', 'bob', 'cy', 'dee'].map((name) => ({
      session: session(this.#repo, name),
      staged: new Set(),
    }));
  }

  #pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.#chance() * items.length)] as T;
  }

  step(i: number): void {
    const walker = this.#pick(this.#walkers);
    const deed = this.#pick([
      'edit',
      'edit',
      'edit',
      'edit',
      'edit',
      'edit',
      'commit',
      'commit',
      'past',
      'only',
      'amend',
      'all',
      'person',
      'pick',
      'look',
      'raw',
    ] as const);
    const head = this.#head();
    const went = this[deed](walker);
    this.#judge(`step ${i}: ${walker.session.name} ${deed}`, deed, walker, head);
    this.done.set(
      `${deed} ${went ? 'went' : 'refused'}`,
      (this.done.get(`${deed} ${went ? 'went' : 'refused'}`) ?? 0) + 1,
    );
  }

  #head(): string {
    return this.#repo.git('rev-parse', 'HEAD').trim();
  }

  #write(file: string, who: string): void {
    this.#line += 1;
    appendFileSync(join(this.#repo.top, file), `${who} wrote line ${this.#line}\n`);
  }

  edit({ session: { name, coord, git }, staged }: Walker): boolean {
    const file = this.#pick(files);
    if (coord('reserve', file).code !== 0) return false;
    this.#write(file, name);
    if (git('add', '--', file).code === 0) staged.add(file);
    return true;
  }

  commit({ session: own }: Walker): boolean {
    return own.git('commit', '-q', '-m', `${own.name} commits`).code === 0;
  }

  past({ session: own }: Walker): boolean {
    return (
      own.git('commit', '-q', '--no-verify', '-m', `${own.name} commits past the hooks`).code === 0
    );
  }

  only({ session: own, staged }: Walker): boolean {
    const [file] = [...staged];
    return (
      file !== undefined &&
      own.git('commit', '-q', '-m', `${own.name} commits one`, '--', file).code === 0
    );
  }

  /** The last commit may be somebody else's. */
  amend({ session: own }: Walker): boolean {
    return own.git('commit', '-q', '--amend', '-m', `${own.name} amends`).code === 0;
  }

  all({ session: own }: Walker): boolean {
    return own.git('commit', '-q', '-a', '-m', `${own.name} commits all`).code === 0;
  }

  /** With the stage, but without the git that looks after it. */
  raw({ session: { env, run } }: Walker): boolean {
    const path = (env['PATH'] ?? '').split(':').slice(1).join(':');
    return (
      run(
        'env',
        `PATH=${path}`,
        `GIT_INDEX_FILE=${env['COORD_STAGE'] ?? ''}`,
        'git',
        'commit',
        '-q',
        '-m',
        'raw',
      ).code === 0
    );
  }

  person(): boolean {
    const free = files.filter(
      (file) => this.#repo.coord('nobody', 'check', file).json['result'] === 'free',
    );
    if (free.length === 0) return false;
    const file = this.#pick(free);
    this.#write(file, 'person');
    ranIn(this.#repo.top, this.#repo.env, 'git', ['add', '--', file]);
    return (
      ranIn(this.#repo.top, this.#repo.env, 'git', ['commit', '-q', '-m', 'a person commits'])
        .code === 0
    );
  }

  pick({ session: own }: Walker): boolean {
    return (
      own.git('cherry-pick', '--allow-empty', '--keep-redundant-commits', 'HEAD').code === 0 ||
      own.git('cherry-pick', '--abort').code !== 0
    );
  }

  look({ session: own }: Walker): boolean {
    own.git('status', '--short');
    return own.coord('release', '--all').code === 0;
  }

  #judge(what: string, deed: string, { staged }: Walker, before: string): void {
    const now = this.#head();
    if (now === before) return;
    // Where HEAD has lost every line, git grep finds none and says so by its exit code.
    const texts = ranIn(this.#repo.top, this.#repo.env, 'git', [
      'grep',
      '-h',
      'wrote line',
      'HEAD',
      '--',
      'src',
    ])
      .stdout.split('\n')
      .filter((line) => line !== '');
    const lines = new Set(texts);
    for (const line of this.#lines)
      if (!lines.has(line)) this.problems.push(`${what}: HEAD has lost "${line}"`);
    this.#lines = lines;
    const [paths, amended] = [pathsIn(this.#repo, 'HEAD'), deed === 'amend'];
    const changed = amended
      ? this.#repo.git('diff', '--name-only', before, now).trim().split('\n')
      : paths.split(' ');
    const extra =
      deed === 'person' ? [] : changed.filter((path) => path !== '' && !staged.has(path));
    // `-a` takes every file of the work tree; whoever holds one has it refused.
    if (extra.length > 0 && deed !== 'all')
      this.problems.push(`${what}: holds ${extra.join(' ')}, staged was ${[...staged].join(' ')}`);
    if (deed !== 'person' && deed !== 'pick') for (const path of changed) staged.delete(path);
  }

  /** What is left when all is said and done. */
  end(): void {
    if (!this.#guarded) return;
    const status = this.#repo
      .git('status', '--porcelain')
      .split('\n')
      .filter((line) => /^[^ ?]/.test(line));
    if (status.length > 0)
      this.problems.push(`the index of the repository differs from HEAD: ${status.join(', ')}`);
    this.#repo.git('fsck', '--strict', '--no-dangling');
  }
}

/** A walk of so many steps with the guard, and one without it that goes wrong within as many. */
export function walks(steps: number): void {
  describe('a random walk of four agents and a person', () => {
    test(
      `COORD_SEED=${seed}: ${steps} steps with the guard lose nothing and mix nothing up`,
      { timeout: 7_200_000 },
      () => {
        const walk = new Walk(true, seeded(seed));
        for (let i = 0; i < steps; i += 1) walk.step(i);
        walk.end();
        expect(walk.problems, [...walk.done].sort().join('\n')).toEqual([]);
        for (const deed of ['edit', 'commit', 'past', 'person'])
          expect(walk.done.get(`${deed} went`) ?? 0, [...walk.done].join('\n')).toBeGreaterThan(0);
      },
    );

    test('planted bug: without the guard the same walk does', { timeout: 1_200_000 }, () => {
      const walk = new Walk(false, seeded(seed));
      for (let i = 0; i < steps && walk.problems.length === 0; i += 1) walk.step(i);
      expect(walk.problems.length).toBeGreaterThan(0);
    });
  });
}
