/**
 * A log that somebody erased, put back or wrote over: every clone that saw it says so, grants
 * nothing, and any of them can mend it. Needs: nginx, fcgiwrap.
 */
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
import { clone, clones, served } from '../support/clones.ts';
import { forged } from '../support/forgery.ts';
import { executable, realGit } from '../support/gate.ts';
import { leasesAt, logFaults, operations } from '../support/log-check.ts';
import { at, type TestRepository } from '../support/repository.ts';
import { lengthen } from '../support/served-log.ts';
import { type GitServer, serve } from '../support/servers.ts';

const log = 'refs/coord/log';

async function team(): Promise<{
  readonly server: GitServer;
  readonly one: TestRepository;
  readonly two: TestRepository;
  readonly late: TestRepository;
}> {
  const server = await serve('http');
  const [one, two, late] = clones(server, 3) as [TestRepository, TestRepository, TestRepository];
  expect(one.coord('alice', 'reserve', 'src/a.ts').code).toBe(0);
  expect(late.coord(null, 'sync').code).toBe(0);
  expect(two.coord('bob', 'reserve', 'src/b.ts').code).toBe(0);
  expect(one.coord(null, 'sync').code).toBe(0);
  return { server, one, two, late };
}

const holders = (repo: TestRepository): readonly string[] =>
  repo
    .coord(null, 'status')
    .json['leases'].map((lease: { agent: { name: string } }) => lease.agent.name)
    .sort();

function denied(repo: TestRepository, agent: string, code: string): void {
  for (const args of [
    ['reserve', 'src/new.ts'],
    ['reserve', 'src/a.ts'],
    ['release', '--all'],
    ['check', 'src/a.ts'],
    ['sync'],
  ]) {
    const answer = repo.coord(agent, ...args);
    expect(answer.code, args.join(' ')).toBe(69);
    expect(answer.json['error']?.code, args.join(' ')).toEqual(code);
    expect(answer.json['error']?.hint).toBe('coord doctor --fix --remote');
  }
  const doctor = repo.coord(null, 'doctor');
  expect(doctor.code).toBe(1);
  expect(
    doctor.json['checks'].find((each: { check: string }) => each.check === 'truth'),
  ).toMatchObject({ standing: 'fail', next: 'coord doctor --fix --remote' });
}

describe('a log that was erased by a push --mirror from a clone that knows nothing of coord', () => {
  test('is named by all who saw it, and put back by one of them, to the last operation', async () => {
    const { server, one, two, late } = await team();
    const tip = served(server, one).git('rev-parse', log);
    const stranger = clone(server);
    stranger.git('push', '-q', '--mirror', 'origin');
    expect(served(server, one).git('for-each-ref', 'refs/coord')).toBe('');
    denied(one, 'alice', 'log_erased');
    denied(two, 'bob', 'log_erased');
    const fixed = two.coord(null, 'doctor', '--fix', '--remote');
    expect(fixed.code).toBe(0);
    expect(fixed.json['fixed'][0]).toEqual(
      expect.stringMatching(/^the log on 'origin' was put back, as operation \d+$/),
    );
    expect(served(server, one).git('rev-parse', log)).toBe(tip);
    for (const repo of [one, two, late]) expect(holders(repo)).toEqual(['alice', 'bob']);
    expect(one.coord('carol', 'reserve', 'src/b.ts').json['blockers'][0].agent.name).toBe('bob');
  });

  test('begins anew with what is held where its past is nowhere any more, and counts on', async () => {
    const { server, one, two, late } = await team();
    const newest = Math.max(...leasesAt(served(server, one)).map(({ token }) => token));
    for (let i = 0; i < 70; i += 1) expect(one.coord('alice', 'renew').code).toBe(0);
    // A clone that came late has only the newest of it.
    const shallow = clone(server);
    expect(shallow.coord(null, 'remote', 'set', 'origin').code).toBe(0);
    served(server, one).git('update-ref', '-d', log);
    served(server, one).git('reflog', 'expire', '--expire=now', '--all');
    served(server, one).git('gc', '-q', '--prune=now');
    denied(shallow, 'dave', 'log_erased');
    expect(shallow.coord(null, 'doctor', '--fix', '--remote').json['fixed'][0]).toMatch(
      /begun anew/,
    );
    for (const repo of [one, two, late, shallow]) expect(holders(repo)).toEqual(['alice', 'bob']);
    expect(two.coord('carol', 'reserve', 'src/c.ts').json['leases'][0].token).toBeGreaterThan(
      newest + 70,
    );
    expect(served(server, one).git('fsck', '--strict', '--no-dangling')).toBe('');
  }, 120_000);
});

