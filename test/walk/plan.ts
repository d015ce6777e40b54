/** Which step comes next: by weight, by who can do it, and more often what was done too rarely. */
import type { Deed, Kind, Now } from './deed.ts';
import { commitSteps } from './steps/commits.ts';
import { fileSteps } from './steps/files.ts';
import { endingSteps, historySteps } from './steps/history.ts';
import { ownUnsaved, placeOf } from './steps/material.ts';
import { outsideSteps } from './steps/outside.ts';
import { placeSteps } from './steps/places.ts';
import { restoringSteps } from './steps/restoring.ts';
import type { Actor } from './world.ts';

export const allSteps: readonly Kind[] = [
  ...fileSteps,
  ...commitSteps,
  ...placeSteps,
  ...restoringSteps,
  ...historySteps,
  ...outsideSteps,
];

/** Much is written for a while; then it is committed, and history moves while little is unsaved. */
function isCalm(now: Now): boolean {
  return now.step % 60 >= 22;
}

const files = new Set(fileSteps.filter(({ label }) => label !== 'reserve' && label !== 'release'));
const commits = new Set(commitSteps);

/** Of every command so much is wanted that 100,000 steps hold 200 of it. */
function isRare(now: Now, { label }: Kind): boolean {
  return now.done(label) < now.step / 400;
}

function weightOf(now: Now, kind: Kind): number {
  const weight = isRare(now, kind) ? kind.weight * 4 : kind.weight;
  if (!isCalm(now)) return weight;
  return files.has(kind) ? weight / 5 : commits.has(kind) ? weight * 1.5 : weight * 2;
}

function weighted(now: Now, kinds: readonly Kind[], chance: () => number): Kind {
  let left = chance() * kinds.reduce((sum, kind) => sum + weightOf(now, kind), 0);
  for (const kind of kinds) {
    left -= weightOf(now, kind);
    if (left < 0) return kind;
  }
  return now.pick(kinds);
}

/** Out of a state in which little can be done, soon. */
function wayOut(now: Now, actor: Actor): readonly Kind[] {
  const place = placeOf(now, actor);
  const home = place.name === 'main' ? placeSteps.filter(({ label }) => label === 'switch') : [];
  if (place.operation.size > 0) {
    const began = now.model.beganBy.get(place.name);
    return began === undefined || began === actor.name
      ? now.happens(0.8)
        ? endingSteps
        : []
      : now.happens(0.1)
        ? endingSteps
        : [];
  }
  // Whoever has unsaved work commits it when things calm down.
  const own = isCalm(now) && now.happens(0.8) ? ownUnsaved(now, actor) : [];
  if (own.length > 0) {
    return commitSteps
      .filter(({ label }) => label === (now.happens(0.5) ? 'commit -- paths' : 'commit -a'))
      .concat(fileSteps.filter(({ label }) => label === 'add'));
  }
  return (place.branch === null || place.head === null) && now.happens(0.3) ? home : [];
}

export function nextDeed(now: Now, chance: () => number): Deed {
  for (let tries = 0; tries < 500; tries += 1) {
    const actor = now.pick(now.world.actors);
    const out = wayOut(now, actor);
    const kinds = out.length > 0 ? out : allSteps;
    const { who, plan } = weighted(now, kinds, chance);
    if (who !== undefined && who !== actor.kind) continue;
    const deed = plan(now, actor);
    if (deed !== null) return deed;
  }
  throw new Error('there is nothing that anybody could do');
}
