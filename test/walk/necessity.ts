/**
 * Is a refusal necessary? Decided from what the model knows: who holds what, who made which commit,
 * what is unpublished, whose work is unsaved. It runs nothing. The answer is the reason, or null.
 */
import type { Deed } from './deed.ts';
import type { Model } from './model.ts';
import { changes, nothing, type Objects } from './objects.ts';
import type { Place, Scene } from './scene.ts';

/** Does a command on these paths, or all, concern this one? */
export function covers(said: 'all' | readonly string[], path: string): boolean {
  return said === 'all' || said.some((one) => one === path || path.startsWith(`${one}/`));
}

function wiped({ actor, wipes }: Deed, model: Model, place: string): string | null {
  if (wipes === undefined) return null;
  const held = [...model.touchedIn(place).keys()].filter((one) =>
    model.isHeldByOther(one, actor.name),
  );
  const path = [...model.unsavedOfOthers(place, actor.name), ...held].find((one) =>
    covers(wipes, one),
  );
  return path === undefined ? null : `${path} has unsaved work of others`;
}

/** The paths that the commits of a deed would change, as far as it can be known before. */
function pathsToCommit(
  deed: Deed,
  model: Model,
  objects: Objects,
  place: Place,
): readonly string[] {
  const { actor, makes, sources = [] } = deed;
  // Of a merge only what is like neither side is new.
  const theirs = objects.listing(place.operation.get('MERGE_HEAD')?.slice(0, 40) ?? null);
  const staged = [...model.stagedNow(actor.name, objects.listing(place.head))]
    .filter(([path, entry]) => theirs.size === 0 || (theirs.get(path) ?? null) !== entry)
    .map(([path]) => path);
  const replayed = sources.flatMap((oid) => {
    const parent = objects.commit(oid)?.parents[0] ?? null;
    return [
      ...changes(parent === null ? nothing : objects.listing(parent), objects.listing(oid)).keys(),
    ];
  });
  if (makes?.kind !== 'index') {
    return [...replayed, ...(place.operation.size > 0 || makes === undefined ? staged : [])];
  }
  const more =
    makes.also === undefined
      ? []
      : [...model.touchedIn(place.name).keys()].filter((path) => covers(makes.also ?? [], path));
  return Array.isArray(makes.also) ? more : [...staged, ...more];
}

/** Commits of others, not published, that the moves of a deed would leave on no branch. */
export function leftBehind(
  deed: Deed,
  model: Model,
  objects: Objects,
  scene: Scene,
): readonly string[] {
  if (deed.moves === undefined) return [];
  const after = new Map([...scene.refs].filter(([ref]) => /^refs\/(heads|remotes)\//.test(ref)));
  const before = objects.reach([...after.values(), ...headsOf(scene)]);
  const heads = headsOf(scene, deed.moves.has('HEAD') ? (deed.removes ?? deed.actor.place) : null);
  for (const [ref, oid] of deed.moves) {
    if (ref === 'HEAD') heads.push(...(oid === null ? [] : [oid]));
    else if (oid === null) after.delete(ref);
    else after.set(ref, oid);
  }
  const kept = objects.reach([...after.values(), ...heads]);
  return [...before].filter((oid) => !kept.has(oid) && model.madeBy.get(oid) !== deed.actor.name);
}

/** Commits of others that a step has left on no branch, and not made again somewhere else. */
export function hasLeft(
  { actor, makes }: Deed,
  model: Model,
  objects: Objects,
  before: Scene,
  after: Scene,
): readonly string[] {
  if (makes?.kind === 'replay') return [];
  const tips = (scene: Scene): readonly string[] => [
    ...[...scene.refs].flatMap(([ref, oid]) => (/^refs\/(heads|remotes)\//.test(ref) ? [oid] : [])),
    ...headsOf(scene),
  ];
  const [from, to] = [tips(before), tips(after)];
  if (from.join() === to.join()) return [];
  const kept = objects.reach(to);
  return [...objects.reach(from)].filter((oid) => {
    const maker = model.madeBy.get(oid) ?? 'base';
    return !kept.has(oid) && maker !== actor.name && maker !== 'base';
  });
}

/** Detached commits count as on a branch as long as somebody stands there. */
function headsOf({ places }: Scene, without: string | null = null): string[] {
  return [...places.values()].flatMap(({ name, head, branch }) =>
    head === null || branch !== null || name === without ? [] : [head],
  );
}

export function whyRefused(
  deed: Deed,
  model: Model,
  objects: Objects,
  scene: Scene,
): string | null {
  const { actor, makes } = deed;
  const place = scene.places.get(actor.place);
  if (place === undefined) return null;
  const began = model.beganBy.get(place.name);
  if (place.operation.size > 0 && began !== undefined && began !== actor.name) {
    return `an operation of ${began} is under way`;
  }
  if (model.leftOut.has(place.name)) return 'commits were left out on the way';
  const held = pathsToCommit(deed, model, objects, place).find((path) =>
    model.isHeldByOther(path, actor.name),
  );
  if (held !== undefined) return `${held} is held by ${model.holder(held) ?? ''}`;
  const wiping = wiped(deed, model, deed.removes ?? place.name);
  if (wiping !== null) return wiping;
  const [left] = leftBehind(deed, model, objects, scene);
  if (left !== undefined) {
    return `would leave ${left.slice(0, 8)} of ${model.madeBy.get(left) ?? ''} on no branch`;
  }
  const stashes =
    deed.stash === undefined
      ? []
      : deed.stash === 'all'
        ? scene.stashes
        : scene.stashes.slice(deed.stash, deed.stash + 1);
  const foreign = stashes.find((oid) => (model.stashedBy.get(oid) ?? actor.name) !== actor.name);
  if (foreign !== undefined) return `the stash is of ${model.stashedBy.get(foreign) ?? ''}`;
  if (makes?.kind !== 'index') return null;
  const hadStaged = model.switchedUnder.get(actor.name);
  if (
    hadStaged === true ||
    (hadStaged === false && (makes.amends ?? makes.also ?? makes.mayBeEmpty) !== undefined)
  ) {
    return 'somebody else has switched the branch';
  }
  const head = objects.listing(place.head);
  for (const [path, { entry, base }] of model.stagedOf(actor.name)) {
    const now = head.get(path) ?? null;
    if (Array.isArray(makes.also) && !covers(makes.also, path)) continue;
    if (now !== base && now !== entry) return `${path} was changed by others since it was staged`;
  }
  const mixed =
    makes.also === undefined
      ? []
      : model
          .unsavedOfOthers(place.name, actor.name)
          .filter((path) => covers(makes.also ?? [], path));
  return mixed.length > 0 &&
    (actor.kind === 'person' ||
      Array.isArray(makes.also) ||
      mixed.some((path) => model.unsavedBy(place.name, path).has(actor.name)))
    ? `${mixed[0] ?? ''} has lines of others`
    : null;
}
