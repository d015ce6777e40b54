/** Branches, tags, switches and work trees. */
import type { Deed, Kind, Now } from '../deed.ts';
import type { Actor } from '../world.ts';
import { ancestry, branches, freeBranches, git, kind, placeOf } from './material.ts';

const lasting = ['main', 'side', 'topic', 'far'];

function passing(now: Now): readonly string[] {
  return freeBranches(now).filter((name) => !lasting.includes(name));
}

/** A detached HEAD that is left may leave commits behind. */
function leaving(now: Now, actor: Actor, to: string | null): Pick<Deed, 'moves'> {
  return placeOf(now, actor).branch === null ? { moves: new Map([['HEAD', to]]) } : {};
}

function target(now: Now, actor: Actor): string | null {
  const all = [...branches(now).values(), ...ancestry(now, placeOf(now, actor).head, 3)];
  return all.length === 0 ? null : now.pick(all);
}

const switches: readonly Kind[] = [
  kind('switch', 12, (now, actor) => {
    const free = freeBranches(now);
    const to =
      free.includes('main') && now.happens(0.5)
        ? 'main'
        : free.length === 0
          ? null
          : now.pick(free);
    return to === null
      ? null
      : git('switch', actor, ['switch', '-q', to], {
          ...leaving(now, actor, branches(now).get(to) ?? null),
          mayDrop: true,
        });
  }),
  kind('switch -c', 4, (now, actor) => {
    const oid = target(now, actor);
    if (oid === null) return null;
    return git(
      'switch -c',
      actor,
      ['switch', '-q', '-c', `b${now.model.nextNumber()}`, ...(now.happens(0.5) ? [oid] : [])],
      leaving(now, actor, oid),
    );
  }),
  kind('switch --detach', 3, (now, actor) => {
    const oid = target(now, actor);
    return oid === null
      ? null
      : git('switch --detach', actor, ['switch', '-q', '--detach', oid], {
          ...leaving(now, actor, oid),
          mayDrop: true,
        });
  }),
  kind('switch --orphan', 2, (now, actor) =>
    git('switch --orphan', actor, ['switch', '-q', '--orphan', `o${now.model.nextNumber()}`], {
      ...leaving(now, actor, null),
      mayDrop: true,
    }),
  ),
  kind('switch -f', 2, (now, actor) => {
    const free = freeBranches(now);
    if (free.length === 0) return null;
    const to = now.pick(free);
    return git('switch -f', actor, ['switch', '-q', '-f', to], {
      ...leaving(now, actor, branches(now).get(to) ?? null),
      wipes: 'all',
      mayDrop: true,
    });
  }),
  kind('symbolic-ref', 2, (now, actor) => {
    const place = placeOf(now, actor);
    const same = freeBranches(now).filter((name) => branches(now).get(name) === place.head);
    return same.length === 0 || place.branch === null
      ? null
      : git('symbolic-ref', actor, ['symbolic-ref', 'HEAD', `refs/heads/${now.pick(same)}`]);
  }),
];

const names: readonly Kind[] = [
  kind('branch', 4, (now, actor) => {
    const oid = target(now, actor);
    return oid === null || branches(now).size > 12
      ? null
      : git('branch', actor, ['branch', `b${now.model.nextNumber()}`, oid]);
  }),
  kind('branch -D', 4, (now, actor) => {
    const of = passing(now);
    if (of.length === 0) return null;
    const name = now.pick(of);
    return git('branch -D', actor, ['branch', '-q', '-D', name], {
      moves: new Map([[`refs/heads/${name}`, null]]),
      mayDrop: true,
    });
  }),
  kind('branch -m', 3, (now, actor) => {
    const of = passing(now);
    return of.length === 0
      ? null
      : git('branch -m', actor, ['branch', '-m', now.pick(of), `b${now.model.nextNumber()}`]);
  }),
  kind('branch -f', 3, (now, actor) => {
    const [of, oid] = [passing(now), target(now, actor)];
    if (of.length === 0 || oid === null) return null;
    const name = now.pick(of);
    return git('branch -f', actor, ['branch', '-q', '-f', name, oid], {
      moves: new Map([[`refs/heads/${name}`, oid]]),
      mayDrop: true,
    });
  }),
  kind('branch recover', 3, (now, actor) => {
    const dropped = [...now.model.madeBy.keys()]
      .filter((oid) => now.world.objects.commit(oid) !== null)
      .slice(-20);
    return dropped.length === 0 || branches(now).size > 12
      ? null
      : git('branch recover', actor, ['branch', `b${now.model.nextNumber()}`, now.pick(dropped)]);
  }),
  kind('tag', 2, (now, actor) => git('tag', actor, ['tag', `t${now.model.nextNumber()}`])),
  kind('notes', 2, (_, actor) =>
    git('notes', actor, ['notes', 'add', '-f', '-m', `note of ${actor.name}`]),
  ),
  kind('gc', 1, (_, actor) => git('gc', actor, ['gc', '-q'])),
  kind('pack-refs', 2, (_, actor) => git('pack-refs', actor, ['pack-refs', '--all'])),
];

function tree(now: Now): string | null {
  const of = [...now.scene.places.keys()].filter((name) => name !== 'main' && name !== 'far');
  return of.length === 0 ? null : now.pick(of);
}

const trees: readonly Kind[] = [
  kind('worktree add -b', 2, (now, actor) => {
    const name = `t${now.model.nextNumber()}`;
    return now.scene.places.size > 5
      ? null
      : git('worktree add -b', actor, [
          'worktree',
          'add',
          '-q',
          '-b',
          name,
          `${now.world.home}/trees/${name}`,
        ]);
  }),
  kind('worktree add --detach', 2, (now, actor) => {
    const name = `t${now.model.nextNumber()}`;
    return now.scene.places.size > 5
      ? null
      : git('worktree add --detach', actor, [
          'worktree',
          'add',
          '-q',
          '--detach',
          `${now.world.home}/trees/${name}`,
        ]);
  }),
  kind('worktree remove', 3, (now, actor) => {
    const name = tree(now);
    if (name === null) return null;
    const { top, head, branch } = now.scene.places.get(name) ?? placeOf(now, actor);
    const moves = branch === null && head !== null ? { moves: new Map([['HEAD', null]]) } : {};
    return git(
      'worktree remove',
      actor,
      ['worktree', 'remove', ...(now.happens(0.5) ? ['--force'] : []), top],
      { ...moves, removes: name, wipes: 'all', mayDrop: true },
    );
  }),
  kind('worktree move', 2, (now, actor) => {
    const name = tree(now);
    const place = name === null ? undefined : now.scene.places.get(name);
    return place === undefined
      ? null
      : git('worktree move', actor, [
          'worktree',
          'move',
          place.top,
          `${now.world.home}/trees/m${now.model.nextNumber()}`,
        ]);
  }),
];

export const placeSteps: readonly Kind[] = [...switches, ...names, ...trees];
