/** Giving up what one holds: as much of what was named as there is. */
import { describe, expect, test } from 'vitest';
import { events } from '../support/log-check.ts';
import { repository, type TestRepository } from '../support/repository.ts';

function heldBy(repo: TestRepository, name: string): readonly string[] {
  const leases = repo.coord(null, 'status').json['leases'] as readonly {
    agent: { name: string };
    patterns: string[];
  }[];
  return leases.filter(({ agent }) => agent.name === name).flatMap(({ patterns }) => patterns);
}

describe('U27: release of several, of which only some are held', () => {
  test('frees what is held and names the rest, exit 0', () => {
    const repo = repository();
    repo.coord('ann', 'reserve', 'a', 'b');
    const bobs = repo.coord('bob', 'reserve', 'c').json['leases'][0] as {
      id: string;
      agent: { id: string; name: string };
    };
    const ran = repo.coord('ann', 'release', 'a', 'zzz', 'c', bobs.id);
    expect([ran.code, ran.json['result'], ran.json['leases'][0].patterns]).toEqual([
      0,
      'released',
      ['a'],
    ]);
    expect(ran.json['notReleased']).toEqual([
      { named: bobs.id, heldBy: bobs.agent },
      { named: 'zzz', heldBy: null },
      { named: 'c', heldBy: bobs.agent },
    ]);
    expect([heldBy(repo, 'ann'), heldBy(repo, 'bob'), events(repo, 'released').length]).toEqual([
      ['b'],
      ['c'],
      1,
    ]);
    const said = repo.text('ann', 'release', 'b', 'zzz');
    expect([said.code, said.stderr]).toEqual([
      0,
      'note: not released: zzz, which you do not hold\n',
    ]);
  });

  test('where nothing matches at all it is refused, exit 1, and nothing changes', () => {
    const repo = repository();
    const lease = repo.coord('ann', 'reserve', 'a').json['leases'][0].id as string;
    repo.coord('bob', 'whoami');
    const tip = repo.git('rev-parse', 'refs/coord/log');
    const kind = (...args: readonly string[]): unknown => {
      const ran = repo.coord('bob', 'release', ...args);
      return [ran.code, ran.json['refusal'].kind];
    };
    expect([kind('zzz', 'yyy'), kind('zzz', 'a'), kind(lease)]).toEqual([
      [1, 'nothing_matched'],
      [1, 'not_owner'],
      [1, 'not_owner'],
    ]);
    expect(repo.git('rev-parse', 'refs/coord/log')).toBe(tip);
  });

  test('says nothing of a rest where all of it was held', () => {
    const repo = repository();
    repo.coord('ann', 'reserve', 'a', 'b');
    const ran = repo.coord('ann', 'release', 'a', 'b');
    expect([ran.code, 'notReleased' in ran.json, ran.json['leases'][0].patterns]).toEqual([
      0,
      false,
      ['a', 'b'],
    ]);
  });
});
