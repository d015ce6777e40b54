/** A walk: one step after the other in one world after the other, by a seed, with its counters. */

import { logFaults } from '../support/log-check.ts';
import { at } from '../support/repository.ts';
import { seeded } from '../support/world.ts';
import { Course } from './course.ts';
import type { Now } from './deed.ts';
import { nextDeed } from './plan.ts';
import { failedInside, isRefusal, reasonOf } from './refusal.ts';
import { afterRefusal } from './refused.ts';
import { lineOf, newTally, type Tally } from './tally.ts';
import { type Guard, World } from './world.ts';

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
  /** Begins another world after what the model cannot go on from: nothing is found twice. */
  readonly renews?: boolean;
  /** Hears of every step. */
  readonly hears?: (text: string) => void;
}

const breaking = /^(next: )?(lost|left|commit|two|other|refusal changed)/;

export class Walk {
  readonly tally: Tally;
  readonly #options: Options;
  readonly #chance: () => number;
  #course: Course;

  constructor(options: Options) {
    this.tally = newTally(options.seed);
    this.#options = options;
    this.#chance = seeded(options.seed);
    this.#course = this.#begin(0);
  }

  #begin(step: number): Course {
    const { guard = 'coord', program, hears } = this.#options;
    const world = new World(guard, 2 + Math.floor(this.#chance() * 4), program);
    return new Course(world, this.tally, step, hears ?? (() => {}));
  }

  async run(): Promise<Tally> {
    const { steps, stops, worldSteps = 1_000, renews = false } = this.#options;
    for (let step = 1; step <= steps; step += 1) {
      const known = this.tally.found.length;
      this.#one(step);
      // Whoever runs it may want to say something in between.
      await new Promise(setImmediate);
      const found = this.tally.found.slice(known);
      if (stops !== undefined && found.some((one) => stops.test(lineOf(one)))) break;
      if (step % 200 === 0) this.#fsck();
      const { stuck } = this.#course;
      if (stuck !== null) this.#course.note('stuck', `${stuck} gets nothing through`, null);
      const isBroken = renews && found.some(({ kind }) => breaking.test(kind));
      if (step < steps && (step % worldSteps === 0 || stuck !== null || isBroken)) {
        this.#end();
        this.#course = this.#begin(step);
      }
    }
    this.#end();
    return this.tally;
  }

  #end(): void {
    this.#fsck();
    const { world, isGuarded } = this.#course;
    const faults = isGuarded ? logFaults(at(world.top, world.env)) : [];
    for (const fault of faults) this.#course.note('log', fault, null);
    if (this.#options.keeps !== true) world.end();
  }

  #fsck(): void {
    const { world } = this.#course;
    const args = ['fsck', '--strict', '--no-dangling', '--no-progress'];
    const { code, stdout, stderr } = world.plainly(world.top, ...args);
    if (code !== 0) this.#course.note('fsck', `${stdout}${stderr}`.slice(0, 300), null);
  }

  #now(step: number): Now {
    const { world, model, scene } = this.#course;
    const chance = this.#chance;
    return {
      world,
      model,
      scene,
      step,
      done: (label) => this.tally.times(label),
      pick: (items) => items[Math.floor(chance() * items.length)] as (typeof items)[number],
      happens: (probability) => chance() < probability,
    };
  }

  #one(step: number): void {
    const course = this.#course;
    course.step = step;
    const deed = nextDeed(this.#now(step), this.#chance);
    const before = course.scene;
    const ran = course.do(deed);
    const isRefused = course.isGuarded && isRefusal(ran);
    this.tally.count(
      deed.label,
      ran.code === 0 ? 'went' : isRefused ? 'refusedByCoord' : 'refusedByGit',
    );
    if (failedInside(ran)) course.note('failed inside', reasonOf(ran), deed);
    if (ran.code === -1) course.note('hang', 'it did not end within a minute', deed);
    if (isRefused) afterRefusal(course, deed, ran, before);
    else course.went(deed, ran, before);
  }
}
