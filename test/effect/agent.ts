/**
 * An agent at work: takes a task, thinks, edits where the commit did, commits, and goes on. What is
 * refused it tries again as the refusal tells, for a bounded number of times.
 */
import type { Chance } from './chance.ts';
import { type Edit, editOf } from './edit.ts';
import type { Answer, Session } from './session.ts';
import type { Change, Task } from './tasks.ts';
import { type EditRecord, type Finished, lostEdits } from './truth.ts';
import { nextOf, quoted, shellEdit, type Way, wayOf } from './ways.ts';

/** What all agents of one run share. */
export interface Team {
  readonly stepMs: number;
  readonly hold: boolean;
  /** With coord: tasks are claimed, and what is finished is freed. */
  readonly isGuarded: boolean;
  readonly tasks: ReadonlyMap<string, Task>;
  readonly edits: EditRecord[];
  readonly finished: Finished[];
  /** The commits of each, by the name that git printed. */
  readonly commits: Map<string, Finished>;
  readonly tally: Tally;
  /** The task that is taken next; null once there is none. */
  take(agent: Agent): Promise<string | null>;
  /** The lines of a file as HEAD has it now. */
  linesInHead(path: string): readonly string[];
  isOver(): boolean;
}

export interface Tally {
  tries: number;
  refusals: number;
  toldChars: number;
  waitedMs: number;
  skipped: number;
  givenUp: number;
  /** Tries that the tool itself could not do, because the text was not there any more. */
  stale: number;
}

export function emptyTally(): Tally {
  return { tries: 0, refusals: 0, toldChars: 0, waitedMs: 0, skipped: 0, givenUp: 0, stale: 0 };
}

const mostTries = 60;

const sleep = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** What is told after a command that has changed a file of another. */
const overHolder = /^coord: (?:your command changed|while your command ran)/m;

/** Git says that it has nothing to commit. */
const nothingLeft = /^(nothing to commit|no changes added|nothing added)/m;

export class Agent {
  readonly session: Session;
  readonly #team: Team;
  readonly #chance: Chance;
  #dirty = new Set<string>();

  constructor(session: Session, team: Team, chance: Chance) {
    this.session = session;
    this.#team = team;
    this.#chance = chance;
  }

  async work(): Promise<void> {
    for (;;) {
      const bead = this.#team.isOver() ? null : await this.#team.take(this);
      if (bead === null) return this.session.end();
      const task = this.#team.tasks.get(bead);
      if (task !== undefined && (await this.#does(task)))
        this.#team.finished.push({ bead, agent: this.session.name });
    }
  }

  think(): Promise<void> {
    return sleep(this.#team.stepMs);
  }

  draw(count: number): number {
    return this.#chance.below(count);
  }

  async #does({ bead, changes }: Task): Promise<boolean> {
    const { tally, isOver } = this.#team;
    for (const [i, change] of changes.entries()) {
      if (isOver()) return false;
      const outcome = await this.#makes(bead, change, `${bead}.${i}@${this.session.name}`);
      if (outcome !== 'made') tally[outcome] += 1;
    }
    await this.think();
    const isCommitted = await this.#commits(bead);
    if (this.#team.isGuarded) {
      await this.session.shell(
        `coord done ${bead} || coord done ${bead} --no-change --reason 'its lines are gone'; coord release --unchanged`,
      );
    }
    return isCommitted;
  }

  async #makes(
    bead: string,
    change: Change,
    writer: string,
  ): Promise<'made' | 'skipped' | 'givenUp'> {
    const way = wayOf(this.#chance);
    const { path } = change;
    let refusedAt: number | null = null;
    for (let tries = 0; tries < mostTries && !this.#team.isOver(); tries += 1) {
      const seen = await this.session.read(path);
      // What it has read is as old as its thoughts; after a refusal it looks again and tries.
      if (tries === 0) await this.think();
      const edit = editOf(seen, change, writer);
      if (edit === null) return 'skipped';
      const answer = await this.#try(way, path, edit);
      this.#team.tally.tries += 1;
      const isUnwanted = answer.kind === 'done' && overHolder.test(answer.told);
      if (answer.kind === 'done' && answer.ran.code === 0 && !isUnwanted) {
        if (refusedAt !== null) this.#team.tally.waitedMs += performance.now() - refusedAt;
        this.#dirty.add(path);
        const agent = this.session.name;
        this.#team.edits.push({ bead, agent, path, old: edit.old, fresh: edit.fresh });
        return 'made';
      }
      if (answer.kind === 'denied' || isUnwanted) {
        refusedAt ??= performance.now();
        if (answer.kind === 'denied') await this.#heeds(answer.reason, bead);
        else if (answer.kind === 'done') await this.#undoes(edit, path, answer.told, bead);
      } else this.#team.tally.stale += 1;
    }
    if (refusedAt !== null) this.#team.tally.waitedMs += performance.now() - refusedAt;
    return 'givenUp';
  }

  #try(way: Way, path: string, edit: Edit): Promise<Answer> {
    if (edit.from === '' || way === 'write') return this.session.write(path, edit.whole);
    if (way === 'edit') return this.session.edit(path, edit.from, edit.to);
    return this.session.shell(shellEdit(way, path, edit));
  }

  /** A command that nobody could look into has changed what another holds, and says so after it. */
  async #undoes(edit: Edit, path: string, told: string, bead: string): Promise<void> {
    const back = { ...edit, from: edit.to, to: edit.from };
    await this.session.shell(shellEdit('python', path, back));
    await this.#heeds(`${told}\nNext: coord reserve --wait 2m -- ${quoted(path)}`, bead);
  }

