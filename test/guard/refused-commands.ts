/** Every kind of command that is refused, each with what it is refused over. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { commit, went } from '../support/scene.ts';
import { branch, edits, hold, type Row } from './refusal-row.ts';

import { replayRows } from './refused-replays.ts';

export const refusalRows: readonly Row[] = [
  {
    title: 'commit of what another holds',
    who: 'ann',
    prepare: edits('src/b', 'git add src/a src/b && git commit -qm x'),
  },
  {
    title: 'commit of what another holds alone',
    who: 'ann',
    prepare: edits('src/b', 'git add src/b && git commit -qm x'),
  },
  {
    title: 'commit -a, by a person',
    who: 'person',
    prepare: edits('src/b', 'git commit -qam "all of it"'),
  },
  { title: 'commit -- paths', who: 'ann', prepare: edits('src/b', 'git commit -qm x -- src') },
  {
    title: 'commit --no-verify',
    who: 'ann',
    prepare: edits('src/b', 'git add src/a src/b && git commit -q --no-verify -m x'),
  },
  ...replayRows,
  {
    title: 'reset --hard over what another committed',
    who: 'ann',
    prepare: (here) => {
      commit(here.bob, 'src/c');
      here.ann.git('status');
      return 'git reset -q --hard HEAD~1';
    },
  },
  {
    title: 'reset --hard over what another committed, by a person',
    who: 'person',
    isLate: true,
    prepare: (here) => {
      commit(here.bob, 'src/c');
      return 'git reset -q --hard HEAD~1';
    },
  },
  {
    title: 'amend of what another committed',
    who: 'ann',
    prepare: (here) => {
      commit(here.bob, 'src/c');
      here.ann.edit('src/a');
      return 'git commit -q --amend -m mine';
    },
  },
  {
    title: 'a merge whose conflict is resolved on a held path',
    who: 'ann',
    prepare: (here) => {
      branch(here);
      went(here.shell('echo main >src/b && git commit -qam m'));
      hold(here);
      here.ann.git('merge', 'side');
      writeFileSync(join(here.repo.top, 'src/b'), 'both\n');
      went(here.ann.git('add', 'src/b'));
      return 'git commit -q --no-edit';
    },
  },
  {
    title:
      'what is staged where another has changed the same file elsewhere, and the file on disk is older',
    who: 'ann',
    prepare: (here) => {
      appendFileSync(join(here.repo.top, 'src/a'), 'of ann\n');
      went(here.ann.git('add', 'src/a'));
      const stale = readFileSync(join(here.repo.top, 'src/a'), 'utf8');
      went(
        here.bob.run(
          'sh',
          '-c',
          "git show HEAD:src/a >src/a && sed -i '1s/^/bob begins\\n/' src/a && git add src/a && git commit -qm bob",
        ),
      );
      writeFileSync(join(here.repo.top, 'src/a'), `${stale}not finished\n`);
      return 'git commit -q -m mine';
    },
    ends: ({ repo }) => {
      const text = repo.git('show', 'HEAD:src/a');
      expect(text.includes('bob begins')).toBe(true);
      expect(text.includes('of ann')).toBe(true);
      expect(text.includes('not finished')).toBe(false);
    },
  },
  {
    title: 'what is staged as a file where another has committed a folder',
    who: 'ann',
    isConflict: true,
    prepare: (here) => {
      went(
        here.ann.run(
          'sh',
          '-c',
          'echo of ann >new && git add new && rm new && mkdir new && echo of bob >new/x',
        ),
      );
      went(here.bob.run('sh', '-c', 'git add new/x && git commit -qm new'));
      return 'git commit -q -m mine';
    },
  },
  {
    title: 'stash pop of what another has stashed, which packing leaves its own',
    who: 'ann',
    prepare: (here) => {
      for (const who of [here.ann, here.bob]) {
        who.edit('src/c', `unsaved of ${who.name}`);
        went(who.git('stash', '-q'));
      }
      went(here.ann.git('pack-refs', '--all'));
      return 'git stash pop -q';
    },
  },
  ...(
    [
      'stash -q',
      'checkout .',
      'restore .',
      'reset -q --hard',
      'checkout -q -f',
      'rm -qf src/b',
      'clean -fdq',
    ] as const
  ).map(
    (words): Row => ({
      title: `git ${words} over what another has not committed`,
      who: 'ann',
      prepare: (here) => {
        hold(here);
        went(here.bob.coord('reserve', 'fresh'));
        appendFileSync(
          join(here.repo.top, words.startsWith('clean') ? 'fresh' : 'src/b'),
          'unsaved of bob\n',
        );
        appendFileSync(
          join(here.repo.top, words.startsWith('clean') ? 'junk' : 'src/a'),
          'of ann\n',
        );
        return `git ${words}`;
      },
    }),
  ),
];
