/** What takes changes back or puts them away: reset, restore, checkout, stash, clean, apply -R. */
import type { Deed, Kind, Now } from '../deed.ts';
import type { Actor } from '../world.ts';
import {
  ancestry,
  anyUnsaved,
  freeFiles,
  git,
  kind,
  ownUnsaved,
  placeOf,
  shell,
  stagedBy,
  trackedIn,
} from './material.ts';

function resetting(mode: string, weight: number, more: Partial<Deed>): Kind {
  const label = `reset ${mode}`;
  return kind(label, weight, (now, actor) => {
    const place = placeOf(now, actor);
    const [head, ...older] = ancestry(now, place.head, 3);
    if (head === undefined) return null;
    const origin = now.scene.refs.get('refs/remotes/origin/main');
    const to = now.happens(0.6)
      ? head
      : now.pick([...older, ...(origin === undefined ? [] : [origin]), head]);
    return git(label, actor, ['reset', '-q', mode, to], {
      ...more,
      mayDrop: true,
      moves: new Map([[place.branch ?? 'HEAD', to]]),
    });
  });
}

/** Mostly one's own file, sometimes anybody's. */
function some(now: Now, actor: Actor): string | null {
  const of = now.happens(0.8) ? ownUnsaved(now, actor) : anyUnsaved(now, actor);
  return of.length === 0 ? null : now.pick(of);
}

function wiping(
  label: string,
  weight: number,
  args: (path: string) => readonly string[],
  input?: string,
): Kind {
  return kind(label, weight, (now, actor) => {
    const path = some(now, actor);
    return path === null
      ? null
      : git(label, actor, args(path), { wipes: [path], ...(input === undefined ? {} : { input }) });
  });
}

const backwards: readonly Kind[] = [
  resetting('--soft', 4, {}),
  resetting('--mixed', 4, {}),
  resetting('--hard', 5, { wipes: 'all' }),
  kind('reset HEAD@{1}', 2, (now, actor) => {
    const place = placeOf(now, actor);
    const to = now.world
      .plainly(actor.cwd, 'rev-parse', '-q', '--verify', 'HEAD@{1}')
      .stdout.trim();
    return to === ''
      ? null
      : git('reset HEAD@{1}', actor, ['reset', '-q', '--hard', 'HEAD@{1}'], {
          wipes: 'all',
          mayDrop: true,
          moves: new Map([[place.branch ?? 'HEAD', to]]),
        });
  }),
  kind('reset -- paths', 4, (now, actor) => {
    const staged = stagedBy(now, actor);
    return staged.length === 0
      ? null
      : git('reset -- paths', actor, ['reset', '-q', '--', now.pick(staged)]);
  }),
  kind('reset', 3, (_, actor) => git('reset', actor, ['reset', '-q'])),
  kind('restore --staged', 3, (now, actor) => {
    const staged = stagedBy(now, actor);
    return staged.length === 0
      ? null
      : git('restore --staged', actor, ['restore', '--staged', '--', now.pick(staged)]);
  }),
  wiping('restore', 4, (path) => ['restore', '--', path]),
  kind('restore -p', 4, (_, actor) =>
    git('restore -p', actor, ['restore', '-p'], {
      wipes: 'all',
      input: 'y\nn\ny\nn\ny\nn\ny\nn\n',
    }),
  ),
  wiping('restore -p path', 3, (path) => ['restore', '-p', '--', path], 'y\ny\ny\ny\n'),
  wiping('checkout -- paths', 4, (path) => ['checkout', '-q', '--', path]),
  wiping('checkout -p', 3, (path) => ['checkout', '-p', '--', path], 'y\ny\ny\ny\n'),
  kind('checkout .', 3, (_, actor) =>
    git('checkout .', actor, ['checkout', '-q', '--', '.'], { wipes: 'all' }),
  ),
  kind('checkout -p all', 2, (_, actor) =>
    git('checkout -p all', actor, ['checkout', '-p'], {
      wipes: 'all',
      input: 'a\na\na\na\na\na\na\na\n',
    }),
  ),
  kind('checkout commit -- path', 3, (now, actor) => {
    const of = freeFiles(now, actor).filter((path) => trackedIn(now, actor).includes(path));
    const back = ancestry(now, placeOf(now, actor).head, 3).at(-1);
    if (of.length === 0 || back === undefined) return null;
    const path = now.pick(of);
    return git('checkout commit -- path', actor, ['checkout', '-q', back, '--', path], {
      wipes: [path],
    });
  }),
  kind('clean', 3, (_, actor) =>
    git('clean', actor, ['clean', '-q', '-f', '-d', '--', 'src', 'lib', 'new'], {
      wipes: ['src', 'lib', 'new'],
    }),
  ),
  kind('diff | apply -R', 3, (now, actor) => {
    const path = some(now, actor);
    return path === null
      ? null
      : shell('diff | apply -R', actor, `git diff -- '${path}' | git apply -R`, { wipes: [path] });
  }),
  kind('diff HEAD | apply -R --index', 2, (now, actor) => {
    const path = some(now, actor);
    return path === null
      ? null
      : shell(
          'diff HEAD | apply -R --index',
          actor,
          `git diff HEAD -- '${path}' | git apply -R --index`,
          { wipes: [path] },
        );
  }),
];

function putting(
  label: string,
  weight: number,
  args: (path: string) => readonly string[],
  all: boolean,
): Kind {
  return kind(label, weight, (now, actor) => {
    const path = some(now, actor);
    return path === null
      ? null
      : git(label, actor, args(path), { wipes: all ? 'all' : [path], keepsOwn: true });
  });
}

function taking(label: string, weight: number, args: readonly string[], more: Partial<Deed>): Kind {
  return kind(label, weight, (now, actor) => {
    const { stashes } = now.scene;
    if (stashes.length === 0) return null;
    const own = stashes.findIndex((oid) => now.model.stashedBy.get(oid) === actor.name);
    const at = own >= 0 && now.happens(0.7) ? own : 0;
    const names = label === 'stash branch' ? [`s${now.model.nextNumber()}`] : [];
    return git(label, actor, ['stash', ...args, ...names, `stash@{${at}}`], { ...more, stash: at });
  });
}

const stashes: readonly Kind[] = [
  putting('stash', 5, () => ['stash', 'push', '-q'], true),
  putting('stash -u', 4, () => ['stash', 'push', '-q', '-u'], true),
  putting('stash -- paths', 5, (path) => ['stash', 'push', '-q', '--', path], false),
  taking('stash pop', 9, ['pop', '-q'], {}),
  taking('stash apply', 4, ['apply', '-q'], {}),
  taking('stash drop', 4, ['drop', '-q'], { mayDrop: true }),
  taking('stash branch', 3, ['branch'], {}),
];

export const restoringSteps: readonly Kind[] = [...backwards, ...stashes];
