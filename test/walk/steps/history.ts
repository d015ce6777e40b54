/** Merges, rebases, picks, reverts, patches; and how what is under way is ended. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Deed, Kind, Now } from '../deed.ts';
import { bothSides } from '../lines.ts';
import type { Actor } from '../world.ts';
import { ancestry, branches, elsewhere, git, kind, onlyHere, placeOf, shell } from './material.ts';

function otherBranch(now: Now, actor: Actor): readonly [string, string] | null {
  const here = placeOf(now, actor).branch;
  const others = [...branches(now)].filter(([name]) => `refs/heads/${name}` !== here);
  return others.length === 0 ? null : now.pick(others);
}

function isBusy(now: Now, actor: Actor): boolean {
  return placeOf(now, actor).operation.size > 0;
}

function merging(label: string, weight: number, args: readonly string[]): Kind {
  return kind(label, weight, (now, actor) => {
    const other = otherBranch(now, actor);
    return other === null || isBusy(now, actor)
      ? null
      : git(label, actor, ['merge', '-q', ...args, other[0]], { makes: { kind: 'replay' } });
  });
}

function rebasing(
  label: string,
  weight: number,
  args: (onto: string) => readonly string[],
  env: Deed['env'] = {},
  more: Partial<Deed> = {},
): Kind {
  return kind(label, weight, (now, actor) => {
    const [other, place] = [otherBranch(now, actor), placeOf(now, actor)];
    if (other === null || isBusy(now, actor) || place.head === null) return null;
    const sources = label.includes('--root')
      ? [...now.world.objects.reach([place.head])]
      : [...onlyHere(now, place.head, other[1])];
    const back = args('').some((word) => word.startsWith('HEAD~'))
      ? ancestry(now, place.head, 4)
      : null;
    if (sources.length > 12 || (back !== null && back.length < 4)) return null;
    if (back !== null) sources.splice(0, sources.length, ...back.slice(0, 2));
    const drops = label.includes('--onto')
      ? { moves: new Map([[place.branch ?? 'HEAD', other[1]]]) }
      : /drop|fixup/.test(label)
        ? { moves: new Map([[place.branch ?? 'HEAD', back?.[2] ?? null]]), mayDrop: true as const }
        : {};
    return git(label, actor, ['rebase', '-q', ...args(other[0])], {
      makes: { kind: 'replay' },
      sources,
      env,
      ...drops,
      ...more,
    });
  });
}

const editor = (script: string): Deed['env'] => ({ GIT_SEQUENCE_EDITOR: `sed -i -e '${script}'` });

const joining: readonly Kind[] = [
  merging('merge', 8, ['--no-edit']),
  merging('merge --no-ff', 4, ['--no-edit', '--no-ff']),
  merging('merge --squash', 3, ['--squash']),
  rebasing('rebase', 6, (onto) => [onto]),
  rebasing('rebase --onto', 3, (onto) => ['--onto', onto, 'HEAD~1'], {}, { mayDrop: true }),
  rebasing('rebase --root', 1, () => ['--root']),
  rebasing(
    'rebase --autostash',
    3,
    (onto) => ['--autostash', onto],
    {},
    { wipes: 'all', keepsOwn: true },
  ),
  rebasing('rebase -i', 3, (onto) => ['-i', onto], editor('')),
  rebasing('rebase -i fixup', 3, () => ['-i', 'HEAD~2'], editor('2s/^pick/fixup/')),
  rebasing('rebase -i drop', 3, () => ['-i', 'HEAD~2'], editor('1s/^pick/drop/')),
  rebasing('rebase -i edit', 2, () => ['-i', 'HEAD~2'], editor('1s/^pick/edit/')),
  rebasing(
    'rebase --exec',
    2,
    () => ['--exec', 'git checkout -q -- .', 'HEAD~1'],
    {},
    { wipes: 'all' },
  ),
  kind('cherry-pick', 8, (now, actor) => {
    const of = isBusy(now, actor) ? [] : elsewhere(now, actor);
    if (of.length === 0) return null;
    const source = now.pick(of);
    return git('cherry-pick', actor, ['cherry-pick', source], {
      makes: { kind: 'replay' },
      sources: [source],
    });
  }),
  kind('revert', 6, (now, actor) => {
    const of = isBusy(now, actor)
      ? []
      : ancestry(now, placeOf(now, actor).head, 4).filter(
          (oid) => now.world.objects.commit(oid)?.parents.length === 1,
        );
    if (of.length === 0) return null;
    const source = now.pick(of);
    return git('revert', actor, ['revert', '--no-edit', source], {
      makes: { kind: 'replay' },
      sources: [source],
    });
  }),
  kind('am', 6, (now, actor) => {
    const of = isBusy(now, actor) ? [] : elsewhere(now, actor);
    if (of.length === 0) return null;
    const source = now.pick(of);
    const file = now.world.patchFile(
      now.world.plainly(actor.cwd, 'format-patch', '-1', '--stdout', source).stdout,
    );
    return git('am', actor, ['am', '-q', ...(now.happens(0.5) ? ['-3'] : []), file], {
      makes: { kind: 'replay' },
      sources: [source],
    });
  }),
  ...['apply', 'apply --index'].map((label) =>
    kind(label, 4, (now: Now, actor: Actor) => {
      const of = elsewhere(now, actor);
      if (of.length === 0) return null;
      const source = now.pick(of);
      const file = now.world.patchFile(
        now.world.plainly(actor.cwd, 'diff', `${source}~1`, source).stdout,
      );
      return git(label, actor, [...label.split(' '), file]);
    }),
  ),
  ...['bisect run', 'bisect run checkout'].map((label) =>
    kind(label, 2, (now: Now, actor: Actor) => {
      const [head, , , old] = ancestry(now, placeOf(now, actor).head, 4);
      if (old === undefined || head === undefined || isBusy(now, actor)) return null;
      const test = label === 'bisect run' ? 'git rev-parse -q HEAD' : 'git checkout -q -- .';
      const more: Partial<Deed> = label === 'bisect run' ? {} : { wipes: 'all' };
      return shell(
        label,
        actor,
        `git bisect start ${head} ${old} && git bisect run sh -c "${test}"\n` +
          'code=$?; git bisect reset; exit $code',
        more,
      );
    }),
  ),
];

type Operation = 'rebase' | 'am' | 'cherry-pick' | 'revert' | 'merge';

/** Which operation waits to be ended, as git would call it. */
function waiting(now: Now, actor: Actor): Operation | null {
  const { operation, gitDir } = placeOf(now, actor);
  if (existsSync(join(gitDir, 'rebase-merge'))) return 'rebase';
  if (existsSync(join(gitDir, 'rebase-apply'))) {
    return existsSync(join(gitDir, 'rebase-apply/applying')) ? 'am' : 'rebase';
  }
  if (operation.has('CHERRY_PICK_HEAD')) return 'cherry-pick';
  if (operation.has('REVERT_HEAD')) return 'revert';
  return operation.has('MERGE_HEAD') ? 'merge' : null;
}

