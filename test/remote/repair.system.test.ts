/**
 * A log that somebody erased, put back or wrote over: every clone that saw it says so, grants
 * nothing, and any of them can mend it. Needs: nginx, fcgiwrap.
 */
import { describe, expect, test } from 'vitest';
import { clone, served } from '../support/clones.ts';
import { forged } from '../support/forgery.ts';
import { leasesAt, operations } from '../support/log-check.ts';
import type { TestRepository } from '../support/repository.ts';
import { holders, team } from './joined-team.ts';

const log = 'refs/coord/log';

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
      content: (text) => text.replace('"version":1', '"version":99'),
    });
    stranger.git('push', '-q', 'origin', `${oid}:${log}`);
    for (const args of [
      ['reserve', 'src/z.ts'],
      ['doctor', '--fix', '--remote'],
    ]) {
      const answer = one.coord('alice', ...args);
      expect(JSON.stringify(answer.json)).toMatch(
        /the log has format 99, and this coord reads up to \d+/,
      );
      expect(answer.code).not.toBe(0);
    }
    expect(served(server, one).git('rev-parse', log).trim()).toBe(oid);
  });
});
