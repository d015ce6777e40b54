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

describe('release of several, of which only some are held [U27]', () => {
  test('frees what is held and names the rest, exit 0', () => {
    const repo = repository();
    repo.coord('ann', 'reserve', 'a', 'b');
    const bobs = repo.coord('bob', 'reserve', 'c').json['leases'][0] as {
      id: string;
      agent: { id: string; name: string };
    };
    const ran = repo.coord('ann', 'release', 'a', 'zzz', 'c', bobs.id);
    expect({
      code: ran.code,
      result: ran.json['result'],
      patterns: ran.json['leases'][0].patterns,
    }).toEqual({ code: 0, result: 'released', patterns: ['a'] });
    expect(ran.json['notReleased']).toEqual([
      { named: bobs.id, heldBy: bobs.agent },
      { named: 'zzz', heldBy: null },
      { named: 'c', heldBy: bobs.agent },
    ]);
    expect(heldBy(repo, 'ann')).toEqual(['b']);
    expect(heldBy(repo, 'bob')).toEqual(['c']);
    expect(events(repo, 'released').length).toBe(1);
    const said = repo.text('ann', 'release', 'b', 'zzz');
    expect({ code: said.code, stderr: said.stderr }).toEqual({
      code: 0,
      stderr: 'note: not released: zzz, which you do not hold\n',
    });
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
    expect(kind('zzz', 'yyy')).toEqual([1, 'nothing_matched']);
    expect(kind('zzz', 'a')).toEqual([1, 'not_owner']);
    expect(kind(lease)).toEqual([1, 'not_owner']);
    expect(repo.git('rev-parse', 'refs/coord/log')).toBe(tip);
  });

  test('says nothing of a rest where all of it was held', () => {
    const repo = repository();
    repo.coord('ann', 'reserve', 'a', 'b');
    const ran = repo.coord('ann', 'release', 'a', 'b');
    expect(ran.code).toBe(0);
    expect('notReleased' in ran.json).toBe(false);
    expect(ran.json['leases'][0].patterns).toEqual(['a', 'b']);
  });
});
