/**
 * After a refusal by coord: it has to be necessary, to leave every byte as it was, and to print
 * commands that, followed to the letter, end it and lose nothing of anybody's.
 */
import type { Ran } from '../support/repository.ts';
import type { Course } from './course.ts';
import type { Deed } from './deed.ts';
import { whyRefused } from './necessity.ts';
import {
  changedBy,
  failedInside,
  holdersInTheWay,
  isByGitItself,
  isConflict,
  isLook,
  isNoCommand,
  isRefusal,
  nextOf,
  pathsToReserve,
  reasonOf,
} from './refusal.ts';
import type { Scene } from './scene.ts';

/** The paths of a replay are known after git has merged: what is said counts if it is held. */
function heldAsSaid({ model }: Course, { label, actor }: Deed, { stderr }: Ran): string | null {
  const said = [
    ...stderr.matchAll(/^(?:coord: refused:)? +(\S.*?)(?: and \d+ more)? (?:is|are) held by/gm),
  ].flatMap(([, paths = '']) => paths.split(', '));
  const isTrue = said.some((path) => model.isHeldByOther(path, actor.name));
  const isReplay = /^(cherry-pick|revert|am|rebase|pull --rebase)\b/.test(label);
  return isReplay && isTrue ? said.join(' ') : null;
}

export function afterRefusal(course: Course, deed: Deed, ran: Ran, before: Scene): void {
  const {
    model,
    tally,
    world: { objects },
  } = course;
  // What was written by hand for it is there.
  model.follow(deed, before, deed.byHand === undefined ? before : course.scene);
  const changed = deed.byHand === undefined ? changedBy(deed, before, course.scene, objects) : [];
  weigh(course, deed, ran, before);
  course.lines(deed, '', true);
  const nexts = nextOf(ran);
  if (nexts.length === 0 && !failedInside(ran)) course.note('no next', reasonOf(ran), deed);
  if (changed.length > 0) tally.changedBytes += 1;
  const other = follow(course, deed, nexts, before, changed);
  if (other.length > 0) {
    course.note('refusal changed', `${reasonOf(ran)}: ${other.slice(0, 5).join('; ')}`, deed);
    recover(course, deed, before);
  }
  model.switchedUnder.delete(deed.actor.name);
  again(course, deed, ran, nexts);
}

function weigh(course: Course, deed: Deed, ran: Ran, before: Scene): void {
  const {
    model,
    tally,
    world: { objects },
  } = course;
  if (failedInside(ran)) {
    course.inVain(deed);
    return;
  }
  tally.refusals += 1;
  const why = whyRefused(deed, model, objects, before) ?? heldAsSaid(course, deed, ran);
  if (why !== null) return;
  course.inVain(deed);
  tally.unnecessary += 1;
  course.note('unnecessary', reasonOf(ran), deed);
}

/** What is not as it was after the first command that was printed. */
function follow(
  course: Course,
  deed: Deed,
  nexts: readonly string[],
  before: Scene,
  changed: readonly string[],
): readonly string[] {
  const { model, world } = course;
  const meant = meantToGo(course, deed);
  let other = changed.filter((name) => !meant.has(name));
  for (const [i, next] of nexts.entries()) {
    if (isNoCommand(next)) {
      course.note('next: no command', next, deed);
      continue;
    }
    for (const holder of holdersInTheWay(next, deed, model)) {
      const freed = world.run(world.actor(holder), ['coord', 'release', '--all']);
      if (freed.code !== 0)
        course.note('release', `${holder}: ${freed.stderr.slice(0, 200)}`, deed);
      for (const [path, by] of model.leases) if (by === holder) model.leases.delete(path);
    }
    one(course, deed, next);
    if (i === 0 && other.length > 0) {
      other = isGivenUp(course, deed)
        ? []
        : changedBy(deed, before, course.scene, world.objects).filter((name) => !meant.has(name));
    }
  }
  return other;
}

/** What goes on with a rebase is given up with all of it: the way back is to where it began. */
function isGivenUp({ scene }: Course, { label, actor }: Deed): boolean {
  return (
    /^(rebase|am|cherry-pick|revert) --(continue|skip)/.test(label) &&
    scene.places.get(actor.place)?.operation.size === 0
  );
}

