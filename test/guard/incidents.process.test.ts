/**
 * What has gone wrong elsewhere: the two incidents that took private indexes out of another tool,
 * and the complaints of its users and others. Each is played twice, by agents as others equip them,
 * where it has to go wrong, and by sessions of coord in a repository with its hooks, where it must
 * not.
 */
import { appendFileSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Ran, TestRepository } from '../support/repository.ts';
import { checkout, fileAt, pathsIn, ranIn, session } from '../support/sessions.ts';

interface Player {
  readonly env: Readonly<Record<string, string>>;
  git(...args: string[]): Ran;
  /** Takes the path for itself, where there is a way to. */
  take(path: string): void;
}

interface Play {
  readonly repo: TestRepository;
  readonly ann: Player;
  readonly bob: Player;
  person(...args: string[]): Ran;
}

/** An index of its own, exported to everything that the agent runs; or none, as most work today. */
function asOthersDo(repo: TestRepository, name: string, isPrivate: boolean): Player {
  const index = join(repo.top, '.git', `index-${name}`);
  if (isPrivate) copyFileSync(join(repo.top, '.git/index'), index);
  const env = { ...repo.env, ...(isPrivate ? { GIT_INDEX_FILE: index } : {}) };
  return { env, git: (...args) => ranIn(repo.top, env, 'git', args), take: () => {} };
}

function asCoordDoes(repo: TestRepository, name: string): Player {
  const { env, git, coord } = session(repo, name);
  return { env, git, take: (path) => expect(coord('reserve', path).code).toBe(0) };
}

function write(repo: TestRepository, path: string, line: string): void {
  appendFileSync(join(repo.top, path), `${line}\n`);
}

function commit({ repo }: Play, who: Player, path: string, line: string): Ran {
  write(repo, path, line);
  who.git('add', path);
  return who.git('commit', '-q', '-m', line);
}

const inHead = (repo: TestRepository, path: string, text: string): boolean =>
  fileAt(repo, path).includes(text);
const onDisk = (repo: TestRepository, path: string, text: string): boolean =>
  readFileSync(join(repo.top, path), 'utf8').includes(text);

interface Incident {
  readonly title: string;
  /** Did others' agents have indexes of their own? */
  readonly isPrivate: boolean;
  /** Says whether all work is still where it belongs. */
  play(play: Play): boolean;
}

