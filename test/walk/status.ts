/** What `git status` says of an actor's work, beside what plain git would say. */
import type { Model } from './model.ts';
import type { Objects } from './objects.ts';
import type { Scene } from './scene.ts';
import type { Actor } from './world.ts';

/** Where `git status --porcelain` says something else than plain git would. */
export function wrongStatus(
  { model, objects }: { readonly model: Model; readonly objects: Objects },
  actor: Actor,
  scene: Scene,
  said: string,
): readonly string[] {
  const place = scene.places.get(actor.place);
  if (place === undefined) return [];
  const head = objects.listing(place.head);
  // What is staged and was changed otherwise since keeps the index where it was until its author
  // has chosen.
  // So does a conflict.
  const isUnmerged = [...(scene.indexes.get(actor.index)?.entries.values() ?? [])].includes(
    'unmerged',
  );
  if (isUnmerged || model.isBetween(actor.name, head)) return [];
  const index = model.expectedIndex(actor.name, head);
  const { flagged = new Set<string>(), entries = new Map<string, string>() } =
    scene.indexes.get(actor.index) ?? {};
  const isOut = (path: string): boolean =>
    flagged.has(path) ||
    /["~ ]|^part|^\.gitmodules/.test(path) ||
    index.get(path) === 'unmerged' ||
    entries.get(path) === 'unmerged' ||
    model.wasStaged(actor.name, path, entries.get(path) ?? null);
  const wanted = new Map<string, string>();
  for (const path of new Set([...head.keys(), ...index.keys(), ...place.files.keys()])) {
    const [was, is, file] = [head.get(path), index.get(path), place.files.get(path)?.clean];
    const [x, y] = lettersOf(was, is, file);
    if (x !== ' ' || y !== ' ') wanted.set(path, x + y);
    if (is === undefined && file !== undefined) wanted.set(`${path} `, '??');
  }
  const found = lettersIn(said);
  return [...new Set([...wanted.keys(), ...found.keys()])]
    .filter((path) => wanted.get(path) !== found.get(path) && !isOut(path.trim()))
    .map(
      (path) =>
        `${path.trim()}: ${found.get(path) ?? 'nothing'}` +
        ` instead of ${wanted.get(path) ?? 'nothing'}`,
    );
}

/** What git says of a file that HEAD, the index and the work tree have so. */
function lettersOf(
  was: string | undefined,
  is: string | undefined,
  file: string | undefined,
): readonly [x: string, y: string] {
  const kindOf = (entry: string): string => entry.slice(0, 3);
  const changed = (from: string, to: string): string => (kindOf(from) === kindOf(to) ? 'M' : 'T');
  const staged = was === undefined ? 'A' : is === undefined ? 'D' : changed(was, is);
  if (is === undefined || is === file) return [was === is ? ' ' : staged, ' '];
  return [was === is ? ' ' : staged, file === undefined ? 'D' : changed(is, file)];
}

function lettersIn(said: string): ReadonlyMap<string, string> {
  const lines = said.split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => [
      line.startsWith('??') ? `${line.slice(3)} ` : line.slice(3),
      line.slice(0, 2),
    ]),
  );
}
