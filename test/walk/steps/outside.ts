/** The remote and the colleague; flags of the index, sparse checkouts and submodules. */

import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Kind, Now } from '../deed.ts';
import { lineOf } from '../lines.ts';
import type { Actor } from '../world.ts';
import { freeFiles, git, kind, onlyHere, placeOf, shell } from './material.ts';

function pulling(label: string, weight: number, args: readonly string[]): Kind {
  return kind(label, weight, (now, actor) => {
    const place = placeOf(now, actor);
    const name = place.branch?.slice('refs/heads/'.length) ?? '';
    const theirs = now.scene.refs.get(`refs/remotes/origin/${name}`);
    if (theirs === undefined || place.operation.size > 0) return null;
    const sources = label.includes('--rebase') ? onlyHere(now, place.head, theirs) : [];
    return git(label, actor, ['pull', '-q', ...args, 'origin', name], {
      makes: { kind: 'replay' },
      sources,
    });
  });
}

const remote: readonly Kind[] = [
  kind(
    'a colleague pushes',
    40,
    (now, actor) => {
      const { world, model } = now;
      // What somebody holds here too: work that is published moves freely.
      const held = [...model.leases.keys()].filter((path) => /^(src|lib|doc)\/\w+$/.test(path));
      const here = placeOf(now, actor).branch?.slice('refs/heads/'.length) ?? 'main';
      const branches = ['main', 'side', 'topic'];
      const branch = branches.includes(here) && now.happens(0.7) ? here : now.pick(branches);
      const isHeld = held.length > 0 && now.happens(0.6);
      const path = now.pick(isHeld ? held : ['src/a', 'src/b', 'lib/x', 'doc/readme']);
      const line = lineOf('teammate', model.nextNumber());
      const byHand = (): void => {
        const there = (...args: string[]): void => {
          world.plainly(world.teammate, ...args);
        };
        there('fetch', '-q');
        there('checkout', '-q', '-f', '-B', branch, `origin/${branch}`);
        appendFileSync(join(world.teammate, path), `${line}\n`);
        there('add', '--', path);
        there('commit', '-q', '-m', 'of teammate');
        there('push', '-q', 'origin', branch);
      };
      return {
        label: 'a colleague pushes',
        actor: { ...actor, name: 'teammate', cwd: world.teammate, env: world.env, index: '' },
        argv: [],
        byHand,
      };
    },
    'person',
  ),
  pulling('pull --rebase', 8, ['--rebase']),
  pulling('pull --no-rebase', 9, ['--no-rebase', '--no-edit']),
  pulling('pull --ff-only', 7, ['--ff-only']),
  kind('fetch', 5, (_, actor) => git('fetch', actor, ['fetch', '-q'])),
  kind('push', 8, (now, actor) => {
    const name = placeOf(now, actor).branch?.slice('refs/heads/'.length) ?? '';
    return ['main', 'side', 'topic', 'far'].includes(name)
      ? git('push', actor, ['push', '-q', 'origin', name])
      : null;
  }),
];

function flagging(label: string, on: string, off: string): Kind {
  return kind(label, 2, (now: Now, actor: Actor) => {
    const of = freeFiles(now, actor).filter((path) =>
      now.scene.indexes.get(actor.index)?.entries.has(path),
    );
    if (of.length === 0) return null;
    const path = now.pick(of);
    return shell(
      label,
      actor,
      `git update-index --${on} '${path}' && git status --porcelain >/dev/null
      git update-index --${off} '${path}'`,
    );
  });
}

const odd: readonly Kind[] = [
  flagging('update-index --assume-unchanged', 'assume-unchanged', 'no-assume-unchanged'),
  flagging('update-index --skip-worktree', 'skip-worktree', 'no-skip-worktree'),
  kind('update-index --chmod', 2, (now, actor) => {
    const of = freeFiles(now, actor).filter((path) =>
      now.scene.indexes.get(actor.index)?.entries.has(path),
    );
    return of.length === 0
      ? null
      : git('update-index --chmod', actor, [
          'update-index',
          `--chmod=${now.happens(0.5) ? '+' : '-'}x`,
          now.pick(of),
        ]);
  }),
  kind('sparse-checkout', 2, (_, actor) =>
    shell(
      'sparse-checkout',
      actor,
      `git sparse-checkout set --no-cone /src/ /lib/ && git status --porcelain >/dev/null
      git sparse-checkout disable`,
    ),
  ),
  kind('submodule add', 2, (now, actor) =>
    placeOf(now, actor).files.has('.gitmodules')
      ? null
      : git('submodule add', actor, [
          'submodule',
          '--quiet',
          'add',
          '-f',
          `${now.world.home}/part`,
          'part',
        ]),
  ),
  kind('submodule update', 2, (now, actor) =>
    placeOf(now, actor).files.has('.gitmodules')
      ? git('submodule update', actor, ['submodule', '--quiet', 'update', '--init'])
      : null,
  ),
];

export const outsideSteps: readonly Kind[] = [...remote, ...odd];
