/** The wrapper that git's tests call: what is in each repository, and who acts there. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { dirSync } from 'tmp-promise';
import { beforeAll, expect, test } from 'vitest';
import { coordProgram } from '../support/repository.ts';
import type { Mode } from './modes.ts';
import { copyCoord, environmentOf, type Place, prepareWrappers, rootOf } from './place.ts';
import { prepareSeeds } from './seed.ts';

let place: Place;

beforeAll(() => {
  const run = dirSync({ prefix: 'coord-suite-', unsafeCleanup: true }).name;
  const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const folder = import.meta.dirname;
  const [root, tests, coord] = [join(run, 'root'), join(run, 't'), join(run, 'coord')];
  place = { run, root, tests, coord, folder, git, logs: 2 };
  copyCoord(resolve(folder, '../..'), coord);
  prepareWrappers(place);
  prepareSeeds(place);
  return () => rmSync(run, { recursive: true });
});

/** What a test script of git sees of it, with repositories below `trash`. */
function suite(mode: Mode) {
  const { run } = place;
  const trash = join(rootOf(place, mode), 'trash');
  mkdirSync(trash, { recursive: true });
  mkdirSync(join(run, mode));
  const env = environmentOf(place, mode, 'trash');
  const who = { NAME: 'A U Thor', EMAIL: 'author@example.com' };
  const said = (cwd: string, command: string): string => {
    const own = { PATH: `${join(run, 'bin')}:${env['PATH'] ?? ''}`, HOME: trash, PWD: cwd };
    const people = Object.entries(who).flatMap(([name, value]) => [
      [`GIT_AUTHOR_${name}`, value],
      [`GIT_COMMITTER_${name}`, value],
    ]);
    const all = { ...env, ...Object.fromEntries(people), ...own };
    return execFileSync('sh', ['-ec', command], { cwd, env: all, encoding: 'utf8' });
  };
  const coord = (cwd: string, ...args: readonly string[]): Record<string, unknown> => {
    const options = { cwd, encoding: 'utf8' } as const;
    const text = execFileSync(process.execPath, [coordProgram, '--json', ...args], options);
    return JSON.parse(text) as Record<string, unknown>;
  };
  return { trash, said, coord };
}

const commit = 'echo 1 >a; git add a; git commit -qm one; git log -1 --format=%B';

test('beside a lease each repository has hooks and the log, clones and submodules too', () => {
  const { trash, said, coord } = suite('beside');
  const made = 'git init -q "a b"; cd "a b"; echo 1 >a; git add a; git commit -qm 1; cd ..';
  const more = 'git clone -q "a b" c; git clone -q --bare c d.git; git init -q --template= e';
  const sub = 'git -C c -c protocol.file.allow=always submodule add -q "$PWD/a b" s';
  said(trash, `${made}; ${more}; ${sub}`);
  for (const folder of ['a b/.git', 'c/.git', 'd.git', 'e/.git', 'c/.git/modules/s']) {
    const hook = readFileSync(join(trash, folder, 'hooks', 'pre-commit'), 'utf8');
    expect(hook, folder).toContain('coord_hook pre-commit');
    expect(existsSync(join(trash, folder, 'refs', 'coord', 'log')), folder).toBe(true);
  }
  const logOf = (folder: string): string => {
    return readFileSync(join(trash, folder, 'refs', 'coord', 'log'), 'utf8');
  };
  expect(logOf('c/.git')).not.toBe(logOf('a b/.git'));
  const { leases } = coord(join(trash, 'c'), 'status');
  expect(leases).toMatchObject([{ patterns: ['reserved/path/nobody/uses'] }]);
  expect(said(join(trash, 'e'), commit)).toBe('one\n\n');
});

test('where nothing is held there is a log all the same', () => {
  const { trash, said, coord } = suite('idle');
  said(trash, 'git init -q --object-format=sha256 a');
  const { leases, agents } = coord(join(trash, 'a'), 'status') as Record<
    string,
    readonly unknown[]
  >;
  expect({ leases: leases?.length, agents: agents?.length }).toEqual({ leases: 0, agents: 1 });
  expect(said(join(trash, 'a'), commit)).toBe('one\n\n');
});

test("an agent's commits are signed, in the main work tree and from a folder beside it", () => {
  const { trash, said } = suite('session');
  said(trash, 'git init -q a; mkdir b');
  const signed = /^one\n\nCoord-Agent: ann \([a-z0-9]{8}\)\n\n$/;
  expect(said(join(trash, 'a'), commit)).toMatch(signed);
  const beside = 'git -C ../a reset -q --soft HEAD; git -C ../a commit -q --allow-empty -m one';
  expect(said(join(trash, 'b'), `${beside}; git -C ../a log -1 --format=%B`)).toMatch(signed);
});

test('hooks that do nothing decide nothing, and are there', () => {
  const { trash, said } = suite('inert');
  said(trash, 'git init -q a; rm -r a/.git/hooks; git -C a status');
  const hook = readFileSync(join(trash, 'a', '.git', 'hooks', 'reference-transaction'), 'utf8');
  expect(hook).toBe('#!/bin/sh\n# Decides nothing.\n');
  expect(said(join(trash, 'a'), commit)).toBe('one\n\n');
});
