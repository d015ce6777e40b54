/** What is whose: nobody else gives it up, hands it over or brings it back. */
import { describe, expect, test } from 'vitest';
import { repository } from '../support/repository.ts';

describe('what an agent holds', () => {
  test('a transfer is all or nothing, and nothing matched is not success [SYN-H4, SYN-M4, F-CORR-H3]', () => {
    const repo = repository();
    repo.coord('ann', 'reserve', 'a');
    const b = repo.coord('bob', 'reserve', 'b').json['leases'][0];
    const mixed = repo.coord('ann', 'transfer', 'a', b.id, '--to', 'bob');
    expect({ code: mixed.code, kind: mixed.json['refusal'].kind }).toEqual({
      code: 1,
      kind: 'not_owner',
    });
    expect(repo.coord('ann', 'transfer', 'a', 'nothing', '--to', 'bob').json['refusal'].kind).toBe(
      'nothing_matched',
    );
    expect(repo.coord('ann', 'transfer', 'a', '--to', 'nobody').json['refusal'].kind).toBe(
      'no_such_agent',
    );
    expect(repo.coord('ann', 'check', 'a').json['result']).toBe('mine');
    expect(repo.coord('ann', 'release', 'nothing').json['refusal'].kind).toBe('nothing_matched');
    expect(repo.coord('cid', 'renew').json['refusal'].kind).toBe('nothing_matched');
    const given = repo.coord('ann', 'transfer', 'a', '--to', 'bob');
    expect(given.json['leases'][0].agent.name).toBe('bob');
    expect(repo.coord('bob', 'check', 'a').json['result']).toBe('mine');
  });

  test('nobody releases, renews or transfers what is not theirs; break names the lease and needs a reason [F-SAFE-6]', () => {
    const repo = repository();
    const lease = repo.coord('ann', 'reserve', 'a', '-c', 'coord.breakafter=0s').json['leases'][0];
    for (const args of [
      ['release', lease.id],
      ['release', 'a'],
      ['renew', lease.id],
      ['transfer', lease.id, '--to', 'ann'],
    ]) {
      const ran = repo.coord('bob', ...args);
      expect(ran.code, args[0]).toBe(1);
      expect(ran.json['refusal'].kind, args[0]).toBe('not_owner');
    }
    expect(repo.coord('bob', 'break', lease.id).json['error'].code).toBe('needs_reason');
    expect(repo.coord('bob', 'break', 'a', '--reason', 'x').code).toBe(64);
    expect(
      repo.coord('bob', 'break', lease.id, '--reason', 'its machine is gone').json['refusal'].kind,
    ).toBe('too_early');
    expect(
      repo.coord(
        'bob',
        '-c',
        'coord.breakafter=0s',
        'break',
        lease.id,
        '--reason',
        'its machine is gone',
      ).code,
    ).toBe(0);
    expect(repo.coord('bob', 'check', 'a').json['result']).toBe('free');
    const [broken] = repo
      .coord(null, 'log')
      .stdout.trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, any>)
      .filter((event) => event['event'] === 'broken');
    expect(broken).toMatchObject({
      lease: lease.id,
      reason: 'its machine is gone',
      agent: { name: 'ann' },
      by: { name: 'bob' },
    });
  });

  test('what is released stays released, and the same release again is refused [Inv I2, I4, I8]', () => {
    const repo = repository();
    const lease = repo.coord('ann', 'reserve', 'a').json['leases'][0];
    expect(repo.coord('ann', 'release', lease.id).code).toBe(0);
    expect(repo.coord('ann', 'release', lease.id).json['refusal'].kind).toBe('nothing_matched');
    expect(repo.coord('ann', 'renew', lease.id).json['refusal'].kind).toBe('nothing_matched');
    expect(repo.coord(null, 'status').json['leases']).toEqual([]);
  });
});
