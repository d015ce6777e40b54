/** Coord was installed, and git runs not all of its hooks any more: the next command says so, once. */
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { said, type TestRepository } from '../support/repository.ts';
import { checkout } from '../support/sessions.ts';

/** With hook files also where git has hooks in its configuration. */
const guarded = (): TestRepository => checkout({ env: { PATH: '/usr/bin:/bin' } });

/** What coord says besides its answer, by one command after the other. */
function notes(
  repo: TestRepository,
  ...commands: readonly (readonly string[])[]
): readonly string[] {
  return commands.map((args) => repo.text('ann', ...args).stderr);
}

const look = ['check', 'src/a'];
const three: readonly (readonly string[])[] = [look, ['status'], ['reserve', 'src/a']];
const file = (repo: TestRepository, event: string): string => join(repo.top, '.git/hooks', event);

const ways: readonly (readonly [
  what: string,
  lose: (repo: TestRepository, time: string) => void,
  says: string,
])[] = [
  [
    'core.hooksPath names another folder',
    (repo, time) => repo.git('config', 'core.hooksPath', `.husky/${time}`),
    "commits are not checked by coord any more: core.hooksPath is '.husky/<time>', and coord's hooks are not there",
  ],
  [
    'core.hooksPath is set for all repositories of the user',
    (repo, time) => repo.git('config', '--global', 'core.hooksPath', `~/${time}`),
    "commits are not checked by coord any more: core.hooksPath is '~/<time>', and coord's hooks are not there",
  ],
  [
    'a file that the configuration includes sets core.hooksPath',
    (repo, time) => {
      repo.git('config', '--file', join(repo.top, '..', time), 'core.hooksPath', `.hooks/${time}`);
      repo.git('config', 'include.path', join(repo.top, '..', time));
    },
    "commits are not checked by coord any more: core.hooksPath is '.hooks/<time>', and coord's hooks are not there",
  ],
  [
    'a hook was written anew',
    (repo) => writeFileSync(file(repo, 'pre-commit'), '#!/bin/sh\necho theirs\n'),
    "not all hooks of coord are in force any more: coord's lines are gone from pre-commit in '.git/hooks'",
  ],
  [
    'all hooks were written anew',
    (repo) => {
      for (const event of ['pre-commit', 'commit-msg', 'post-commit', 'pre-push', 'post-merge'])
        writeFileSync(file(repo, event), '#!/bin/sh\n');
      rmSync(file(repo, 'reference-transaction'));
    },
    "commits are not checked by coord any more: coord's lines are gone from 6 of 11 hooks in '.git/hooks'",
  ],
  [
    'a hook cannot be executed',
    (repo) => chmodSync(file(repo, 'pre-push'), 0o644),
    "not all hooks of coord are in force any more: pre-push in '.git/hooks' cannot be executed",
  ],
  [
    'the folder is gone',
    (repo) => rmSync(join(repo.top, '.git/hooks'), { recursive: true }),
    "commits are not checked by coord any more: the folder '.git/hooks' is gone",
  ],
];

