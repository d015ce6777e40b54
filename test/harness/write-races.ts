/**
 * Two of a family read a file, and each writes all of it with a line of its own: each may write at any
 * time, for kin hold what the other holds. The order of their steps is forced; a person comes in
 * between. Whoever is refused reads again and writes once more.
 */
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { harnessNamed } from '../../src/adapter/harnesses.ts';
import { answer } from '../../src/harness/answer.ts';
import type { TestRepository } from '../support/repository.ts';
import { type Reader, reader } from './readers.ts';

/** What somebody could have got wrong. */
export interface Planted {
  /** Whatever is written is taken for read by the other too. */
  readonly isRenewedByOthers?: true;
  /** The note is made when it writes, not when it reads. */
  readonly isNotedLate?: true;
  /** A refusal does not count as reading. */
  readonly isRefusalForgotten?: true;
}

interface Actor {
  readonly name: string;
  readonly subagent: string | null;
  readonly reader: Reader;
  /** As it has read the file. */
  read: string;
  next: string | null;
  isDone: boolean;
}

/** All orders in which both read, ask and write. */
export const orders: readonly string[] = (function all(left: string, right: string): string[] {
  if (left === '' || right === '') return [left + right];
  return [
    ...all(left.slice(1), right).map((rest) => left[0] + rest),
    ...all(left, right.slice(1)).map((rest) => right[0] + rest),
  ];
})('RHW', 'rhw');

export interface Race {
  readonly refused: number;
  /** What is wrong with its end. */
  readonly wrong: readonly string[];
}

const harness = harnessNamed('claude');
const installed = { hooks: resolve(import.meta.dirname, '../../hooks') };

export class Family {
  readonly #repo: TestRepository;
  readonly #planted: Planted;
  readonly #actors: readonly [Actor, Actor];

  constructor(repo: TestRepository, planted: Planted = {}) {
    this.#repo = repo;
    this.#planted = planted;
    const actor = (name: string, subagent: string | null): Actor => ({
      name,
      subagent,
      reader: reader(repo, 'ann', subagent === null ? {} : { subagent }),
      read: '',
      next: null,
      isDone: false,
    });
    this.#actors = [actor('parent', null), actor('child', 'child')];
  }

  /** `personAt`: before which step a person adds a line, as long as nobody is about to write. */
  async run(path: string, order: string, personAt: number): Promise<Race> {
    const file = join(this.#repo.top, path);
    const [parent, child] = this.#actors;
    const lines: string[] = [];
    let refused = 0;
    for (const actor of this.#actors) Object.assign(actor, { read: '', next: null, isDone: false });
    for (const [i, step] of [...order].entries()) {
      if (i >= personAt && lines.length === 0 && parent.next === null && child.next === null) {
        lines.push('of a person');
        appendFileSync(file, 'of a person\n');
      }
      const actor = step === step.toUpperCase() ? parent : child;
      if (step.toUpperCase() === 'R') this.#read(actor, path);
      if (step.toUpperCase() === 'H') refused += (await this.#ask(actor, path)) ? 0 : 1;
      if (step.toUpperCase() === 'W') this.#land(actor, path);
    }
    for (const actor of this.#actors)
      for (let tries = 0; !actor.isDone && tries < 3; tries += 1) {
        // It does as it was told: what it was refused for it has been shown.
        actor.read = readFileSync(file, 'utf8');
        if (await this.#ask(actor, path)) this.#land(actor, path);
        else refused += 1;
      }
    const now = readFileSync(file, 'utf8').split('\n');
    const wanted = [...lines, ...this.#actors.map(({ name }) => `of ${name}`)];
    return {
      refused,
      wrong: [
        ...wanted.filter((line) => !now.includes(line)).map((line) => `lost '${line}'`),
        ...this.#actors.filter(({ isDone }) => !isDone).map(({ name }) => `${name} never wrote`),
      ],
    };
  }

  #read(actor: Actor, path: string): void {
    if (!this.#planted.isNotedLate) actor.reader.read(path);
    actor.read = readFileSync(join(this.#repo.top, path), 'utf8');
  }

  async #ask(actor: Actor, path: string): Promise<boolean> {
    const file = join(this.#repo.top, path);
    const text = `${actor.read}of ${actor.name}\n`;
    if (this.#planted.isNotedLate) actor.reader.read(path);
    const said = await answer(
      harness,
      'before-edit',
      {
        session: 'ann',
        subagent: actor.subagent,
        cwd: this.#repo.top,
        call: null,
        why: '',
        input: {},
        tool: { kind: 'edit', paths: [file], changes: [{ kind: 'whole', path: file, text }] },
      },
      this.#repo.env,
      installed,
    );
    if (said.kind === 'deny' && !/since you read|not read|being written/.test(said.reason))
      throw new Error(said.reason);
    if (said.kind !== 'deny') actor.next = text;
    else if (this.#planted.isRefusalForgotten) rmSync(actor.reader.folder, { recursive: true });
    return said.kind !== 'deny';
  }

  #land(actor: Actor, path: string): void {
    if (actor.next === null) return;
    writeFileSync(join(this.#repo.top, path), actor.next);
    actor.next = null;
    actor.isDone = true;
    if (this.#planted.isRenewedByOthers)
      for (const other of this.#actors) if (other !== actor) other.reader.read(path);
  }
}
