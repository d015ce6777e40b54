/**
 * A walk: one step after the other in a world, each judged by the model. What was found is kept with the
 * last steps before it; the counters say how often each command went, and who refused it.
 */
import type { Ran } from '../support/repository.ts';
import { at } from '../support/repository.ts';
import { logFaults } from '../support/log-check.ts';
import { seeded } from '../support/world.ts';
import type { Deed, Now } from './deed.ts';
import { Judge } from './judge.ts';
import { authorOf } from './lines.ts';
import { Model } from './model.ts';
import { whyRefused } from './necessity.ts';
import { nextDeed } from './plan.ts';
import { changedBy, failedInside, holdersInTheWay, isNoCommand, isRefusal, nextOf, reasonOf } from './refusal.ts';
import { lineOf, newTally, type Found, type Tally } from './tally.ts';
import { linesInTrees, type Scene } from './scene.ts';
import { World, type Guard } from './world.ts';

export interface Options {
  readonly seed: number;
  readonly steps: number;
  readonly guard?: Guard;
  readonly program?: string;
  /** Ends with the first of this kind that is wrong. */
  readonly stops?: RegExp;
  /** How many steps until a new world begins; the growth of one is bounded so. */
  readonly worldSteps?: number;
  /** Leaves what is there for whoever wants to look. */
  readonly keeps?: boolean;
  /** Begins anew in another world after what the model cannot go on from, so that nothing is found twice. */
  readonly renews?: boolean;
  /** Hears of every step. */
  readonly hears?: (text: string) => void;
}

const breaking = /^(next: )?(lost|commit|two|other|refusal changed)/;

export class Walk {
  readonly tally: Tally = newTally();
  readonly #options: Options;
  readonly #chance: () => number;
  #world!: World;
  #model!: Model;
  #judge!: Judge;
  #scene!: Scene;
  #step = 0;
  #stuck = 0;
  #began = 0;
  readonly #last: string[] = [];

  constructor(options: Options) {
    this.#options = options;
    this.#chance = seeded(options.seed);
  }

  #begin(): void {
    const { guard = 'coord', program } = this.#options;
    this.#world = new World(guard, 2 + Math.floor(this.#chance() * 4), program);
    this.#scene = this.#world.look();
    this.#model = new Model(this.#world.objects);
    for (const line of linesInTrees(this.#scene)) this.#model.lines.add(line);
    this.#judge = new Judge(this.#model, this.#world.objects, this.#scene);
    this.#stuck = 0;
    this.#began = this.#step;
    this.#last.length = 0;
    this.#options.hears?.('--- a new world');
  }

  async run(): Promise<Tally> {
    const { steps, stops, worldSteps = 1_000 } = this.#options;
    this.#begin();
    for (this.#step = 1; this.#step <= steps; this.#step += 1) {
      const known = this.tally.found.length;
      this.#one();
      // Whoever runs it may want to say something in between.
      await new Promise(setImmediate);
      if (stops !== undefined && this.tally.found.slice(known).some((found) => stops.test(lineOf(found)))) break;
      if (this.#step % 200 === 0) this.#fsck();
      const isBroken = this.#options.renews === true && this.tally.found.slice(known).some(({ kind }) => breaking.test(kind));
      if (this.#step % worldSteps === 0 || this.#stuck > 25 || isBroken) this.#change(this.#stuck > 25);
    }
    this.#end();
    return this.tally;
  }

  #change(isStuck: boolean): void {
    if (isStuck) this.#note('stuck', 'the last 25 commands were all refused without need', null);
    this.#end();
    this.#begin();
  }

  #end(): void {
    this.#fsck();
    if (this.#world.guard === 'coord') for (const fault of logFaults(at(this.#world.top, this.#world.env))) this.#note('log', fault, null);
    if (this.#options.keeps !== true) this.#world.end();
  }

  #fsck(): void {
    const { code, stdout, stderr } = this.#world.plainly(this.#world.top, 'fsck', '--strict', '--no-dangling', '--no-progress');
    if (code !== 0) this.#note('fsck', `${stdout}${stderr}`.slice(0, 300), null);
  }

  #now(): Now {
    const chance = this.#chance;
    return {
      world: this.#world, model: this.#model, scene: this.#scene, step: this.#step,
      pick: (items) => items[Math.floor(chance() * items.length)] as typeof items[number],
      happens: (probability) => chance() < probability,
    };
  }

  #note(kind: string, what: string, deed: Deed | null): void {
    const found: Found = { kind, what, step: this.#step, age: this.#step - this.#began, label: deed?.label ?? '', by: deed?.actor.name ?? '', last: this.#last.slice(-15) };
    this.tally.found.push(found);
  }

  #one(): void {
    const deed = nextDeed(this.#now(), this.#chance);
    const before = this.#scene;
    const ran = this.#do(deed);
    this.#scene = this.#world.look();
    const refused = this.#world.guard === 'coord' && isRefusal(ran);
    this.tally.count(deed.label, ran.code === 0 ? 'went' : refused ? 'refusedByCoord' : 'refusedByGit');
    if (failedInside(ran)) this.#note('failed inside', reasonOf(ran), deed);
    if (ran.code === -1) this.#note('hang', 'it did not end within a minute', deed);
    if (refused) this.#refused(deed, ran, before);
    else this.#went(deed, ran, before);
  }

  #do(deed: Deed): Ran {
    const { actor, argv, byHand, input, env } = deed;
    byHand?.();
    const ran = argv.length === 0 ? { code: 0, stdout: '', stderr: '', json: {} } : this.#world.run(actor, argv, input, env);
    const what = argv.length === 0 ? `(${[deed.label, deed.about ?? '', ...deed.writes ?? [], ...deed.deletes ?? []].join(' ')})` : argv.map((word) => (/^[\w@.,/:={}~^-]+$/.test(word) ? word : `'${word}'`)).join(' ');
    const wrote = deed.writes === undefined || argv.length === 0 ? '' : ` # ${deed.writes.join(', ')}`;
    this.#last.push(`${this.#step}. ${actor.name}: ${what}${wrote}\n   exit ${ran.code} ${ran.stdout.slice(0, 300).trim()} ${ran.stderr.slice(0, 900).trim()}`.trimEnd());
    this.#options.hears?.(this.#last.at(-1) ?? '');
    return ran;
  }

