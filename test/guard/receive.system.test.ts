/**
 * A server with coord's hook: the log only grows there, by what is in order, and branches are held
 * to the leases. Needs: nginx, fcgiwrap, sshd.
 */
import { describe, expect, test } from 'vitest';
import { clones, served } from '../support/clones.ts';
import { forged } from '../support/forgery.ts';
import { eventually, type TestRepository } from '../support/repository.ts';
import { byAlice, endings, events, misshapen, overreaching, own, toldBy } from './forgeries.ts';
import { guarded, refusedPush } from './guarded-server.ts';

describe('the log on a guarded server', () => {
  test.for(['http', 'ssh', 'daemon'] as const)(
    'takes what coord does, by %s',
    { timeout: 60_000 },
    async (transport) => {
      const { one, two } = await guarded(transport);
      expect(one.coord('alice', 'reserve', 'src/**').code).toBe(0);
      expect(two.coord('bob', 'reserve', 'src/a.ts').code).toBe(1);
      expect(one.coord('alice', 'transfer', '--all', '--to', 'bob').code).toBe(1);
      expect(two.coord('bob', 'reserve', 'docs/').code).toBe(0);
      expect(one.coord('alice', 'transfer', 'src/**', '--to', 'bob').code).toBe(0);
      const claim = two.coord('bob', 'claim', 'bd-1').json['leases'][0].id as string;
      expect(one.coord('alice', 'ask', claim, '--reason', 'mine').code).toBe(0);
      expect(one.coord('alice', 'claim', 'bd-1', '--wait', '10ms').json['refusal'].kind).toBe(
        'timeout',
      );
      expect(two.coord('bob', 'answer', claim, 'defer', '--eta', '5m').code).toBe(0);
      expect(two.coord('bob', 'unclaim', 'bd-1').code).toBe(0);
      expect(two.coord('bob', 'release', '--all').code).toBe(0);
      expect(one.coord('alice', 'reserve', 'src/a.ts').code).toBe(0);
    },
  );

  test('is not deleted, not put back and not replaced', async () => {
    const { server, one } = await guarded();
    one.coord('alice', 'reserve', 'src/a.ts');
    const before = served(server, one).git('rev-parse', 'refs/coord/log');
    expect(refusedPush(one, '-q', 'origin', ':refs/coord/log')).toMatch(
      /coord: refused.*is not deleted/s,
    );
    expect(refusedPush(one, '-q', '--mirror', 'origin')).toMatch(/only goes forward/);
    one.git('fetch', '-q', 'origin', 'refs/coord/log');
    expect(refusedPush(one, '-q', '--force', 'origin', 'FETCH_HEAD^:refs/coord/log')).toMatch(
      /only goes forward/,
    );
    expect(refusedPush(one, '-q', '--force', 'origin', 'HEAD:refs/coord/log')).toMatch(
      /only goes forward/,
    );
    expect(served(server, one).git('rev-parse', 'refs/coord/log')).toBe(before);
  });

  test('is mended there as well: what had ended before its server was put back does not count as held', async () => {
    const { server, one, two } = await guarded();
    const late = clones(server, 1)[0] as TestRepository;
    const there = served(server, one);
    two.coord('bob', 'reserve', 'src/b.ts');
    expect(late.coord(null, 'sync').code).toBe(0);
    const backup = there.git('rev-parse', 'refs/coord/log').trim();
    expect(two.coord('bob', 'release', '--all').code).toBe(0);
    expect(one.coord('alice', 'reserve', 'src/a.ts').code).toBe(0);
    there.git('update-ref', 'refs/coord/log', backup);
    expect(late.coord('carol', 'reserve', 'docs/').code).toBe(0);
    expect(one.coord('alice', 'reserve', 'lib/').json['error'].code).toBe('log_rewound');
    expect(one.coord(null, 'doctor', '--fix', '--remote').code).toBe(0);
    expect(
      one
        .coord('alice', 'status')
        .json['leases'].map((lease: { agent: { name: string } }) => lease.agent.name)
        .sort(),
    ).toEqual(['alice', 'carol']);
  });

  test('takes nothing that is malformed, by another than it says, or changes what is not its own', async () => {
    const { one, two } = await guarded();
    one.coord('alice', 'reserve', 'src/a.ts');
    two.coord('bob', 'reserve', 'src/b.ts');
    const alice = one
      .git('log', '-1', '--author=alice', '--format=%an (%ae)', forged(one, {}))
      .trim()
      .replace('@coord.invalid', '');
    const lease = two
      .coord('bob', 'status')
      .json['leases'].find((each: { agent: { name: string } }) => each.agent.name === 'bob')
      .id as string;
    // A third one waits for what bob has.
    const waiting = two.start('carl', ['reserve', 'src/b.ts', '--wait', '60s']);
    await eventually(
      'carl stands in line',
      () => two.coord('bob', 'status').json['waits'].length === 1,
    );
    const [
      {
        id: place,
        agent: { id: carl },
      },
    ] = two.coord('bob', 'status').json['waits'] as [{ id: string; agent: { id: string } }];
    const known = { alice, lease, place, carl };
    for (const [why, forgery] of [...misshapen(known), ...endings(known), ...overreaching(known)])
      expect(refusedPush(one, '-q', 'origin', `${forged(one, forgery)}:refs/coord/log`)).toMatch(
        why,
      );
    waiting.child.kill('SIGKILL');
    // A renewal of which only the time for show differs is one all the same.
    const later = (text: string): string =>
      text.replace(
        /("bob".*"renewedAt":"\d+)/,
        (_, before: string) => `${before.slice(0, -4)}2020`,
      );
    expect(
      refusedPush(
        one,
        '-q',
        'origin',
        `${forged(one, { content: later, commit: (text) => events(byAlice(alice)(text), toldBy(known)('renewed')) })}:refs/coord/log`,
      ),
    ).toBe('');
    expect(
      refusedPush(
        one,
        '-q',
        'origin',
        `${forged(one, { content: own, commit: (text) => events(byAlice(alice)(text), toldBy(known)('expired')) })}:refs/coord/log`,
      ),
    ).toMatch(/is said to be over/);
    expect(two.coord('bob', 'check', 'src/b.ts').json['result']).toBe('mine');
  });

  test('lands what an operation says only for the agent whose operation it is', async () => {
    const { one, two } = await guarded();
    const held = two.coord('bob', 'reserve', 'src/b.ts').json['leases'][0] as {
      id: string;
      token: number;
      agent: object;
    };
    one.coord('alice', 'reserve', 'docs/');
    one.write('src/b.ts', 'not mine\n');
    one.git('add', '.');
    one.git('commit', '-q', '-m', 'on what bob holds');
    const commit = one.git('rev-parse', 'HEAD').trim();
    const landed = JSON.stringify({
      event: 'landed',
      agent: held.agent,
      branch: 'refs/heads/main',
      commit,
      tokens: [held.token],
      leases: [held.id],
    });
    const log = forged(one, {
      commit: (text) =>
        text.replace(/^Event: .*\n/gm, '').replace(/^Seq: /m, `Event: ${landed}\nSeq: `),
    });
    expect(
      refusedPush(
        one,
        '-q',
        '--no-verify',
        '--atomic',
        'origin',
        `${log}:refs/coord/log`,
        'HEAD:refs/heads/main',
      ),
    ).toMatch(/alice .* lands under token \d+, which it does not hold/);
  });
});