/** What a person's own git has wiped before it asked, as it was told to, is in nobody's hands. */
function meantToGo({ model }: Course, { actor, wipes }: Deed): ReadonlySet<string> {
  if (actor.kind !== 'person' || wipes !== 'all') return new Set();
  const paths = [...model.touchedIn(actor.place).keys(), ...model.stagedOf(actor.name).keys()];
  return new Set(
    paths.flatMap((path) => [`${actor.place}: ${path}`, `index ${actor.index}: ${path}`]),
  );
}

function one(course: Course, deed: Deed, next: string): void {
  const { actor } = deed;
  const step: Deed = {
    label: `next of ${deed.label}`,
    actor,
    // Nothing is in its way any more.
    argv: ['sh', '-c', next.replace('--wait 2m', '--wait 5s')],
    makes:
      deed.makes?.kind === 'index'
        ? { kind: 'any', amends: deed.makes.amends === true }
        : { kind: 'replay' },
    ...(deed.makes?.kind === 'index' ? {} : { sources: deed.sources ?? [] }),
    ...(deed.mayDrop === true ? { mayDrop: true } : {}),
  };
  const before = course.scene;
  const ran = course.do(step);
  if (isConflict(ran)) for (const look of nextOf(ran)) lookAt(course, step, look);
  else if (ran.code !== 0 && !isByGitItself(ran)) {
    course.note(
      'next: fails',
      `${next.slice(0, 120)}: exit ${ran.code} ${ran.stderr.slice(0, 160)}`,
      step,
    );
  }
  for (const { kind, what } of course.judge.commits(step, before, course.scene)) {
    course.note(`next: ${kind}`, what, step);
  }
  course.model.follow(step, before, course.scene);
  course.lines(step, 'next: ', true);
  if (/^granted /m.test(ran.stdout)) {
    for (const path of pathsToReserve(next)) course.model.leases.set(path, actor.name);
  }
}

/** A next command that only shows something has to show it, and changes nothing. */
function lookAt(course: Course, { actor, label }: Deed, look: string): void {
  const before = course.scene;
  const step: Deed = { label: `look of ${label}`, actor, argv: ['sh', '-c', look] };
  const ran = course.do(step);
  if (ran.code !== 0)
    course.note('next: fails', `${look}: exit ${ran.code} ${ran.stderr.slice(0, 160)}`, step);
  const changed = changedBy(step, before, course.scene, course.world.objects);
  if (changed.length > 0) course.note('next: changed', changed.slice(0, 5).join('; '), step);
}

/** The model goes on from what the refusal left, which was noted. */
function recover(course: Course, deed: Deed, before: Scene): void {
  const { model, judge, world, scene } = course;
  model.follow(deed, before, scene);
  judge.commits({ ...deed, makes: { kind: 'replay' } }, before, scene);
  course.lines(deed, '', true);
  const { name, place } = deed.actor;
  model.settle(
    world.actors.filter((one) => one.name === name || (one.name === 'person' && place === 'main')),
    scene,
  );
}

/** Once its next commands were followed, the same is not refused for the same. */
function again(course: Course, deed: Deed, ran: Ran, nexts: readonly string[]): void {
  if (nexts.length === 0 || nexts.some(isNoCommand) || deed.argv.length === 0) return;
  const before = course.scene;
  const { byHand: _, ...once } = deed;
  const head = before.places.get(deed.actor.place)?.head ?? null;
  if (!nexts.every(isLook)) {
    course.model.restaged(deed.actor.name, course.world.objects.listing(head));
  }
  const why = whyRefused(once, course.model, course.world.objects, before);
  const second = course.do(once);
  if (!isRefusal(second)) {
    course.went(once, second, before);
    return;
  }
  // What was put back as it was is refused again, and rightly.
  if (why === null && reasonOf(second) === reasonOf(ran)) {
    course.note('next: does not end it', reasonOf(second), deed);
  }
  const changed = changedBy(deed, before, course.scene, course.world.objects);
  if (changed.length > 0) recover(course, deed, before);
}