describe('a log that was put back', () => {
  test('is named by whoever saw more, and goes forward again', async () => {
    const { server, one, two, late } = await team();
    const tip = served(server, one).git('rev-parse', log);
    served(server, one).git('update-ref', log, `${log}^`);
    denied(one, 'alice', 'log_rewound');
    expect(late.coord(null, 'sync').code).toBe(0);
    expect(two.coord(null, 'doctor', '--fix', '--remote').code).toBe(0);
    expect(served(server, one).git('rev-parse', log)).toBe(tip);
    expect(holders(late)).toEqual(['alice', 'bob']);
  });

  test('and went on from there is joined: what was granted is held, what had ended is not back', async () => {
    const { server, one, two, late } = await team();
    expect(one.coord('alice', 'release', '--all').code).toBe(0);
    expect(two.coord('bob', 'reserve', 'src/a.ts').code).toBe(0);
    served(server, one).git('update-ref', log, `${log}~3`);
    // Nothing tells a clone that has seen no more.
    expect(late.coord('carol', 'reserve', 'src/c.ts').code).toBe(0);
    denied(two, 'bob', 'log_rewound');
    const fixed = two.coord(null, 'doctor', '--fix', '--remote');
    expect(fixed.code).toBe(0);
    expect(fixed.json['fixed'][0]).toEqual(expect.stringMatching(/joined/));
    expect(
      leasesAt(served(server, one))
        .map(({ agent, patterns }) => `${agent.name} ${patterns?.join()}`)
        .sort(),
    ).toEqual(['bob src/a.ts', 'bob src/b.ts', 'carol src/c.ts']);
    expect(late.coord('alice', 'reserve', 'src/a.ts').json['blockers'][0].agent.name).toBe('bob');
    const tokens = leasesAt(served(server, one)).map(({ token }) => token);
    expect(late.coord('carol', 'reserve', 'src/d.ts').json['leases'][0].token).toBeGreaterThan(
      Math.max(...tokens),
    );
    // Its other peer had seen the same, and agrees.
    expect(one.coord(null, 'doctor', '--fix', '--remote').code).toBe(0);
    expect(holders(one)).toEqual(['bob', 'bob', 'carol', 'carol']);
  });

  test('a first log made there by somebody who knew nothing of it is joined as well', async () => {
    const { server, one, late } = await team();
    served(server, one).git('update-ref', '-d', log);
    const stranger = clone(server);
    stranger.coord(null, 'remote', 'set', 'origin');
    expect(stranger.coord('dave', 'reserve', 'src/a.ts').code).toBe(0);
    denied(one, 'alice', 'log_rewound');
    const mended = one.coord(null, 'doctor', '--fix', '--remote');
    expect({ code: mended.code, stdout: mended.stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /it has src\/b\.ts of bob.*it has not src\/a\.ts of alice .*granted to somebody else/s,
      ),
    });
    // Dave was granted it while nobody could know better, and has it; bob's is back.
    expect(holders(one)).toEqual(['bob', 'dave']);
    expect(late.coord(null, 'doctor', '--fix', '--remote').code).toBe(0);
    expect(holders(late)).toEqual(['bob', 'dave']);
    expect(operations(served(server, one)).at(-1)?.events[0]?.event).toBe('repaired');
  });
});

describe('a log that is none', () => {
  test('written over with a commit of other work, it is named and put back', async () => {
    const { server, one, two } = await team();
    const tip = served(server, one).git('rev-parse', log);
    two.git('push', '-q', '--force', 'origin', `HEAD:${log}`);
    denied(one, 'alice', 'log_malformed');
    expect(one.coord(null, 'doctor', '--fix', '--remote').code).toBe(0);
    expect(served(server, one).git('rev-parse', log)).toBe(tip);
    expect(holders(two)).toEqual(['alice', 'bob']);
  });

  test('of a newer coord, it is left alone', async () => {
    const { server, one } = await team();
    const stranger = clone(server);
    const oid = forged(stranger, {
      file: 'meta',
      content: (text) => text.replace('"version":1', '"version":2'),
    });
    stranger.git('push', '-q', 'origin', `${oid}:${log}`);
    for (const args of [
      ['reserve', 'src/z.ts'],
      ['doctor', '--fix', '--remote'],
    ]) {
      const answer = one.coord('alice', ...args);
      expect(JSON.stringify(answer.json)).toMatch(/written by a newer coord \(version 2/);
      expect(answer.code).not.toBe(0);
    }
    expect(served(server, one).git('rev-parse', log).trim()).toBe(oid);
  });
});

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

  test('is begun anew where the server cannot send all that is new in the time', {
    timeout: 120_000,
  }, async () => {
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
  });

  test('is made short again now and then, and rid of what killed processes left, also where nobody does anything but look', {
    timeout: 60_000,
  }, async () => {
    const { server, one } = await team();
    const there = served(server, one);
    const folder = join(one.top, '.git/coord/remote');
    const copy = at(join(folder, 'copy.git'), one.env);
    await lengthen(there, limits.copyEntries + 100);
    const dayAgo = Date.now() / 1_000 - limits.remainsAgeMs / 1_000 - 60;
    mkdirSync(join(folder, 'copy.git.4242/objects'), { recursive: true });
    utimesSync(join(folder, 'copy.git.4242'), dayAgo, dayAgo);
    expect(holders(one)).toEqual(['alice', 'bob']);
    expect(copy.git('rev-list', '--count', 'refs/coord/log').trim()).toBe(String(limits.copyDepth));
    expect(readdirSync(folder).filter((name) => /\.git/.test(name))).toEqual(['copy.git']);
    await lengthen(there, 100);
    expect(holders(one)).toEqual(['alice', 'bob']);
    expect(copy.git('rev-list', '--count', 'refs/coord/log').trim()).toBe(
      String(limits.copyDepth + 100),
    );
    expect(one.coord('carol', 'reserve', 'src/c.ts').json['result']).toBe('granted');
    expect(logFaults(there)).toEqual([]);
  });
});
