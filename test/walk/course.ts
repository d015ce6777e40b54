/**
 * One world on its way: runs a step, looks at what is there after it and has it judged. What is
 * wrong is noted with the steps before it.
 */
import type { Ran } from '../support/repository.ts';
import type { Deed } from './deed.ts';
import { Judge } from './judge.ts';
import { authorOf } from './lines.ts';
import { Model } from './model.ts';
import { hasLeft } from './necessity.ts';
import { linesInTrees, type Scene } from './scene.ts';
import { wrongStatus } from './status.ts';
import type { Tally } from './tally.ts';
import type { World } from './world.ts';

const mostInVain = 8;
const steady = /^[\w@.,/:={}~^-]+$/;

function shown({ actor, argv, label, about = '', writes = [], deletes = [] }: Deed): string {
  if (argv.length === 0) {
    return `${actor.name}: (${[label, about, ...writes, ...deletes].join(' ')})`;
  }
  const words = argv.map((word) => (steady.test(word) ? word : `'${word}'`)).join(' ');
  return `${actor.name}: ${words}${writes.length === 0 ? '' : ` # ${writes.join(', ')}`}`;
}

export class Course {
  readonly world: World;
  readonly model: Model;
  readonly judge: Judge;
  readonly tally: Tally;
  readonly began: number;
  scene: Scene;
  step: number;
  /** How many commits and the like each was refused in a row without need. */
  readonly #vain = new Map<string, number>();
  readonly #last: string[] = [];
  readonly #hears: (text: string) => void;

  constructor(world: World, tally: Tally, began: number, hears: (text: string) => void) {
    this.world = world;
    this.tally = tally;
    this.began = began;
    this.step = began;
    this.scene = world.look();
    this.model = new Model(world.objects);
    for (const line of linesInTrees(this.scene)) this.model.lines.add(line);
    this.judge = new Judge(this.model, world.objects, this.scene);
    this.#hears = hears;
    hears(`--- a new world ${world.home}`);
  }

  get isGuarded(): boolean {
    return this.world.guard === 'coord';
  }

  /** It was refused, and nothing that the model knows of was in the way. */
  inVain({ actor: { name }, makes }: Deed): void {
    if (makes !== undefined) this.#vain.set(name, (this.#vain.get(name) ?? 0) + 1);
  }