describe('hooks that git does not run any more', () => {
  test.for(
    ways,
  )('%s: said once; coord install puts them back, and what happens then is said again', ([
    ,
    lose,
    says,
  ]) => {
    const repo = guarded();
    expect(notes(repo, ...three)).toEqual(['', '', '']);
    for (const time of ['once', 'again']) {
      lose(repo, time);
      const note = `note: ${says.replace('<time>', time)}; coord install\n`;
      expect(notes(repo, ...three)).toEqual([note, '', '']);
      expect(repo.text(null, 'install').stderr).toBe('');
      expect(notes(repo, ...three)).toEqual(['', '', '']);
    }
  });

  test('doctor says it as long as it is so', () => {
    const repo = guarded();
    repo.git('config', 'core.hooksPath', '.husky/_');
    for (const _ of ['first', 'second'])
      expect(repo.text(null, 'doctor').stdout).toMatch(
        /^fail {2}commits .*\n {2}next: coord install$/m,
      );
    repo.text(null, 'install');
    expect(repo.text(null, 'doctor').stdout).toMatch(/^ok {4}commits /m);
  });

  test('another change is said too, and one that has nothing to do with hooks is not', () => {
    const repo = guarded();
    const theirs = '#!/bin/sh\n';
    writeFileSync(file(repo, 'pre-push'), theirs);
    expect(notes(repo, look, look)).toEqual([expect.stringContaining('from pre-push in'), '']);
    writeFileSync(file(repo, 'post-merge'), theirs);
    expect(notes(repo, look, look)).toEqual([
      expect.stringContaining('from post-merge, pre-push in'),
      '',
    ]);
    repo.git('config', 'user.nickname', 'Ann');
    expect(notes(repo, look)).toEqual(['']);
  });

  test('programs get it as a fact; --quiet leaves it for the next', () => {
    const repo = guarded();
    rmSync(file(repo, 'pre-commit'));
    expect(notes(repo, ['--quiet', 'check', 'src/a'])).toEqual(['']);
    expect(repo.coord('ann', 'check', 'src/a').json['hooksLost']).toEqual({
      missing: ['pre-commit'],
      why: "coord's lines are gone from pre-commit in '.git/hooks'",
      next: 'coord install',
    });
    expect(repo.coord('ann', 'check', 'src/a').json['hooksLost']).toBeUndefined();
  });

  test('a session is told at its start, whoever was told before', () => {
    const repo = guarded();
    rmSync(file(repo, 'pre-commit'));
    const says = expect.stringContaining("coord's lines are gone from pre-commit");
    for (const name of ['bob', 'cid'])
      expect(repo.text(null, 'session', 'start', name).stderr).toEqual(says);
    expect(notes(repo, look)).toEqual(['']);
  });

  test('a linked work tree with a folder of its own has its own say', () => {
    const repo = guarded();
    repo.git('config', 'core.hooksPath', 'hooks');
    repo.text(null, 'install');
    repo.git('worktree', 'add', '-q', '../tree');
    const there = (): string => said(join(repo.top, '../tree'), repo.env, look).stderr;
    expect([there(), there(), ...notes(repo, look)]).toEqual([
      "note: commits are not checked by coord any more: core.hooksPath is 'hooks', and coord's hooks are not there; coord install\n",
      '',
      '',
    ]);
  });

  test('nothing is said where coord was never installed, nor after it was uninstalled, nor of a git that runs without hooks', () => {
    const never = checkout({ guarded: false, env: { PATH: '/usr/bin:/bin' } });
    never.git('config', 'core.hooksPath', '.husky/_');
    expect(notes(never, ...three)).toEqual(['', '', '']);
    const repo = guarded();
    expect(
      said(repo.top, { ...repo.env, GIT_CONFIG_PARAMETERS: "'core.hooksPath=/dev/null'" }, look)
        .stderr,
    ).toBe('');
    repo.text(null, 'uninstall');
    expect(notes(repo, ...three)).toEqual(['', '', '']);
  });
});

describe('install and uninstall', () => {
  test('where hooks lie in two folders, uninstall takes coord out of both', () => {
    const repo = guarded();
    mkdirSync(join(repo.top, '.husky/_'), { recursive: true });
    writeFileSync(join(repo.top, '.husky/_/pre-commit'), '#!/bin/sh\n', { mode: 0o755 });
    repo.git('config', 'core.hooksPath', '.husky/_');
    repo.text(null, 'install');
    repo.git('config', 'core.hooksPath', '.other');
    repo.text(null, 'uninstall');
    expect(readFileSync(join(repo.top, '.husky/_/pre-commit'), 'utf8')).toBe('#!/bin/sh\n');
    expect(() => readFileSync(file(repo, 'pre-commit'))).toThrow('ENOENT');
  });

  test('a hook that another tool has moved aside is called for nothing of coord', () => {
    const repo = guarded();
    const theirs = '#!/bin/sh\necho theirs\n';
    writeFileSync(`${file(repo, 'post-merge')}.old`, readFileSync(file(repo, 'post-merge')));
    const both = `${readFileSync(file(repo, 'pre-commit'), 'utf8')}echo more\n`;
    writeFileSync(`${file(repo, 'pre-commit')}.legacy`, both);
    writeFileSync(file(repo, 'pre-commit'), theirs);
    repo.text(null, 'install');
    expect(readFileSync(file(repo, 'pre-commit'), 'utf8')).toContain('coord_hook pre-commit');
    expect(readFileSync(`${file(repo, 'pre-commit')}.legacy`, 'utf8')).toMatch(
      /^#!\/bin\/sh\n# Made by .*\necho more\n$/,
    );
    expect(() => readFileSync(`${file(repo, 'post-merge')}.old`)).toThrow('ENOENT');
    writeFileSync(`${file(repo, 'pre-commit')}.old`, readFileSync(file(repo, 'pre-commit')));
    repo.text(null, 'uninstall');
    expect(readFileSync(`${file(repo, 'pre-commit')}.old`, 'utf8')).toBe(theirs);
  });

  test('a hook of somebody else that was switched off with coord in it stays off, and coord is back', () => {
    const repo = guarded();
    repo.text(null, 'uninstall');
    const theirs = '#!/bin/sh\nexit 1\n';
    writeFileSync(file(repo, 'pre-commit'), theirs, { mode: 0o755 });
    repo.text(null, 'install');
    chmodSync(file(repo, 'pre-commit'), 0o644);
    repo.text(null, 'install');
    repo.git('commit', '-q', '--allow-empty', '-m', 'x');
    expect(repo.text(null, 'doctor').stdout).toMatch(/^ok {4}commits /m);
    repo.text(null, 'uninstall');
    expect(readFileSync(file(repo, 'pre-commit'), 'utf8')).toBe(theirs);
  });
});
