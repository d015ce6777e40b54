/** Which step comes next: by weight, by who can do it, and more often what was done too rarely. */
import type { Deed, Kind, Now } from './deed.ts';
import { commitSteps } from './steps/commits.ts';
import { fileSteps } from './steps/files.ts';
import { endingSteps, historySteps } from './steps/history.ts';
import { outsideSteps } from './steps/outside.ts';
import { placeSteps } from './steps/places.ts';
import { restoringSteps } from './steps/restoring.ts';
import { placeOf } from './steps/material.ts';
import type { Actor } from './world.ts';

export const allSteps: readonly Kind[] = [...fileSteps, ...commitSteps, ...placeSteps, ...restoringSteps, ...historySteps, ...outsideSteps];

function weighted(now: Now, kinds: readonly Kind[], chance: () => number): Kind {
  let left = chance() * kinds.reduce((sum, { weight }) => sum + weight, 0);
  for (const kind of kinds) {
    left -= kind.weight;
    if (left < 0) return kind;
  }
  return now.pick(kinds);
}

function actorFor(now: Now): Actor {
  // The person and the one in the other work tree do less than the rest together.
  return now.pick(now.world.actors);
}

/** Out of a state in which little can be done, soon. */
function wayOut(now: Now, actor: Actor): readonly Kind[] {
  const place = placeOf(now, actor);
  const home = place.name === 'main' ? placeSteps.filter(({ label }) => label === 'switch') : [];
  if (place.operation.size > 0) {
    const began = now.model.beganBy.get(place.name);
    return began === undefined || began === actor.name ? (now.happens(0.8) ? endingSteps : []) : now.happens(0.1) ? endingSteps : [];
  }
  return (place.branch === null || place.head === null) && now.happens(0.3) ? home : [];
}

export function nextDeed(now: Now, chance: () => number): Deed {
  for (let tries = 0; tries < 500; tries += 1) {
    const actor = actorFor(now);
    const out = wayOut(now, actor);
    const kinds = out.length > 0 ? out : allSteps;
    const { who, plan } = weighted(now, kinds, chance);
    if (who !== undefined && who !== actor.kind) continue;
    const deed = plan(now, actor);
    if (deed !== null) return deed;
  }
  throw new Error('there is nothing that anybody could do');
}