const incidents: readonly Incident[] = [
  {
    title: 'a commit from an index that is older than HEAD [incident 1, complaint 1, I-1, I-2]',
    isPrivate: true,
    play: (play) => {
      write(play.repo, 'src/a', 'of ann');
      play.ann.git('add', 'src/a');
      commit(play, play.bob, 'src/b', 'of bob');
      play.ann.git('commit', '-q', '-m', 'ann');
      return inHead(play.repo, 'src/b', 'of bob') && inHead(play.repo, 'src/a', 'of ann');
    },
  },
  {
    title:
      "the repository's own index stays behind, and a person commits from it [incident 2, complaint 4, I-3]",
    isPrivate: true,
    play: (play) => {
      commit(play, play.bob, 'src/b', 'of bob');
      write(play.repo, 'src/e', 'of a person');
      play.person('add', 'src/e');
      const status = play.person('status', '--porcelain').stdout;
      play.person('commit', '-q', '-m', 'a person');
      return (
        status === 'M  src/e\n' &&
        inHead(play.repo, 'src/b', 'of bob') &&
        pathsIn(play.repo) === 'src/e'
      );
    },
  },
  {
    title: 'HEAD moves after the index was brought to it and before the commit [complaint 2, I-8]',
    isPrivate: true,
    play: (play) => {
      commit(play, play.bob, 'src/b', 'first');
      play.ann.git('read-tree', 'HEAD');
      write(play.repo, 'src/a', 'of ann');
      play.ann.git('add', 'src/a');
      commit(play, play.bob, 'src/c', 'second');
      play.ann.git('commit', '-q', '-m', 'ann');
      return (
        inHead(play.repo, 'src/c', 'second') &&
        inHead(play.repo, 'src/b', 'first') &&
        inHead(play.repo, 'src/a', 'of ann')
      );
    },
  },
  {
    title: 'the index leaks into another repository [complaint 3]',
    isPrivate: true,
    play: (play) => {
      const other = join(play.repo.top, '../other');
      mkdirSync(other);
      const there = (...args: string[]): Ran => ranIn(other, play.ann.env, 'git', args);
      there('init', '-q');
      writeFileSync(join(other, 'foreign'), 'foreign\n');
      there('add', 'foreign');
      there('commit', '-q', '-m', 'elsewhere');
      commit(play, play.ann, 'src/a', 'of ann');
      const files = play.repo.git('ls-tree', '-r', '--name-only', 'HEAD').trim().split('\n');
      return (
        !files.includes('foreign') &&
        inHead(play.repo, 'src/a', 'of ann') &&
        there('ls-tree', '-r', '--name-only', 'HEAD').stdout === 'foreign\n'
      );
    },
  },
  {
    title: 'an index that was emptied is committed [complaint 5]',
    isPrivate: true,
    play: (play) => {
      play.ann.git('read-tree', '--empty');
      commit(play, play.ann, 'src/a', 'of ann');
      return play.repo.git('ls-tree', '-r', '--name-only', 'HEAD').trim().split('\n').length === 5;
    },
  },
  {
    title: 'another session switches the branch, and the commit lands there [complaint 6]',
    isPrivate: true,
    play: (play) => {
      play.repo.git('branch', 'side');
      write(play.repo, 'src/a', 'of ann');
      play.ann.git('add', 'src/a');
      play.bob.git('switch', '-q', 'side');
      play.ann.git('commit', '-q', '-m', 'ann');
      return !fileAt(play.repo, 'src/a', 'side').includes('of ann');
    },
  },
  ...[
    ['reset', '--hard'],
    ['checkout', '--', '.'],
    ['clean', '-fd'],
  ].map(
    (command): Incident => ({
      title: `git ${command.join(' ')} wipes what another has not committed [complaint 7, I-5]`,
      isPrivate: true,
      play: (play) => {
        play.bob.take('src/b');
        play.bob.take('src/new');
        write(play.repo, 'src/b', 'of bob');
        writeFileSync(join(play.repo.top, 'src/new'), 'of bob\n');
        play.ann.git(...command);
        try {
          return onDisk(play.repo, 'src/b', 'of bob') && onDisk(play.repo, 'src/new', 'of bob');
        } catch {
          return false;
        }
      },
    }),
  ),
  {
    title: 'one pops what the other has stashed [complaint 8]',
    isPrivate: false,
    play: (play) => {
      write(play.repo, 'src/b', 'of bob');
      play.bob.git('stash', '-q');
      play.ann.git('stash', 'pop', '-q');
      return play.bob.git('stash', 'pop', '-q').code === 0 && onDisk(play.repo, 'src/b', 'of bob');
    },
  },
  {
    title: 'a commit without paths sweeps up what another has staged [complaint 9]',
    isPrivate: false,
    play: (play) => {
      write(play.repo, 'src/b', 'half done');
      play.bob.git('add', 'src/b');
      commit(play, play.ann, 'src/a', 'of ann');
      return pathsIn(play.repo) === 'src/a';
    },
  },
  {
    title: 'the lines of another in a hot file go into the commit [complaint 10]',
    isPrivate: true,
    play: (play) => {
      play.bob.take('src/b');
      write(play.repo, 'src/b', 'half done');
      commit(play, play.ann, 'src/b', 'of ann');
      return !inHead(play.repo, 'src/b', 'half done');
    },
  },
  {
    title:
      'a hook that brings the index to HEAD drops what is staged, and the commit is empty [I-0]',
    isPrivate: true,
    play: (play) => {
      // As the other tool had it; coord's own hook runs in the same place.
      if (play.ann.env['COORD_STAGE'] === undefined)
        writeFileSync(
          join(play.repo.top, '.git/hooks/pre-commit'),
          '#!/bin/sh\ngit read-tree HEAD\n',
          { mode: 0o755 },
        );
      commit(play, play.bob, 'src/b', 'of bob');
      commit(play, play.ann, 'src/a', 'of ann');
      return pathsIn(play.repo, 'HEAD') === 'src/a' && pathsIn(play.repo, 'HEAD~1') === 'src/b';
    },
  },
];

describe('what has gone wrong elsewhere', () => {
  test.for(incidents.map((one) => [one.title, one] as const))('does not happen here: %s', ([
    ,
    { play },
  ]) => {
    const repo = checkout();
    const [ann, bob] = [asCoordDoes(repo, 'ann'), asCoordDoes(repo, 'bob')];
    expect(
      play({ repo, ann, bob, person: (...args) => ranIn(repo.top, repo.env, 'git', args) }),
    ).toBe(true);
    expect(repo.git('fsck', '--strict', '--no-dangling')).toBe('');
  });

  test.for(
    incidents.map((one) => [one.title, one] as const),
  )('happens where nothing guards (planted bug): %s', ([, { isPrivate, play }]) => {
    const repo = checkout({ guarded: false });
    const [ann, bob] = [asOthersDo(repo, 'ann', isPrivate), asOthersDo(repo, 'bob', isPrivate)];
    expect(
      play({ repo, ann, bob, person: (...args) => ranIn(repo.top, repo.env, 'git', args) }),
    ).toBe(false);
  });
});
