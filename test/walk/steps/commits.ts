/** Commits in all forms, and the look at status. */
import type { Deed, Kind, Now } from '../deed.ts';
import type { Actor } from '../world.ts';
import { ancestry, git, kind, ownUnsaved, placeOf, stagedBy } from './material.ts';

/** With nothing staged too, now and then: plain git makes no commit then. */
function worth(now: Now, actor: Actor): boolean {
  const place = placeOf(now, actor);
  const isIdle = ![...place.operation.keys()].some(
    (name) => name !== 'SQUASH_MSG' && name !== 'BISECT_START',
  );
  return isIdle && (stagedBy(now, actor).length > 0 || now.happens(0.15));
}

function commit(label: string, actor: Actor, args: readonly string[], makes: Deed['makes']): Deed {
  return git(label, actor, ['commit', '-q', ...args], makes === undefined ? {} : { makes });
}

export const commitSteps: readonly Kind[] = [
  kind('commit -m', 40, (now, actor) =>
    worth(now, actor)
      ? commit('commit -m', actor, ['-m', `of ${actor.name}`], { kind: 'index' })
      : null,
  ),
  kind('commit --no-verify', 8, (now, actor) =>
    worth(now, actor)
      ? commit('commit --no-verify', actor, ['--no-verify', '-m', `of ${actor.name}`], {
          kind: 'index',
        })
      : null,
  ),
  kind('commit --allow-empty', 3, (now, actor) =>
    worth(now, actor)
      ? commit('commit --allow-empty', actor, ['--allow-empty', '-m', `of ${actor.name}`], {
          kind: 'index',
          mayBeEmpty: true,
        })
      : null,
  ),
  kind('commit -C', 3, (now, actor) =>
    worth(now, actor) ? commit('commit -C', actor, ['-C', 'HEAD'], { kind: 'index' }) : null,
  ),
  kind('commit -a', 10, (now, actor) => {
    const own = ownUnsaved(now, actor);
    return own.length === 0 || (!worth(now, actor) && own.length === 0)
      ? null
      : commit('commit -a', actor, ['-a', '-m', `all of ${actor.name}`], {
          kind: 'index',
          also: 'all',
        });
  }),
  kind('commit -- paths', 10, (now, actor) => {
    const head = now.world.objects.listing(placeOf(now, actor).head);
    const own = ownUnsaved(now, actor).filter((path) => head.has(path));
    if (own.length === 0) return null;
    const path = now.pick(own);
    return commit('commit -- paths', actor, ['-m', `part of ${actor.name}`, '--', path], {
      kind: 'index',
      also: [path],
    });
  }),
  kind('commit --amend', 8, (now, actor) => {
    const place = placeOf(now, actor);
    const parents =
      place.head === null ? [] : (now.world.objects.commit(place.head)?.parents ?? []);
    if (place.operation.size > 0 || parents.length !== 1) return null;
    const args = ['commit', '-q', '--amend', '-m', `again of ${actor.name}`];
    return git('commit --amend', actor, args, {
      makes: { kind: 'index', amends: true },
      mayDrop: true,
      moves: new Map([[place.branch ?? 'HEAD', parents[0] ?? null]]),
    });
  }),
  kind('status', 40, (_, actor) =>
    git('status', actor, ['status', '--porcelain', '-uall', '--no-renames']),
  ),
  kind('diff --cached', 4, (_, actor) =>
    git('diff --cached', actor, ['diff', '--cached', '--name-only']),
  ),
  kind('log', 3, (now, actor) =>
    git('log', actor, ['log', '-1', '--format=%H', ...ancestry(now, placeOf(now, actor).head, 1)]),
  ),
];
