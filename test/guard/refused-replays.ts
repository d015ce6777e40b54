/** Commands that make commits again, refused over what another holds. */
import { commit, went } from '../support/scene.ts';
import { branch, hold, older, type Row } from './refusal-row.ts';

export const replayRows: readonly Row[] = [
  {
    title: 'revert [U2]',
    who: 'ann',
    prepare: (here) => {
      older(here);
      hold(here);
      return 'git revert --no-edit HEAD~1';
    },
  },
  {
    title: 'revert, by a person [U2]',
    who: 'person',
    isLate: true,
    prepare: (here) => {
      older(here);
      hold(here);
      return 'git revert --no-edit HEAD~1';
    },
  },
  {
    title: 'revert of two, by a person [U2]',
    who: 'person',
    isLate: true,
    prepare: (here) => {
      older(here);
      hold(here);
      return 'git revert --no-edit HEAD HEAD~1';
    },
  },
  {
    title: "revert past the session's git [U2]",
    who: 'ann past her git',
    isLate: true,
    prepare: (here) => {
      older(here);
      hold(here);
      return 'git revert --no-edit HEAD~1';
    },
  },
  {
    title: 'cherry-pick [U2]',
    who: 'ann',
    prepare: (here) => {
      branch(here);
      went(here.shell('echo n >>src/e && git commit -qam n'));
      hold(here);
      return 'git cherry-pick side';
    },
  },
  {
    title: 'cherry-pick, by a person [U2]',
    who: 'person',
    isLate: true,
    prepare: (here) => {
      branch(here);
      went(here.shell('echo n >>src/e && git commit -qam n'));
      hold(here);
      return 'git cherry-pick side';
    },
  },
  {
    title: 'am [U2]',
    who: 'ann',
    isLate: true,
    prepare: (here) => {
      branch(here);
      hold(here);
      went(
        here.shell(
          'git format-patch -q -1 --stdout side >../p && echo n >>src/e && git commit -qam n',
        ),
      );
      return 'git am -q ../p';
    },
  },
  {
    title: 'rebase [U2]',
    who: 'ann',
    prepare: (here) => {
      branch(here);
      went(here.ann.git('switch', '-q', 'side'));
      commit(here.ann, 'src/d');
      went(here.shell('git branch -q on main~1 && git branch -f on main'));
      went(
        here.shell(
          'git switch -q main && echo n >>src/e && git commit -qam n && git switch -q side',
        ),
      );
      here.ann.git('status');
      hold(here);
      return 'git rebase -q main';
    },
  },
  {
    title: 'rebase, by a person [U2]',
    who: 'person',
    prepare: (here) => {
      branch(here);
      went(here.shell('echo n >>src/e && git commit -qam n && git switch -q side'));
      hold(here);
      return 'git rebase -q main';
    },
  },
  {
    title: 'rebase --autostash, by a person [U2]',
    who: 'person',
    isLate: true,
    prepare: (here) => {
      branch(here);
      went(
        here.shell(
          'echo n >>src/e && git commit -qam n && git switch -q side && echo dirty >>src/d && git add src/d && echo more >>src/d',
        ),
      );
      hold(here);
      return 'git rebase -q --autostash main';
    },
  },
  {
    title: 'rebase --autostash [U2]',
    who: 'ann',
    prepare: (here) => {
      branch(here);
      went(here.shell('echo n >>src/e && git commit -qam n && git switch -q side'));
      hold(here);
      here.ann.edit('src/d');
      return 'git rebase -q --autostash main';
    },
  },
];
