/**
 * A push that was overtaken, or is large: it lands with what stands then, or leaves nothing.
 * Needs: nginx, fcgiwrap, sshd.
 */
import { describe, expect, test } from 'vitest';
import { gitGate } from '../support/gate.ts';
import { logFaults } from '../support/log-check.ts';
import { eventually } from '../support/repository.ts';
import type { Transport } from '../support/servers.ts';
import { committed, main, team, transports } from './team.ts';

/**
 * Alice has been judged, and her push stops at the gate; her lease goes to bob meanwhile; then she
 * goes on.
 */
async function overtaken(
  transport: Transport,
  stop: 'before' | 'unleased',
): Promise<{ readonly exit: number; readonly holder: string; readonly moved: boolean }> {
  const { one, two, there } = await team(transport);
  for (const repo of [one, two]) repo.git('config', 'coord.breakAfter', '0s');
  const { id } = one.coord('alice', 'reserve', 'src/').json['leases'][0];
  committed(one, 'src/a.ts');
  const before = main(there);
  const gate = gitGate(one, stop, false, 'push');
  const late = one.start('alice', ['push'], gate.env);
  await gate.reached();
  expect(two.coord('bob', 'break', id, '--reason', 'she sleeps').code).toBe(0);
  expect(two.coord('bob', 'reserve', 'src/a.ts').code).toBe(0);
  gate.open();
  const ran = await late.ended;
  return {
    exit: ran.code,
    holder: ran.json['blockers']?.[0]?.agent.name ?? '',
    moved: main(there) !== before,
  };
}

describe('a holder that lost its lease while its push was on the way', () => {
  test.for(transports)('does not land, by %s', { timeout: 60_000 }, async (transport) => {
    expect(await overtaken(transport, 'before')).toEqual({ exit: 1, holder: 'bob', moved: false });
  });

  test('planted bug: without the lease on the old value it lands all the same', async () => {
    expect(await overtaken('http', 'unleased')).not.toEqual({
      exit: 1,
      holder: 'bob',
      moved: false,
    });
  });

  test(
    'that slept past its TTL, and another took it: neither its commits nor its lease come back',
    { timeout: 60_000 },
    async () => {
      const { one, two, there } = await team();
      for (const repo of [one, two]) repo.git('config', 'coord.grace', '0s');
      expect(one.coord('alice', 'reserve', 'src/', '--ttl', '5s').code).toBe(0);
      committed(one, 'src/a.ts');
      const gate = gitGate(one, 'before', false, 'push');
      const asleep = one.start('alice', ['push'], gate.env);
      await gate.reached();
      await eventually(
        'bob takes it once its time is over',
        () => two.coord('bob', 'reserve', 'src/').code === 0,
        30_000,
      );
      gate.open();
      const ran = await asleep.ended;
      expect({ code: ran.code, name: ran.json['blockers']?.[0]?.agent.name }).toEqual({
        code: 1,
        name: 'bob',
      });
      expect(one.coord('alice', 'renew').code).toBe(1);
      expect(main(there)).not.toBe(one.git('rev-parse', 'HEAD').trim());
    },
  );
});

describe('what is large', () => {
  test(
    'goes up before, lands while others move the log all the time, and leaves nothing beside it',
    { timeout: 120_000 },
    async () => {
      const { one, two, there } = await team();
      one.coord('alice', 'reserve', 'src/');
      for (let i = 0; i < 120; i += 1) one.write(`src/${i}.ts`, `${i}\n`);
      one.git('add', '.');
      one.git('commit', '-q', '-m', 'many');
      // Bob's clone moves the log whenever alice's is about to.
      let [busy, moved] = [true, 0];
      const others = (async () => {
        while (busy)
          moved +=
            (await two.start('bob', [moved % 2 === 0 ? 'reserve' : 'release', 'docs/']).ended)
              .code === 0
              ? 1
              : 0;
      })();
      const pushed = await one.start('alice', ['push']).ended;
      busy = false;
      await others;
      expect({ code: pushed.code, result: pushed.json['result'] }).toEqual({
        code: 0,
        result: 'landed',
      });
      expect(main(there)).toBe(one.git('rev-parse', 'HEAD').trim());
      expect(there.git('for-each-ref', '--format=%(refname)')).toBe(
        'refs/coord/log\nrefs/heads/main\n',
      );
      expect(logFaults(there)).toEqual([]);
    },
  );

  test('what a killed push left there is taken along by the next', async () => {
    const { one, there } = await team();
    for (let i = 0; i < 120; i += 1) one.write(`src/${i}.ts`, `${i}\n`);
    one.git('add', '.');
    one.git('commit', '-q', '-m', 'many');
    const gate = gitGate(one, 'after', false, 'push');
    const dying = one.start('alice', ['push'], gate.env);
    await gate.reached();
    dying.child.kill('SIGKILL');
    await dying.ended;
    gate.open();
    expect(there.git('for-each-ref', '--format=%(refname)', 'refs/coord/upload')).toMatch(
      /^refs\/coord\/upload\/[0-9a-f]{16}\n$/,
    );
    expect(one.coord('alice', 'push').json['result']).toBe('landed');
    expect(there.git('for-each-ref', 'refs/coord/upload')).toBe('');
  });
});