  /** It went, or git itself refused it. */
  #went(deed: Deed, ran: Ran, before: Scene): void {
    const was = this.tally.found.length;
    if (ran.code === 0) this.#stuck = 0;
    const commits = this.#judge.commits(deed, before, this.#scene);
    this.#model.follow(deed, before, this.#scene);
    if (ran.code === 0) deed.learn?.(this.#model);
    const isCoord = this.#world.guard === 'coord';
    for (const { kind, what } of commits) if (isCoord || kind !== 'commit on held') this.#note(kind, what, deed);
    this.#lines(deed);
    if (deed.label === 'reserve') this.#reserved(deed, ran);
    if (isCoord && deed.label === 'status' && ran.code === 0) this.#status(deed, ran);
    if (deed.label.startsWith('switch') || deed.label === 'coord stage refresh') this.#model.switchedUnder.delete(deed.actor.name);
    if (this.tally.found.slice(was).some(({ kind }) => kind.startsWith('commit'))) this.#model.settle([deed.actor], this.#scene);
  }

  #reserved(deed: Deed, ran: Ran): void {
    const path = deed.argv.at(-1) ?? '';
    const isFree = !this.#model.isHeldByOther(path, deed.actor.name) || ran.code === 0;
    if (this.#world.guard === 'coord' && ran.code !== 0 && isFree) this.#note('unnecessary', `reserve ${path}: ${ran.stderr.slice(0, 200)}`, deed);
  }

