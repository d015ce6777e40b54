/** What steps are made of: files that an actor may change, commits and branches that are there. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Deed, Kind, Now, Planned } from '../deed.ts';
import { lineOf, linesIn } from '../lines.ts';
import type { Place } from '../scene.ts';
import type { Actor } from '../world.ts';

export function placeOf({ scene }: Now, actor: Actor): Place {
  const place = scene.places.get(actor.place);
  if (place === undefined) throw new Error(`the work tree of ${actor.name} is gone`);
  return place;
}

export function kind(label: string, weight: number, plan: Planned, who?: Actor['kind']): Kind {
  return { label, weight, plan, ...(who === undefined ? {} : { who }) };
}

export function git(
  label: string,
  actor: Actor,
  args: readonly string[],
  more: Partial<Deed> = {},
): Deed {
  return { label, actor, argv: ['git', ...args], ...more };
}

export function shell(label: string, actor: Actor, script: string, more: Partial<Deed> = {}): Deed {
  return { label, actor, argv: ['sh', '-c', script], ...more };
}

export function trackedIn(now: Now, actor: Actor): readonly string[] {
  return [...now.world.objects.listing(placeOf(now, actor).head).keys()].filter((path) =>
    isText(path),
  );
}

function isText(path: string): boolean {
  return !path.startsWith('.git') && path !== 'part';
}

/** Files that are there, that nobody else holds, and in which nobody else has unsaved work. */
export function freeFiles(now: Now, actor: Actor): readonly string[] {
  const { model } = now;
  const place = placeOf(now, actor);
  const busy = new Set(model.unsavedOfOthers(place.name, actor.name));
  return [...place.files.keys()].filter(
    (path) => isText(path) && !busy.has(path) && !model.isHeldByOther(path, actor.name),
  );
}

/** Files with unsaved work of this actor alone. */
export function ownUnsaved(now: Now, actor: Actor): readonly string[] {
  const touched = now.model.touchedIn(actor.place);
  return [...touched]
    .filter(([path, who]) => who.has(actor.name) && who.size === 1 && isText(path))
    .map(([path]) => path);
}

/** Any file with unsaved work, whoever's. */
export function anyUnsaved(now: Now, actor: Actor): readonly string[] {
  return [...now.model.touchedIn(actor.place).keys()].filter(isText);
}

export function stagedBy(now: Now, actor: Actor): readonly string[] {
  return [
    ...now.model.stagedNow(actor.name, now.world.objects.listing(placeOf(now, actor).head)).keys(),
  ];
}

export function branches({ scene }: Now): ReadonlyMap<string, string> {
  const heads = [...scene.refs].filter(([ref]) => ref.startsWith('refs/heads/'));
  return new Map(heads.map(([ref, oid]) => [ref.slice('refs/heads/'.length), oid]));
}

/** Branches that no work tree has checked out. */
export function freeBranches(now: Now): readonly string[] {
  const taken = new Set([...now.scene.places.values()].map(({ branch }) => branch));
  return [...branches(now).keys()].filter((name) => !taken.has(`refs/heads/${name}`));
}

export function ancestry(
  { world: { objects } }: Now,
  from: string | null,
  count: number,
): readonly string[] {
  const found: string[] = [];
  for (
    let oid = from;
    oid !== null && found.length < count;
    oid = objects.commit(oid)?.parents[0] ?? null
  ) {
    found.push(oid);
  }
  return found;
}

/** Commits of other branches with one parent that HEAD does not have. */
export function elsewhere(now: Now, actor: Actor): readonly string[] {
  const {
    world: { objects },
  } = now;
  const have = objects.reach([placeOf(now, actor).head ?? ''].filter((oid) => oid !== ''));
  const tips = [...now.scene.refs]
    .filter(([ref]) => /^refs\/(heads|remotes)\//.test(ref))
    .map(([, oid]) => oid);
  const found = tips.flatMap((tip) => ancestry(now, tip, 3));
  return [...new Set(found)].filter(
    (oid) => !have.has(oid) && objects.commit(oid)?.parents.length === 1,
  );
}

/** What HEAD has and the other has not, without merges. */
export function onlyHere(now: Now, head: string | null, other: string): readonly string[] {
  const {
    world: { objects },
  } = now;
  const theirs = objects.reach([other]);
  return [...objects.reach(head === null ? [] : [head])].filter(
    (oid) => !theirs.has(oid) && objects.commit(oid)?.parents.length === 1,
  );
}

/** A line of its own into a file, at its end or somewhere in it. */
export function writing(
  now: Now,
  actor: Actor,
  path: string,
  top = actor.cwd,
): Pick<Deed, 'about' | 'byHand' | 'writes'> {
  const line = lineOf(actor.name, now.model.nextNumber());
  const at = now.happens(0.5) ? 1 : now.pick([0, 0.25, 0.5, 0.75]);
  const byHand = (): void => {
    const file = join(top, path);
    mkdirSync(dirname(file), { recursive: true });
    const end = path.endsWith('.crlf') ? '\r\n' : '\n';
    let lines: string[] = [];
    try {
      lines = readFileSync(file, 'utf8')
        .split(end)
        .filter((one, i, all) => i < all.length - 1 || one !== '');
    } catch {
      // It is made.
    }
    lines.splice(Math.floor(lines.length * at), 0, line);
    writeFileSync(file, `${lines.join(end)}${end}`);
  };
  return { about: path, byHand, writes: [line] };
}

/** Takes lines of the actor's own out of a file. */
export function deleting(
  now: Now,
  actor: Actor,
  path: string,
): Pick<Deed, 'about' | 'byHand' | 'deletes'> | null {
  const own = (placeOf(now, actor).files.get(path)?.lines ?? []).filter((line) =>
    line.startsWith(`${actor.name} `),
  );
  if (own.length === 0) return null;
  const gone = own.slice(0, 3);
  const byHand = (): void => {
    const file = join(actor.cwd, path);
    const kept = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => !linesIn(line).some((one) => gone.includes(one)));
    writeFileSync(file, kept.join('\n'));
  };
  return { about: path, byHand, deletes: gone };
}
