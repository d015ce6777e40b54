/**
 * What each actor wrote, staged, holds, stashed and began, as it follows from the commands that
 * went through. It starts no process and reads no file: it is told what was seen before and after a
 * step.
 */
import type { Deed } from './deed.ts';
import { authorOf } from './lines.ts';
import { isNamed, overlaps } from './named-path.ts';
import { changes, type Listing, type Objects } from './objects.ts';
import type { Place, Scene } from './scene.ts';
import type { Actor } from './world.ts';

export interface Staged {
  /** Null where the file is to go. */
  readonly entry: string | null;
  /** How it was in the commit that this was staged on. */
  readonly base: string | null;
}

export class Model {
  /** Lines that have to be somewhere. */
  readonly lines = new Set<string>();
  /** Lines that somebody has taken out of a file on purpose, or in a commit that was judged. */
  readonly removed = new Set<string>();
  readonly leases = new Map<string, string>();
  /** Lines that were written while their author held the file, and which one it was. */
  readonly recorded = new Map<string, string>();
  readonly staged = new Map<string, Map<string, Staged>>();
  readonly stashedBy = new Map<string, string>();
  readonly madeBy = new Map<string, string>();
  readonly beganBy = new Map<string, string>();
  /** Where a rebase under way has left a commit out. */
  readonly leftOut = new Set<string>();
  /**
   * Who has not looked since somebody else switched the branch, and whether they had staged
   * anything.
   */
  readonly switchedUnder = new Map<string, boolean>();
  /** By work tree and path: who changed what is in no commit. */
  /**
   * What was staged, and HEAD came to hold just so: an index that has not looked since may have it
   * still.
   */
  readonly #wasStaged = new Map<string, Map<string, string | null>>();
  readonly #touched = new Map<string, Map<string, Set<string>>>();
  readonly #objects: Objects;
  readonly #standsIn = new Map<string, string>();
  #count = 0;

  constructor(objects: Objects) {
    this.#objects = objects;
  }

  nextNumber(): number {
    this.#count += 1;
    return this.#count + 1_000;
  }

  stagedOf(name: string): Map<string, Staged> {
    const known = this.staged.get(name) ?? new Map<string, Staged>();
    this.staged.set(name, known);
    return known;
  }

  holder(path: string): string | null {
    return (
      this.leases.get(path) ??
      [...this.leases].find(([other]) => overlaps(other, path))?.[1] ??
      null
    );
  }

  isHeldByOther(path: string, name: string): boolean {
    return [...this.leases].some(([other, holder]) => holder !== name && overlaps(other, path));
  }

  /** coord knows whose it is: its author holds the file, and did when he wrote it. */
  isRecorded(line: string): boolean {
    const path = this.recorded.get(line);
    return path !== undefined && this.holder(path) === authorOf(line);
  }

  /** What an actor's index holds if nothing is wrong. */
  expectedIndex(name: string, head: Listing): Map<string, string> {
    const index = new Map(head);
    for (const [path, { entry }] of this.stagedOf(name)) {
      if (entry === null) index.delete(path);
      else index.set(path, entry);
    }
    return index;
  }

  /** Has HEAD changed otherwise what this actor has staged? */
  isBetween(name: string, head: Listing): boolean {
    return [...this.stagedOf(name)].some(([path, { entry, base }]) => {
      const now = head.get(path) ?? null;
      return (
        (now !== base && now !== entry) ||
        [...head.keys()].some((other) => entry !== null && other !== path && overlaps(path, other))
      );
    });
  }

  /** What an actor has staged, against the commit that is checked out. */
  stagedNow(name: string, head: Listing): ReadonlyMap<string, string | null> {
    return changes(head, this.expectedIndex(name, head));
  }

  touchedIn(place: string): Map<string, Set<string>> {
    const known = this.#touched.get(place) ?? new Map<string, Set<string>>();
    this.#touched.set(place, known);
    return known;
  }

  /** Who has unsaved work in a file. */
  unsavedBy(place: string, path: string): ReadonlySet<string> {
    return this.touchedIn(place).get(path) ?? new Set();
  }

  /** Files in which somebody else has unsaved work. */
  unsavedOfOthers(place: string, name: string): readonly string[] {
    return [...this.touchedIn(place)]
      .filter(([, who]) => [...who].some((one) => one !== name))
      .map(([path]) => path);
  }

  /** After a command that went through, or was refused by git itself. */
  follow(deed: Deed, before: Scene, after: Scene): void {
    const { actor } = deed;
    const there = [...after.places.values()].flatMap(({ files }) =>
      [...files.values()].flatMap(({ lines }) => lines),
    );
    for (const line of deed.writes ?? []) if (there.includes(line)) this.lines.add(line);
    for (const line of deed.deletes ?? []) this.removed.add(line);
    if (this.holder(deed.about ?? '') === actor.name) {
      for (const line of deed.writes ?? []) this.recorded.set(line, deed.about ?? '');
    }
    this.#followFiles(actor, before, after);
    this.#followIndex(deed, before, after);
    this.#followHead(actor, before, after);
    this.#followOperations(actor, before, after);
    // A rebase that leaves commits out, and has stopped on its way.
    const isStopped = (after.places.get(actor.place)?.operation.size ?? 0) > 0;
    if (isStopped && deed.moves !== undefined && deed.label.startsWith('rebase')) {
      this.leftOut.add(actor.place);
    }
    for (const oid of after.stashes) {
      if (!before.stashes.includes(oid)) this.stashedBy.set(oid, actor.name);
    }
  }

