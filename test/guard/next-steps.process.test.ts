/**
 * A refusal changes nothing, or prints the one command that restores every byte; and every command
 * that it prints, followed to the letter, ends the situation and loses nobody's work.
 */
import {
  appendFileSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { executable } from '../support/gate.ts';
import { coordProgram, type Environment, type Ran } from '../support/repository.ts';
import { commit, nextOf, refused, type Scene, scene, went } from '../support/scene.ts';
import { ranIn } from '../support/sessions.ts';

/** Every byte of the work tree, what each index holds, and all refs but coord's. */
function bytes({ repo, ann }: Scene): string {
  const names = readdirSync(repo.top, { recursive: true })
    .map(String)
    .filter((name) => !/^\.git(\/|$)/.test(name) && lstatSync(join(repo.top, name)).isFile())
    .sort();
  const files = names.map((name) => `${name}\n${readFileSync(join(repo.top, name), 'latin1')}`);
  const index = (file: string): string =>
    ranIn(repo.top, { ...repo.env, GIT_INDEX_FILE: file }, 'git', ['ls-files', '-s']).stdout;
  const refs = repo
    .git('for-each-ref', '--format=%(refname) %(objectname)')
    .split('\n')
    .filter((line) => !line.startsWith('refs/coord/'));
  const head = readFileSync(join(repo.top, '.git/HEAD'), 'utf8');
  return [
    ...files,
    index(join(repo.top, '.git/index')),
    index(ann.env['COORD_STAGE'] ?? ''),
    ...refs,
    head,
  ].join('\n');
}

interface Row {
  readonly title: string;
  /** Prepares; returns the line that is refused. */
  prepare(here: Scene): string;
  /** Whose line it is. */
  readonly who: 'ann' | 'person' | 'ann past her git';
  /** git has changed files before it asks; then the first printed command puts them back. */
  readonly isLate?: boolean;
  /** It cannot be merged: then the first printed command says where what was staged is kept. */
  readonly isConflict?: boolean;
  /** What stands once its commands were followed. */
  readonly ends?: (here: Scene) => void;
}

/** A commit of a person on src/b, made before bob held it. */
function older({ shell }: Scene): void {
  went(
    shell(
      'echo older >>src/b && git commit -qam older && echo more >>src/c && git commit -qam more',
    ),
  );
}

function hold({ bob }: Scene): void {
  went(bob.coord('reserve', 'src/b'));
}

function branch({ shell }: Scene): void {
  went(
    shell(
      'git switch -q -c side && echo side >src/b && git commit -qam side && git switch -q main',
    ),
  );
}

const edits =
  (path: string, line: string) =>
  (here: Scene): string => {
    hold(here);
    appendFileSync(join(here.repo.top, 'src/a'), 'mine\n');
    appendFileSync(join(here.repo.top, path), 'not mine\n');
    return line;
  };

const rows: readonly Row[] = [
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
  { title: 'commit -a', who: 'ann', prepare: edits('src/b', 'git commit -qam "all of it"') },
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
  {
    title: '[U2] revert',
    who: 'ann',
    prepare: (here) => {
      older(here);
      hold(here);
      return 'git revert --no-edit HEAD~1';
    },
  },
  {
    title: '[U2] revert, by a person',
    who: 'person',
    isLate: true,
    prepare: (here) => {
      older(here);
      hold(here);
      return 'git revert --no-edit HEAD~1';
    },
  },
  {
    title: '[U2] revert of two, by a person',
    who: 'person',
    isLate: true,
    prepare: (here) => {
      older(here);
      hold(here);
      return 'git revert --no-edit HEAD HEAD~1';
    },
  },
  {
    title: "[U2] revert past the session's git",
    who: 'ann past her git',
    isLate: true,
    prepare: (here) => {
      older(here);
      hold(here);
      return 'git revert --no-edit HEAD~1';
    },
  },
  {
    title: '[U2] cherry-pick',
    who: 'ann',
    prepare: (here) => {
      branch(here);
      went(here.shell('echo n >>src/e && git commit -qam n'));
      hold(here);
      return 'git cherry-pick side';
    },
  },
  {
    title: '[U2] cherry-pick, by a person',
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
    title: '[U2] am',
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
    title: '[U2] rebase',
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
    title: '[U2] rebase, by a person',
    who: 'person',
    prepare: (here) => {
      branch(here);
      went(here.shell('echo n >>src/e && git commit -qam n && git switch -q side'));
      hold(here);
      return 'git rebase -q main';
    },
  },
  {
    title: '[U2] rebase --autostash, by a person',
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
    title: '[U2] rebase --autostash',
    who: 'ann',
    prepare: (here) => {
      branch(here);
      went(here.shell('echo n >>src/e && git commit -qam n && git switch -q side'));
      hold(here);
      here.ann.edit('src/d');
      return 'git rebase -q --autostash main';
    },
  },
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

/** With coord on the PATH, as it is installed. */
function environmentOf({ repo, ann }: Scene, who: Row['who']): Environment {
  const bin = mkdtempSync(join(repo.top, '..', 'bin-'));
  executable(join(bin, 'coord'), `#!/bin/sh\nexec '${process.execPath}' '${coordProgram}' "$@"\n`);
  const at = (path: string | undefined): string => `${path ?? ''}:${bin}`;
  if (who === 'person') return { ...repo.env, PATH: at(repo.env['PATH']) };
  if (who === 'ann') return { ...ann.env, PATH: at(ann.env['PATH']) };
  return { ...ann.env, PATH: at(repo.env['PATH']), GIT_INDEX_FILE: ann.env['COORD_STAGE'] ?? '' };
}

/** Lines that bob has written and nobody may lose. */
function ofBob({ repo }: Scene): string {
  const text = ranIn(repo.top, repo.env, 'sh', [
    '-c',
    'cat src/* fresh 2>/dev/null; git log -p --all',
  ]).stdout;
  return ['unsaved of bob', 'bob changes src/c'].filter((line) => text.includes(line)).join('|');
}

describe('a refusal', () => {
  test.for(rows)('$title', ({ who, prepare, isLate, isConflict, ends }) => {
    const here = scene();
    const line = prepare(here);
    const [setUp, asked] = /^(.* && )?(git [^&]*)$/.exec(line)?.slice(1) ?? [];
    const env = environmentOf(here, who);
    const sh = (text: string): Ran => ranIn(here.repo.top, env, 'sh', ['-c', text]);
    if (setUp !== undefined) went(sh(setUp.replace(/ && $/, '')));
    // A command of its own brings a private index to HEAD, whatever comes of it.
    here.ann.git('status');
    const [before, work] = [bytes(here), ofBob(here)];
    const ran = refused(sh(asked ?? ''), '');
    const steps = nextOf(ran);
    expect(steps.length, ran.stderr).toBeGreaterThan(0);
    expect(steps.join('\n')).not.toMatch(/<\w+>/);
    if (isLate === true) went(sh(steps[0] ?? 'false'));
    expect(bytes(here)).toBe(before);
    // The others end the situation; a holder that is waited for has let go.
    const rest = isLate === true ? steps.slice(1) : steps;
    for (const step of rest.length === 0 ? [] : [rest[0] ?? '']) {
      if (step.includes('--wait')) went(here.bob.coord('release', '--all'));
      const ran = sh(step);
      if (isConflict !== true) went(ran);
      else went(sh(/next: (coord rescue diff \S+)/.exec(ran.stderr)?.[1] ?? 'false'));
    }
    if (isConflict === true) went(here.ann.git('commit', '-q', '--allow-empty', '-m', 'goes on'));
    ends?.(here);
    expect(ofBob(here)).toBe(work);
  });
});