  #lines(deed: Deed, isNext = false, isRefused = isNext): void {
    const { faults, rescued, wipedByPerson } = this.#judge.lines(deed, this.#scene, isRefused);
    for (const { kind, what } of faults) this.#note(isNext ? `next: ${kind}` : kind, what, deed);
    this.tally.wipedByPerson += wipedByPerson.length;
    this.tally.rescued += rescued.length;
    const owners = new Set(rescued.map(authorOf).filter((name) => name !== deed.actor.name));
    for (const name of owners) {
      const { stdout, stderr } = this.#world.run(this.#world.actor(name), ['coord', 'inbox', '--json']);
      if (!/saved|kept|rescue|wrote over|overw/i.test(`${stdout}${stderr}`)) this.#note('not told', `${name} is not told that ${rescued.join(', ')} is only in what was saved`, deed);
    }
  }

  #status(deed: Deed, ran: Ran): void {
    const first = this.#judge.status(deed.actor, this.#scene, ran.stdout);
    if (first.length === 0) return;
    const again = this.#do(deed);
    this.#scene = this.#world.look();
    const second = this.#judge.status(deed.actor, this.#scene, again.stdout);
    if (second.length === 0) this.tally.lateStatus += 1;
    else this.#note('status', second.slice(0, 4).join('; '), deed);
  }

  #refused(deed: Deed, ran: Ran, before: Scene): void {
    // What was written by hand for it is there.
    this.#model.follow({ ...deed, deletes: deed.deletes ?? [] }, before, deed.byHand === undefined ? before : this.#scene);
    const why = whyRefused(deed, this.#model, this.#world.objects, before) ?? this.#heldAsSaid(deed, ran);
    const changed = deed.byHand === undefined ? changedBy(deed, before, this.#scene, this.#world.objects) : [];
    if (!failedInside(ran)) this.tally.refusals += 1;
    if (failedInside(ran)) this.#stuck += 1;
    else if (why === null) {
      this.tally.unnecessary += 1;
      this.#stuck += 1;
      this.#note('unnecessary', reasonOf(ran), deed);
    } else this.#stuck = 0;
    const nexts = nextOf(ran);
    if (nexts.length === 0 && !failedInside(ran)) this.#note('no next', reasonOf(ran), deed);
    if (changed.length > 0) this.tally.changedBytes += 1;
    const isSame = this.#follow(deed, nexts, before, changed);
    if (changed.length > 0 && !isSame) this.#note('refusal changed', `${changed.slice(0, 5).join('; ')}: ${reasonOf(ran)}`, deed);
    this.#again(deed, ran, nexts);
    this.#model.switchedUnder.delete(deed.actor.name);
  }

  /** Which paths a replay touches is known only after git has merged: what is said counts if it is held indeed. */
  #heldAsSaid({ makes, actor }: Deed, { stderr }: Ran): string | null {
    const said = [...stderr.matchAll(/^ +(\S+): held/gm)].map(([, path = '']) => path);
    return makes?.kind === 'replay' && said.some((path) => this.#model.isHeldByOther(path, actor.name)) ? said.join(' ') : null;
  }

  /** Whether the first command that was printed put every byte back. */
  #follow(deed: Deed, nexts: readonly string[], before: Scene, changed: readonly string[]): boolean {
    let isSame = changed.length === 0;
    for (const [i, next] of nexts.entries()) {
      if (isNoCommand(next)) {
        this.#note('next: no command', next, deed);
        continue;
      }
      for (const [path, holder] of holdersInTheWay(next, deed, this.#model)) {
        if (this.#world.run(this.#world.actor(holder), ['coord', 'release', path]).code === 0) this.#model.leases.delete(path);
      }
      const step: Deed = { label: `next of ${deed.label}`, actor: deed.actor, argv: ['sh', '-c', next], makes: { kind: 'replay' } };
      const was = this.#scene;
      const ran = this.#do(step);
      this.#scene = this.#world.look();
      this.#afterNext(step, ran, was, next);
      if (i === 0 && !isSame) isSame = changedBy(deed, before, this.#scene, this.#world.objects).length === 0;
    }
    if (changed.length > 0 && !isSame) this.#recover(deed, before);
    return isSame;
  }

  #afterNext(step: Deed, ran: Ran, was: Scene, next: string): void {
    if (ran.code !== 0) this.#note('next: fails', `${next.slice(0, 120)}: exit ${ran.code} ${reasonOf(ran)} ${ran.stderr.slice(0, 120)}`, step);
    for (const { kind, what } of this.#judge.commits(step, was, this.#scene)) this.#note(`next: ${kind}`, what, step);
    this.#model.follow(step, was, this.#scene);
    this.#lines(step, true);
    const [, paths = ''] = /^coord reserve .*?-- (.*)$/.exec(next) ?? /^coord reserve (?:--\S+ |\d+\w )*(.*)$/.exec(next) ?? [];
    if (ran.code === 0 && paths !== '') for (const path of paths.split(' ')) this.#model.leases.set(path.replaceAll("'", ''), step.actor.name);
    if (/stage refresh/.test(next)) this.#model.switchedUnder.delete(step.actor.name);
  }

  /** The model goes on from what the refusal left, which was noted. */
  #recover(deed: Deed, before: Scene): void {
    this.#model.follow({ ...deed, label: 'left by a refusal' }, before, this.#scene);
    this.#judge.commits({ ...deed, makes: { kind: 'replay' } }, before, this.#scene);
    this.#lines(deed, false, true);
    this.#model.settle(this.#world.actors.filter(({ name, place }) => name === deed.actor.name || (place === deed.actor.place && name === 'person')), this.#scene);
  }

  /** Once its next command was followed, the same is not refused for the same. */
  #again(deed: Deed, ran: Ran, nexts: readonly string[]): void {
    if (nexts.length === 0 || nexts.some(isNoCommand) || deed.argv.length === 0 || deed.label === 'resolve') return;
    const before = this.#scene;
    const { byHand: _, ...once } = deed;
    const again = this.#do(once);
    this.#scene = this.#world.look();
    if (!isRefusal(again)) this.#went(once, again, before);
    else {
      if (reasonOf(again) === reasonOf(ran)) this.#note('next: does not end it', reasonOf(again), deed);
      if (changedBy(deed, before, this.#scene, this.#world.objects).length > 0) this.#recover(deed, before);
    }
  }
}
