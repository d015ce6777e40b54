/** Looks at what a step left: lines, commits, status. Says what is wrong, changes the model. */
import type { Deed } from './deed.ts';
import type { Fault, LinesChecked } from './fault.ts';
import { authorOf } from './lines.ts';
import type { Model } from './model.ts';
import { covers } from './necessity.ts';
import { type CommitRead, changes, linesAmong, type Objects } from './objects.ts';
import { linesInTrees, type Place, Reach, type Scene, tipsOf } from './scene.ts';
import { takenOut, wasTakenOut } from './taken-out.ts';

export class Judge {
  readonly #model: Model;
  readonly #objects: Objects;
  readonly #plain: Reach;
  readonly #seen: Set<string>;
  readonly #welcomed = new Set<string>();
  readonly #inIndexAlone = new Set<string>();

  constructor(model: Model, objects: Objects, scene: Scene) {
    this.#model = model;
    this.#objects = objects;
    this.#plain = new Reach(objects);
    this.#seen = objects.reach(tipsOf(scene, false));
  }

  lines(deed: Deed, after: Scene, isRefused = false): LinesChecked {
    const { lines: kept } = this.#plain.of(tipsOf(after, false));
    const inTrees = linesInTrees(after);
    this.#welcome(kept);
    const gone = [...this.#model.lines].filter((line) => !kept.has(line) && !inTrees.has(line));
    if (gone.length === 0) return { faults: [], rescued: [], wipedByPerson: [] };
    const inSaved = new Set(
      [...this.#objects.reach(tipsOf(after, true))].flatMap((oid) => this.#objects.freshLines(oid)),
    );
    const staged = new Set(
      [...after.indexes.values()].flatMap((index) => [
        ...linesAmong(this.#objects, index?.entries ?? new Map()),
      ]),
    );
    const [rescued, wipedByPerson, faults]: [string[], string[], Fault[]] = [[], [], []];
    for (const line of gone) {
      const isOwn = authorOf(line) === deed.actor.name;
      // An index alone has it, which is its author's to change; it counts again once it is in a
      // commit.
      if (!isOwn && staged.has(line)) {
        this.#inIndexAlone.add(line);
        continue;
      }
      this.#model.lines.delete(line);
      if (isOwn && (staged.has(line) || this.#inIndexAlone.has(line))) continue;
      if (isOwn && this.#mayLose(deed, line)) continue;
      if (this.#isOfOwnCommit(deed, line)) continue;
      if (inSaved.has(line)) rescued.push(line);
      // No hook of git sees that before it is done.
      else if (
        deed.actor.kind === 'person' &&
        (deed.wipes !== undefined || (authorOf(line) === 'person' && !isRefused))
      ) {
        wipedByPerson.push(line);
      } else faults.push(this.#lost(line));
    }
    return { faults, rescued, wipedByPerson };
  }

  #lost(line: string): Fault {
    const made = [...this.#model.madeBy];
    const [oid, by] = made.find(([one]) => this.#objects.freshLines(one).includes(line)) ?? [];
    if (oid === undefined) return { kind: 'lost line', what: `"${line}" is nowhere any more` };
    const commit = `${oid.slice(0, 8)} of ${by ?? ''}`;
    return { kind: 'lost commit', what: `"${line}" was in ${commit}, which nothing reaches` };
  }

  /** What the colleague wrote counts from when it came in. */
  #welcome(kept: ReadonlySet<string>): void {
    for (const line of kept) {
      if (authorOf(line) !== 'teammate' || this.#welcomed.has(line)) continue;
      this.#welcomed.add(line);
      this.#model.lines.add(line);
    }
  }

  /** Whoever made the only commit that had it may drop that commit. */
  #isOfOwnCommit({ actor, mayDrop }: Deed, line: string): boolean {
    const makers = [...this.#model.madeBy]
      .filter(([oid]) => this.#objects.freshLines(oid).includes(line))
      .map(([, maker]) => maker);
    return mayDrop === true && makers.length > 0 && makers.every((maker) => maker === actor.name);
  }

  #mayLose({ wipes, keepsOwn, mayDrop, deletes }: Deed, line: string): boolean {
    return (
      (wipes !== undefined && keepsOwn !== true) ||
      mayDrop === true ||
      deletes?.includes(line) === true
    );
  }

  /** The commits that a step made, but for those that came from the remote. */
  commits(deed: Deed, before: Scene, after: Scene): readonly Fault[] {
    const published = this.#objects.reach(
      [...after.refs].flatMap(([ref, oid]) => (ref.startsWith('refs/remotes/') ? [oid] : [])),
    );
    const heads = [
      ...[...after.refs].flatMap(([ref, oid]) => (ref.startsWith('refs/heads/') ? [oid] : [])),
      ...[...after.places.values()].flatMap(({ head }) => head ?? []),
    ];
    const fresh = [...this.#objects.reach(heads)].filter((oid) => !this.#seen.has(oid)).reverse();
    for (const oid of [...fresh, ...published, ...this.#objects.reach(after.stashes)]) {
      this.#seen.add(oid);
    }
    const own = fresh.filter((oid) => !published.has(oid));
    for (const oid of own) this.#model.madeBy.set(oid, this.#makerOf(deed, oid));
    const place = before.places.get(deed.actor.place);
    if (place === undefined) return [];
    if (deed.makes?.kind === 'any') {
      const replaced = deed.makes.amends ? place.head : null;
      return own.flatMap((oid) => this.#anew(deed, oid, replaced));
    }
    if (deed.makes?.kind === 'index' && !this.#isReplaying(deed, place)) {
      return this.#fromIndex(
        deed,
        place,
        own.flatMap((oid) => this.#objects.commit(oid) ?? []),
        before,
      );
    }
    return own.flatMap((oid) => this.#replayed(deed, oid));
  }

  /** A rebase keeps whose a commit is, as its subject says; whoever copies one makes a new one. */
  #makerOf({ actor, makes, label }: Deed, oid: string): string {
    if (makes?.kind === 'index' || /^(next of )?(am|cherry-pick|revert|merge)\b/.test(label)) {
      return actor.name;
    }
    const subject = this.#objects.commit(oid)?.message.split('\n')[0] ?? '';
    if (/^(main|side|topic|far) /.test(subject)) return 'base';
    return /\bof ([a-z]+)$/.exec(subject)?.[1] ?? actor.name;
  }

  /** What ends a merge or goes on with a rebase of one's own is judged as that. */
  #isReplaying({ actor }: Deed, { name, operation }: Place): boolean {
    return (
      this.#model.beganBy.get(name) === actor.name &&
      [...operation.keys()].some((file) => /_HEAD$|^rebase-/.test(file))
    );
  }

  #expected(deed: Deed, place: Place, before: Scene): ReadonlyMap<string, string | null> | null {
    const { actor, makes } = deed;
    if (makes?.kind !== 'index') return null;
    const head = this.#objects.listing(place.head);
    const staged = this.#model.stagedNow(actor.name, head);
    if ([...staged.values()].includes('unmerged')) return null;
    const { also } = makes;
    if (also === undefined) return staged;
    const flagged = before.indexes.get(actor.index)?.flagged ?? new Set();
    const index = this.#model.expectedIndex(actor.name, head);
    const expected = new Map(also === 'all' ? staged : []);
    for (const [path, entry] of index) {
      const file = place.files.get(path)?.clean ?? null;
      if (!covers(also, path) || flagged.has(path) || entry.startsWith('160000')) continue;
      const who = this.#model.unsavedBy(place.name, path);
      // What nobody holds is nobody's in a shared work tree, and `-a` takes it.
      const isOthers =
        who.size > 0 && !who.has(actor.name) && this.#model.isHeldByOther(path, actor.name);
      if (also === 'all' && file !== entry && isOthers) continue;
      if (file === (head.get(path) ?? null)) expected.delete(path);
      else expected.set(path, file);
    }
    for (const [path, entry] of staged) {
      if (also !== 'all' && covers(also, path) && !index.has(path)) {
        expected.set(path, place.files.get(path)?.clean ?? entry);
      }
    }
    return expected;
  }

  #fromIndex(
    deed: Deed,
    place: Place,
    made: readonly CommitRead[],
    before: Scene,
  ): readonly Fault[] {
    const { makes } = deed;
    const expected = this.#expected(deed, place, before);
    const [commit] = made;
    if (commit === undefined || expected === null || makes?.kind !== 'index') return [];
    if (made.length > 1) return [{ kind: 'two commits', what: `${made.length} commits were made` }];
    const base = makes.amends === true ? place.head : (commit.parents[0] ?? null);
    const found = changes(this.#objects.listing(base), this.#objects.listing(commit.oid));
    const faults: Fault[] = [];
    if (makes.amends !== true && (commit.parents[0] ?? null) !== place.head) {
      faults.push({ kind: 'other parent', what: `its parent is not what HEAD was` });
    }
    const extra = [...found]
      .filter(
        ([path, entry]) =>
          !expected.has(path) && !this.#model.wasStaged(deed.actor.name, path, entry),
      )
      .map(([path]) => path);
    const missing = [...expected].filter(([path]) => !found.has(path)).map(([path]) => path);
    const other = [...found]
      .filter(([path, entry]) => expected.has(path) && expected.get(path) !== entry)
      .map(([path]) => path);
    if (extra.length > 0) {
      faults.push({
        kind: 'commit has more',
        what: `it holds ${extra.join(' ')}, which its author did not stage`,
      });
    }
    if (missing.length > 0) {
      faults.push({
        kind: 'commit has less',
        what: `it lacks ${missing.join(' ')}, which its author staged`,
      });
    }
    if (other.length > 0) {
      faults.push({
        kind: 'commit has other',
        what: `${other.join(' ')}: other content than was staged`,
      });
    }
    if (
      found.size === 0 &&
      expected.size === 0 &&
      makes.amends !== true &&
      makes.mayBeEmpty !== true
    ) {
      faults.push({ kind: 'empty commit', what: 'plain git would have made none' });
    }
    faults.push(...this.#onHeld(deed, found));
    for (const line of takenOut(this.#objects, base, commit.oid)) this.#model.removed.add(line);
    return faults;
  }

  #onHeld({ actor }: Deed, found: ReadonlyMap<string, unknown>): readonly Fault[] {
    const held = [...found.keys()].filter((path) => this.#model.isHeldByOther(path, actor.name));
    return held.length === 0
      ? []
      : [
          {
            kind: 'commit on held',
            what: held
              .map((path) => `${path} is held by ${this.#model.holder(path) ?? ''}`)
              .join(', '),
          },
        ];
  }

  /** One side of a merge had it from before both, and took it out itself. */
  /** What it holds is its author's business, but for files that others hold. */
  #anew(deed: Deed, oid: string, replaced: string | null): readonly Fault[] {
    const [first = null, ...others] = this.#objects.commit(oid)?.parents ?? [];
    const parent = replaced ?? first;
    for (const line of takenOut(this.#objects, parent, oid)) this.#model.removed.add(line);
    return others.length > 0
      ? []
      : this.#onHeld(deed, changes(this.#objects.listing(parent), this.#objects.listing(oid)));
  }

  /** Made again, reverted or merged: takes out only what was taken out on purpose by somebody. */
  #replayed(deed: Deed, oid: string): readonly Fault[] {
    const parents = this.#objects.commit(oid)?.parents ?? [];
    const undone = new Set(
      (deed.sources ?? []).flatMap((source) => this.#objects.freshLines(source)),
    );
    const isRevert = /^(next of )?revert/.test(deed.label);
    const lost = parents
      .flatMap((parent) => takenOut(this.#objects, parent, oid))
      .filter((line) => !this.#model.removed.has(line) && !(isRevert && undone.has(line)))
      .filter((line) => !wasTakenOut(this.#objects, line, parents));
    if (isRevert) for (const line of undone) this.#model.removed.add(line);
    const faults: Fault[] =
      lost.length === 0
        ? []
        : [
            {
              kind: 'commit undoes',
              what: `${oid.slice(0, 8)} takes out ${lost.slice(0, 3).join(', ')}`,
            },
          ];
    for (const line of lost) this.#model.removed.add(line);
    // How a conflict was settled by hand is its author's business.
    if (parents.length > 1 && /^next of|--continue$/.test(deed.label)) return [];
    if (parents.length !== 1) return faults;
    return [
      ...faults,
      ...this.#onHeld(
        deed,
        changes(this.#objects.listing(parents[0] ?? null), this.#objects.listing(oid)),
      ),
    ];
  }
}