  /** Does what a refusal tells; unless it holds on to it, what is finished is committed before. */
  async #heeds(told: string, bead: string): Promise<void> {
    this.#team.tally.refusals += 1;
    this.#team.tally.toldChars += told.length;
    const next = nextOf(told, `${bead}: a part`);
    if (next === null || this.#team.isOver()) return this.think();
    if (!this.#team.hold && this.#dirty.size > 0) {
      await this.#commits(bead);
      await this.session.shell('coord release --unchanged');
    }
    const answer = await this.session.shell(next);
    if (answer.kind === 'done' && answer.ran.code === 0) return;
    await this.#follows(answer, bead);
  }

  /** One more command, where the first is refused with one. */
  async #follows(answer: Answer, bead: string): Promise<void> {
    const told = this.#toldBy(answer);
    const next = nextOf(told, `${bead}: a part`);
    this.#team.tally.toldChars += told.length;
    if (next === null || this.#team.isOver()) return this.think();
    const again = await this.session.shell(next);
    this.#notes(again, bead);
    if (again.kind !== 'done' || again.ran.code !== 0) await this.think();
  }

  #toldBy(answer: Answer): string {
    if (answer.kind === 'denied') return answer.reason;
    return answer.kind === 'done' ? `${answer.ran.stdout}${answer.ran.stderr}` : '';
  }

  /** git says `[branch name] subject` of each commit it makes. */
  #notes(answer: Answer, bead: string): void {
    const [, oid] = /^\[[^\]]*?([0-9a-f]{7,})\]/m.exec(this.#toldBy(answer)) ?? [];
    if (oid !== undefined) this.#team.commits.set(oid, { bead, agent: this.session.name });
  }

  async #commits(bead: string): Promise<boolean> {
    const files = [...this.#dirty].map(quoted).join(' ');
    if (files === '') return true;
    const started = performance.now();
    let firstTook: number | null = null;
    let isCommitted = false;
    for (let tries = 0; tries < mostTries && !isCommitted; tries += 1) {
      isCommitted = await this.#commit(bead, files);
      firstTook ??= performance.now() - started;
      if (this.#team.isOver()) break;
    }
    this.#team.tally.waitedMs += performance.now() - started - (firstTook ?? 0);
    if (isCommitted) this.#dirty = new Set();
    return isCommitted;
  }

  /** Another commit has all that this one would have had. */
  #isTakenAlong(bead: string): boolean {
    const own = this.#team.edits.filter(
      (edit) => edit.bead === bead && edit.agent === this.session.name,
    );
    return (
      lostEdits(own, [{ bead, agent: this.session.name }], this.#team.linesInHead).length === 0
    );
  }

  async #commit(bead: string, files: string): Promise<boolean> {
    const { tally, isGuarded } = this.#team;
    const message = `${bead}: its changes`;
    const answer = await this.session.shell(
      `git add -- ${files} && git commit -m ${quoted(message)}`,
    );
    this.#notes(answer, bead);
    tally.tries += 1;
    const told = this.#toldBy(answer);
    if (answer.kind === 'done' && answer.ran.code === 0) return true;
    if (nothingLeft.test(told) && this.#isTakenAlong(bead)) return true;
    if (isGuarded) {
      tally.refusals += 1;
      tally.toldChars += told.length;
    }
    const next = nextOf(told, message);
    if (next === null || this.#team.isOver()) await this.think();
    else this.#notes(await this.session.shell(next), bead);
    return false;
  }
}