function ending(word: string, weight: number, more: Partial<Deed>): Kind {
  return kind(`... --${word}`, weight, (now, actor) => {
    const what = waiting(now, actor);
    if (what === null || (what === 'merge' && word === 'skip')) return null;
    // A patch that did not fit leaves nothing that could be settled.
    if (what === 'am' && word === 'continue' && now.happens(0.7)) return null;
    // Of what is replayed, the commit that is skipped may be somebody else's.
    const stopped = placeOf(now, actor)
      .operation.get('rebase-merge/done')
      ?.split('\n')
      .at(-1)
      ?.split(' ')[1];
    const owner =
      stopped === undefined
        ? actor.name
        : ([...now.model.madeBy].find(([oid]) => oid.startsWith(stopped))?.[1] ?? actor.name);
    const foreign =
      (word === 'skip' && owner !== actor.name) || now.model.leftOut.has(actor.place)
        ? { moves: new Map([[placeOf(now, actor).branch ?? 'HEAD', null]]) }
        : {};
    if (word === 'skip') now.model.leftOut.add(actor.place);
    return git(`${what} --${word}`, actor, [what, `--${word}`], {
      makes: { kind: 'replay' },
      mayDrop: true,
      ...foreign,
      ...more,
    });
  });
}

/** Planned only while something is under way. */
export const endingSteps: readonly Kind[] = [
  ending('abort', 3, { wipes: 'all' }),
  ending('continue', 8, {}),
  ending('skip', 3, { wipes: 'all' }),
  kind('quit', 1, (now, actor) => {
    const { operation } = placeOf(now, actor);
    return operation.has('BISECT_START')
      ? git('bisect reset', actor, ['bisect', 'reset'], { mayDrop: true })
      : waiting(now, actor) === null
        ? git('reset squash', actor, ['reset', '-q', '--merge'], { wipes: 'all' })
        : null;
  }),
  kind('resolve', 12, (now, actor) => {
    const paths = [...(now.scene.indexes.get(actor.index)?.entries ?? [])]
      .filter(([, entry]) => entry === 'unmerged')
      .map(([path]) => path);
    if (paths.length === 0) return null;
    const byHand = (): void => {
      for (const file of paths
        .map((path) => join(actor.cwd, path))
        .filter((one) => existsSync(one))) {
        writeFileSync(file, bothSides(readFileSync(file, 'utf8')));
      }
    };
    return git('resolve', actor, ['add', '-A', '--', ...paths], { byHand });
  }),
  kind('commit --no-edit', 3, (now, actor) =>
    waiting(now, actor) === 'merge'
      ? git('commit --no-edit', actor, ['commit', '-q', '--no-edit'], { makes: { kind: 'replay' } })
      : null,
  ),
];

export const historySteps: readonly Kind[] = joining;
