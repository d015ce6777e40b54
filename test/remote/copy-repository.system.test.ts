/** Coord's own copy of a remote log may go or be damaged at any time. Needs: nginx, fcgiwrap. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { limits } from '../../src/core/limits.ts';
import { served } from '../support/clones.ts';
import { executable, realGit } from '../support/gate.ts';
import { logFaults } from '../support/log-check.ts';
import { at } from '../support/repository.ts';
import { lengthen } from '../support/served-log.ts';
import { holders, team } from './joined-team.ts';

describe("coord's own copy", () => {
  test('may go at any time, and be damaged: the next look fetches it again', async () => {
    const { one } = await team();
    rmSync(join(one.top, '.git/coord/remote/copy.git'), { recursive: true });
    expect(holders(one)).toEqual(['alice', 'bob']);
    rmSync(join(one.top, '.git/coord/remote/copy.git/objects'), { recursive: true });
    expect(one.coord('alice', 'reserve', 'src/c.ts').code).toBe(0);
    for (const file of readdirSync(join(one.top, '.git/coord/remote/copy.git/objects'), {
      recursive: true,
    })) {
      if (/^..\/.{38}$/.test(String(file))) {
        const object = join(one.top, '.git/coord/remote/copy.git/objects', String(file));
        chmodSync(object, 0o644);
        writeFileSync(object, '');
      }
    }
    expect(one.coord('alice', 'release', 'src/c.ts').code).toBe(0);
    expect(holders(one)).toEqual(['alice', 'bob']);
  });

  test.for<readonly [string, (folder: string) => void]>([
    ['HEAD is empty', (folder) => writeFileSync(join(folder, 'HEAD'), '')],
    ['refs are gone', (folder) => rmSync(join(folder, 'refs'), { recursive: true })],
    ['its configuration is rubbish', (folder) => writeFileSync(join(folder, 'config'), '\0[[')],
    [
      'its list of shallow commits is rubbish',
      (folder) => writeFileSync(join(folder, 'shallow'), 'rubbish\n'),
    ],
    [
      'a folder is where its log was',
      (folder) => {
        rmSync(join(folder, 'refs/coord/log'));
        mkdirSync(join(folder, 'refs/coord/log/x'), { recursive: true });
      },
    ],
    [
      'a file is where it was',
      (folder) => {
        rmSync(folder, { recursive: true });
        writeFileSync(folder, '');
      },
    ],
  ])('is fetched again where %s', async ([, damage]) => {
    const { one } = await team();
    const folder = join(one.top, '.git/coord/remote/copy.git');
    damage(folder);
    expect(holders(one)).toEqual(['alice', 'bob']);
    damage(folder);
    expect(one.coord('alice', 'reserve', 'src/c.ts').json['result']).toBe('granted');
  });

  test('may go under the eyes of hooks, which then ask anew instead of seeing nothing held', async () => {
    const { two } = await team();
    expect(two.coord(null, 'install', '--harness', 'none').code).toBe(0);
    const folder = join(two.top, '.git/coord/remote');
    two.write('src/a.ts', 'bob was here\n');
    two.git('add', '.');
    const commit = (): { status: number | null; stderr: string } =>
      spawnSync('git', ['commit', '-q', '-m', 'on what alice holds'], {
        cwd: two.top,
        env: { ...two.env, COORD_AGENT: 'bob' },
        encoding: 'utf8',
      });
    // Gone, or as a process left it that was killed while it put another in its place.
    for (const lose of [
      () => rmSync(join(folder, 'copy.git'), { recursive: true }),
      () => renameSync(join(folder, 'copy.git'), join(folder, 'copy.git.old')),
    ]) {
      expect(holders(two)).toEqual(['alice', 'bob']);
      lose();
      expect(commit()).toMatchObject({ status: 1, stderr: expect.stringMatching(/held by alice/) });
    }
  });

  test(
    'is begun anew where the server cannot send all that is new in the time',
    { timeout: 120_000 },
    async () => {
      const { server, one, two } = await team();
      const folder = join(one.top, '.git/coord/remote');
      await lengthen(served(server, one), 100);
      const bin = join(one.top, '..', 'bin');
      mkdirSync(bin);
      executable(
        join(bin, 'git'),
        `#!/bin/sh\ncase " $* " in *' --update-shallow '*) exec sleep 600 ;; *) exec '${realGit()}' "$@" ;; esac\n`,
      );
      const seen = await one.start(null, ['status'], {
        PATH: `${bin}${delimiter}${one.env['PATH'] ?? ''}`,
      }).ended;
      expect({
        code: seen.code,
        ageMs: seen.json['ageMs'],
        length: seen.json['leases'].length,
      }).toEqual({ code: 0, ageMs: undefined, length: 2 });
      expect(
        at(join(folder, 'copy.git'), one.env).git('rev-list', '--count', 'refs/coord/log').trim(),
      ).toBe(String(limits.copyDepth));
      expect(one.coord('carol', 'reserve', 'src/c.ts').json['result']).toBe('granted');
      expect(holders(two)).toEqual(['alice', 'bob', 'carol']);
    },
  );

  test(
    'is made short again now and then, and rid of what killed processes left, also where nobody does anything but look',
    { timeout: 60_000 },
    async () => {
      const { server, one } = await team();
      const there = served(server, one);
      const folder = join(one.top, '.git/coord/remote');
      const copy = at(join(folder, 'copy.git'), one.env);
      await lengthen(there, limits.copyEntries + 100);
      const dayAgo = Date.now() / 1_000 - limits.remainsAgeMs / 1_000 - 60;
      mkdirSync(join(folder, 'copy.git.4242/objects'), { recursive: true });
      utimesSync(join(folder, 'copy.git.4242'), dayAgo, dayAgo);
      expect(holders(one)).toEqual(['alice', 'bob']);
      expect(copy.git('rev-list', '--count', 'refs/coord/log').trim()).toBe(
        String(limits.copyDepth),
      );
      expect(readdirSync(folder).filter((name) => /\.git/.test(name))).toEqual(['copy.git']);
      await lengthen(there, 100);
      expect(holders(one)).toEqual(['alice', 'bob']);
      expect(copy.git('rev-list', '--count', 'refs/coord/log').trim()).toBe(
        String(limits.copyDepth + 100),
      );
      expect(one.coord('carol', 'reserve', 'src/c.ts').json['result']).toBe('granted');
      expect(logFaults(there)).toEqual([]);
    },
  );
});
