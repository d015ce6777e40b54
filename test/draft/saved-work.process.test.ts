/**
 * Work that is in no commit: kept before it is wiped, brought back to the byte, and not wiped for
 * others at all.
 */
import { chmodSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkout, session } from '../support/sessions.ts';

const odd = Buffer.from([0, 255, 13, 10, 13, 0xe2, 0x28, 0xa1, 10]);

describe('unsaved work', () => {
  test.for([
    ['stash', '-u'],
    ['reset', '--hard'],
    ['checkout', '-f'],
    ['clean', '-fd'],
    ['checkout', '.'],
  ])('of another is not wiped by git %s %s, and is named and kept', (command) => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    bob.coord('reserve', 'src/');
    writeFileSync(join(repo.top, 'src/a'), odd);
    writeFileSync(join(repo.top, 'src/untracked'), 'new');
    const ran = ann.git(...command);
    const first = command[0] === 'clean' ? 'src/untracked' : 'src/a';
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(`${first}: bob`),
    });
    expect(readFileSync(join(repo.top, 'src/a')).equals(odd)).toBe(true);
    expect(existsSync(join(repo.top, 'src/untracked'))).toBe(true);
    expect(ann.coord('rescue', 'list').json['saved']).toMatchObject([{ agent: 'bob' }]);
  });

  test.for<readonly [string, readonly string[]]>([
    ['an alias of the command', ['-c', 'alias.redo=checkout -q --', 'redo', 'src/a']],
    ['an alias of the repository', ['undo', '.']],
    ['an abbreviated option', ['reset', '--har']],
    ['an autostash', ['rebase', '--autostash', 'side']],
    ['an alias of an alias', ['twice', 'src/a']],
    ['an alias in quotes', ['quoted', 'src/a']],
    ['an option for all paths', ['--icase-pathspecs', 'checkout', '--', 'SRC/A']],
    ['a wildcard across folders', ['restore', '*a']],
    ['an autostash by configuration', ['-c', 'rebase.autoStash=true', 'rebase', 'side']],
  ])('of another is not wiped by %s', ([, command]) => {
    const repo = checkout();
    repo.git('config', 'alias.undo', 'checkout -q --');
    repo.git('config', 'alias.twice', 'undo');
    repo.git('config', 'alias.quoted', 'checkout "-q" --');
    repo.git('checkout', '-q', '-b', 'side');
    repo.git('commit', '-q', '--allow-empty', '-m', 'side');
    repo.git('checkout', '-q', 'main');
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    bob.coord('reserve', 'src/');
    writeFileSync(join(repo.top, 'src/a'), odd);
    const ran = ann.git(...command);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toEqual(expect.stringContaining('src/a: bob'));
    expect(readFileSync(join(repo.top, 'src/a')).equals(odd)).toBe(true);
  });

  test('of another that git ignores, or that a rebase given up would reset, is not wiped; an alias of the shell finds it kept', () => {
    const repo = checkout();
    repo.write('.gitignore', '.env\n');
    repo.git('add', '.');
    repo.git('commit', '-q', '-m', 'ignore');
    repo.git('config', 'alias.bang', '!git reset -q --hard');
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    bob.coord('reserve', '.env', 'src/b');
    repo.write('.env', 'secret\n');
    expect(ann.git('clean', '-fdx')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('.env: bob'),
    });
    repo.git('branch', 'topic');
    repo.write('src/a', 'main\n');
    repo.git('commit', '-q', '-a', '-m', 'main');
    expect(ann.git('switch', '-q', 'topic').code).toBe(0);
    ann.edit('src/a', 'topic');
    expect(ann.git('commit', '-q', '-m', 'topic').code).toBe(0);
    expect(ann.git('rebase', 'main').code).not.toBe(0);
    repo.write('src/b', 'of bob\n');
    expect(ann.git('rebase', '--abort')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('src/b: bob'),
    });
    ann.git('bang');
    // What was ann's own is kept in the same moment.
    const { saved } = ann.coord('rescue', 'list').json;
    const { id } = saved.find(({ agent }: { agent: string }) => agent === 'bob');
    expect(ann.coord('rescue', 'show', id).stdout).toContain('src/b');
  });

  test('what nobody has changed is no unsaved work, whatever the index knows of the file', () => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    ann.edit('src/a');
    ann.git('commit', '-q', '-m', 'x');
    bob.coord('reserve', 'src/a');
    expect(ann.git('reset', '-q', '--hard')).toMatchObject({ code: 0 });
  });

  test('an alias that is words alone does what it did, quotes and all', () => {
    const repo = checkout();
    repo.git('config', 'alias.last', 'log -1 --format=%s');
    repo.git('config', 'alias.tell', '!echo "$1" two');
    repo.git('config', 'alias.quoted', 'log -1 --format="%s b"');
    const ann = session(repo, 'ann');
    expect(
      [
        ann.git('last'),
        ann.git('tell', 'one'),
        ann.git('quoted'),
        ann.git('-C', 'src', 'last', '--', 'none'),
      ].map(({ stdout }) => stdout),
    ).toEqual(['base\n', 'one two one\n', 'base b\n', '']);
  });

  test("of one's own goes where one says so, and comes back byte for byte, modes and links too", () => {
    const repo = checkout();
    const ann = session(repo, 'ann');
    ann.coord('reserve', 'src/');
    writeFileSync(join(repo.top, 'src/a'), odd);
    writeFileSync(join(repo.top, 'src/run'), '#!/bin/sh\n');
    chmodSync(join(repo.top, 'src/run'), 0o755);
    symlinkSync('../nowhere', join(repo.top, 'src/link'));
    expect(ann.git('stash', '-u', '-q')).toMatchObject({ code: 0 });
    expect(readFileSync(join(repo.top, 'src/a')).equals(odd)).toBe(false);
    const restored = ann.coord('rescue', 'restore', 'ann').json;
    expect(restored['files']).toEqual(['src/a', 'src/link', 'src/run']);
    const folder: string = restored['folder'];
    expect(readFileSync(join(folder, 'src/a')).equals(odd)).toBe(true);
    expect((statSync(join(folder, 'src/run')).mode & 0o777).toString(8)).toBe('755');
    expect(readFileSync(join(repo.top, 'src/a')).equals(odd)).toBe(false);
    ann.coord('rescue', 'restore', 'ann', '--in-place');
    expect(readFileSync(join(repo.top, 'src/a')).equals(odd)).toBe(true);
    repo.git('fsck', '--strict', '--no-dangling');
  });

  test('what one session has stashed another cannot pop, drop or clear, and each gets its own back [complaint 8]', () => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    writeFileSync(join(repo.top, 'src/a'), 'ann\n');
    expect(ann.git('stash', '-q')).toMatchObject({ code: 0 });
    for (const command of [['pop'], ['drop'], ['apply', 'stash@{0}'], ['clear']])
      expect(
        { code: bob.git('stash', ...command).code, stderr: bob.git('stash', ...command).stderr },
        command.join(' '),
      ).toEqual({ code: 1, stderr: expect.stringContaining('stash@{0} was stashed by ann') });
    writeFileSync(join(repo.top, 'src/b'), 'bob\n');
    expect(bob.git('stash', '-q')).toMatchObject({ code: 0 });
    expect(ann.git('stash', 'pop', '-q').code).toBe(1);
    expect(ann.git('stash', 'pop', '-q', 'stash@{1}')).toMatchObject({ code: 0 });
    expect(bob.git('stash', 'pop', '-q')).toMatchObject({ code: 0 });
    expect(readFileSync(join(repo.top, 'src/a'), 'utf8')).toBe('ann\n');
    expect(readFileSync(join(repo.top, 'src/b'), 'utf8')).toBe('bob\n');
  });

  test('is kept once for the same content, at most twenty times for an agent, and a path of others is left alone', () => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    ann.coord('reserve', 'src/a');
    bob.coord('reserve', 'src/b');
    for (let i = 0; i < 23; i += 1) {
      writeFileSync(join(repo.top, 'src/a'), `try ${i}\n`);
      expect(ann.coord('rescue', 'save').code).toBe(0);
      if (i === 0) expect(ann.coord('rescue', 'save').json['files']).toBe(1);
    }
    expect(ann.coord('rescue', 'list').json['saved']).toHaveLength(20);
    writeFileSync(join(repo.top, 'src/b'), 'bob\n');
    expect(ann.git('restore', 'src/a')).toMatchObject({ code: 0 });
    expect(ann.git('restore', 'src/b').code).toBe(1);
    expect(readFileSync(join(repo.top, 'src/b'), 'utf8')).toBe('bob\n');
  });
});