  #followFiles(actor: Actor, before: Scene, after: Scene): void {
    for (const place of after.places.values()) {
      const touched = this.touchedIn(place.name);
      const [was, head] = [before.places.get(place.name), this.#objects.listing(place.head)];
      const headBefore = this.#objects.listing(was?.head ?? null);
      for (const path of new Set([
        ...place.files.keys(),
        ...(was?.files.keys() ?? []),
        ...touched.keys(),
      ])) {
        const entry = place.files.get(path)?.clean;
        if (entry === head.get(path)) touched.delete(path);
        else if (was?.files.get(path)?.clean !== entry) {
          touched.set(path, new Set([...(touched.get(path) ?? []), actor.name]));
        }
        // HEAD has gone from under it: it is unsaved again, of whoever wrote its lines too.
        else if (!touched.has(path) && headBefore.get(path) === entry) {
          touched.set(path, new Set([actor.name, ...this.#authorsBeside(place, path, head)]));
        }
      }
    }
    for (const name of this.#touched.keys()) {
      if (!after.places.has(name)) this.#touched.delete(name);
    }
  }

  /** Only what the command changed in the index counts, and not what coord has left there. */
  #followIndex(deed: Deed, before: Scene, after: Scene): void {
    const { actor } = deed;
    const [was, is] = [before.places.get(actor.place), after.places.get(actor.place)];
    const [from, to] = [
      before.indexes.get(actor.index)?.entries,
      after.indexes.get(actor.index)?.entries,
    ];
    if (was === undefined || is === undefined || from === undefined || to === undefined) return;
    const [headBefore, head] = [this.#objects.listing(was.head), this.#objects.listing(is.head)];
    const expected = this.expectedIndex(actor.name, headBefore);
    const staged = this.stagedOf(actor.name);
    for (const [path, entry] of changes(from, to)) {
      // What coord brings forward is what stands in HEAD already.
      if (entry === null) expected.delete(path);
      else expected.set(path, entry);
    }
    // What it names is as it put it, also where an index that was older than HEAD had it so
    // already.
    for (const path of new Set([...to.keys(), ...expected.keys()])) {
      const entry = to.get(path);
      if (!isNamed(deed, path)) continue;
      if (entry === undefined) expected.delete(path);
      else expected.set(path, entry);
    }
    // An index that was older than HEAD may stand where HEAD has gone to without any change to it.
    if (was.head !== is.head) {
      for (const path of new Set([...head.keys(), ...expected.keys()])) {
        const entry = head.get(path);
        if (staged.has(path) || to.get(path) !== entry) continue;
        if (entry === undefined) expected.delete(path);
        else expected.set(path, entry);
      }
    }
    const bases = new Map([...staged].map(([path, { base }]) => [path, base]));
    staged.clear();
    for (const [path, entry] of changes(head, expected)) {
      const isNew = !bases.has(path) || from.get(path) !== to.get(path);
      staged.set(path, { entry, base: (isNew ? head.get(path) : bases.get(path)) ?? null });
    }
    if (was.branch !== is.branch) this.#tellOthers(actor);
  }

  /** What somebody has staged, and somebody else has committed just so, is staged no more. */
  #followHead({ name, place }: Actor, before: Scene, after: Scene): void {
    this.#standsIn.set(name, place);
    for (const [other, staged] of this.staged) {
      const there = this.#standsIn.get(other) ?? 'main';
      const [was, is] = [before.places.get(there)?.head, after.places.get(there)?.head];
      if (is === undefined || was === is) continue;
      const head = this.#objects.listing(is);
      for (const [path, { entry }] of staged) {
        if ((head.get(path) ?? null) !== entry) continue;
        staged.delete(path);
        const was = this.#wasStaged.get(other) ?? new Map<string, string | null>();
        this.#wasStaged.set(other, was.set(path, entry));
      }
    }
  }

  #tellOthers(actor: Actor): void {
    for (const [name, staged] of this.staged) {
      if (name !== actor.name) this.switchedUnder.set(name, staged.size > 0);
    }
  }

  #followOperations(actor: Actor, before: Scene, after: Scene): void {
    for (const { name, operation } of after.places.values()) {
      if (operation.size === 0) {
        this.beganBy.delete(name);
        this.leftOut.delete(name);
      } else if ((before.places.get(name)?.operation.size ?? 0) === 0) {
        this.beganBy.set(name, actor.name);
      }
    }
  }

  wasStaged(name: string, path: string, entry: string | null): boolean {
    return this.#wasStaged.get(name)?.get(path) === entry;
  }

  /** What is staged was put there once more, on what HEAD is now. */
  restaged(name: string, head: Listing): void {
    const staged = this.stagedOf(name);
    for (const [path, { entry }] of staged) {
      staged.set(path, { entry, base: head.get(path) ?? null });
    }
  }

  /** Takes what is there for what is meant, after a defect was noted, so that it is noted once. */
  settle(actors: readonly Actor[], scene: Scene): void {
    for (const actor of actors) {
      const [place, index] = [scene.places.get(actor.place), scene.indexes.get(actor.index)];
      if (place === undefined || index === null || index === undefined) continue;
      const head = this.#objects.listing(place.head);
      const staged = this.stagedOf(actor.name);
      staged.clear();
      for (const [path, entry] of changes(head, index.entries)) {
        staged.set(path, { entry, base: head.get(path) ?? null });
      }
    }
  }

  /** Who wrote the lines of a file that HEAD has not. */
  #authorsBeside(place: Place, path: string, head: Listing): readonly string[] {
    const known = new Set(this.#objects.linesOfBlob(head.get(path)?.slice(-40) ?? ''));
    const lines = (place.files.get(path)?.lines ?? []).filter((line) => !known.has(line));
    return [...new Set(lines.map(authorOf))].filter(
      (name) => name !== 'base' && name !== 'teammate',
    );
  }
}