  /** Whoever gets nothing through any more. */
  get stuck(): string | null {
    return [...this.#vain].find(([, times]) => times > mostInVain)?.[0] ?? null;
  }

  note(kind: string, what: string, deed: Deed | null): void {
    const { step, began } = this;
    const [label, by] = [deed?.label ?? '', deed?.actor.name ?? ''];
    const last = this.#last.slice(-15);
    this.tally.found.push({
      kind,
      what,
      seed: this.tally.seed,
      step,
      age: step - began,
      label,
      by,
      last,
    });
    this.#hears(`   !!! ${kind}: ${what}`);
  }

  /** Runs it and looks again. */
  do(deed: Deed): Ran {
    const { actor, argv, byHand, input, env } = deed;
    byHand?.();
    const ran =
      argv.length === 0
        ? { code: 0, stdout: '', stderr: '', json: {} }
        : this.world.run(actor, argv, input, env);
    const said = `${ran.stdout.slice(0, 300).trim()} ${ran.stderr.slice(0, 900).trim()}`.trim();
    this.#last.push(`${this.step}. ${shown(deed)}\n   exit ${ran.code} ${said}`.trimEnd());
    this.#hears(this.#last.at(-1) ?? '');
    this.scene = this.world.look();
    return ran;
  }

  /** It went, or git itself refused it. */
  went(deed: Deed, ran: Ran, before: Scene): void {
    const { model, tally } = this;
    const was = tally.found.length;
    if (ran.code === 0 && deed.makes !== undefined) this.#vain.delete(deed.actor.name);
    const faults = this.judge.commits(deed, before, this.scene);
    model.follow(deed, before, this.scene);
    if (ran.code === 0) deed.learn?.(model);
    for (const { kind, what } of faults) {
      if (this.isGuarded || kind !== 'commit on held') this.note(kind, what, deed);
    }
    const left = hasLeft(deed, model, this.world.objects, before, this.scene);
    for (const oid of left) {
      if (this.#isToldOf(deed, oid, before)) continue;
      this.note(
        'left behind',
        `${oid.slice(0, 8)} of ${model.madeBy.get(oid) ?? ''} is on no branch`,
        deed,
      );
    }
    this.lines(deed);
    if (this.isGuarded && deed.label === 'reserve') this.#reserved(deed, ran);
    if (this.isGuarded && deed.label === 'status' && ran.code === 0) this.#status(deed, ran);
    if (ran.code === 0 && deed.label.startsWith('switch'))
      model.switchedUnder.delete(deed.actor.name);
    if (tally.found.slice(was).some(({ kind }) => kind.startsWith('commit'))) {
      model.settle([deed.actor], this.scene);
    }
  }

  #reserved(deed: Deed, ran: Ran): void {
    const path = deed.argv.at(-1) ?? '';
    if (ran.code === 0 || this.model.isHeldByOther(path, deed.actor.name)) return;
    this.note('unnecessary', `reserve ${path}: ${ran.stderr.slice(0, 200)}`, deed);
  }

  /** No line is lost but by its author; what was saved counts if its author is told. */
  lines(deed: Deed, as = '', isRefused = false): void {
    const { faults, rescued, wipedByPerson } = this.judge.lines(deed, this.scene, isRefused);
    for (const { kind, what } of faults) this.note(`${as}${kind}`, what, deed);
    this.tally.wipedByPerson += wipedByPerson.length;
    this.tally.rescued += rescued.length;
    // After these git runs no hook, so that a person's own cannot be told of.
    const isUnseen =
      (deed.actor.kind === 'person' && /-p\b|^(restore|clean|rm|apply)\b/.test(deed.label)) ||
      deed.label.startsWith('stash drop');
    const known = isUnseen ? [] : rescued.filter((line) => this.model.isRecorded(line));
    for (const name of new Set(known.map(authorOf))) {
      if (name === deed.actor.name) continue;
      const inbox = this.world.run(this.world.actor(name), ['coord', 'inbox', '--json']);
      if (/saved|kept|rescue|wrote over|overw/i.test(`${inbox.stdout}${inbox.stderr}`)) continue;
      const own = known.filter((line) => authorOf(line) === name);
      this.note(
        'not told',
        `${name} is not told that ${own.join(', ')} is only in what was saved`,
        deed,
      );
    }
  }

  /**
   * git asks nobody before a person leaves a HEAD without a branch: whoever made its commits is
   * told.
   */
  #isToldOf({ actor, label }: Deed, oid: string, before: Scene): boolean {
    const { model, world } = this;
    const maker = model.madeBy.get(oid) ?? '';
    if (actor.kind !== 'person') return false;
    // A person's own git runs no hook before it removes a work tree.
    if (label !== 'worktree remove') {
      if (before.places.get(actor.place)?.branch !== null) return false;
      const inbox = world.run(world.actor(maker), ['coord', 'inbox', '--json']);
      if (!inbox.stdout.includes(oid.slice(0, 10))) return false;
    }
    for (const line of world.objects.freshLines(oid)) model.lines.delete(line);
    return true;
  }

  /** Within one command of theirs everybody's status is what plain git would say. */
  #status(deed: Deed, ran: Ran): void {
    const about = { model: this.model, objects: this.world.objects };
    if (wrongStatus(about, deed.actor, this.scene, ran.stdout).length === 0) return;
    const again = this.do(deed);
    const wrong = wrongStatus(about, deed.actor, this.scene, again.stdout);
    if (wrong.length === 0) this.tally.lateStatus += 1;
    else {
      const { stdout, stderr } = this.world.run(deed.actor, ['coord', 'stage', 'refresh']);
      const why = `${stdout}${stderr}`.slice(0, 400);
      this.note(
        'status',
        `${wrong.slice(0, 4).join('; ')}; coord stage refresh says: ${why}`,
        deed,
      );
    }
  }
}
