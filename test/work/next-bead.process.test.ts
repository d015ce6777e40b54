/** Which bead is next, and that one agent alone has it. */
import { describe, expect, test } from 'vitest';
import { eventually, type Ran, repository, type TestRepository } from '../support/repository.ts';
import { waitsFor, withFile } from '../support/tracker.ts';

const kindOf = ({ json }: Ran): unknown =>
  json['refusal']?.kind ?? json['error']?.code ?? json['result'];

const beadsIn = (ran: Ran): readonly string[] =>
  ran.json['beads'].map(({ id }: { id: string }) => id);

const finish = (repo: TestRepository, agent: string, bead: string): Ran =>
  repo.coord(agent, 'done', bead, '--no-change', '--reason', 'nothing to do');

describe('what is next', () => {
  test('most urgent first; what is blocked, claimed, done or parked is not offered', () => {
    const repo = repository();
    withFile(repo, [
      { id: 'bd-1', priority: 2 },
      { id: 'bd-2', priority: 0 },
      { id: 'bd-3', priority: 0, ...waitsFor('bd-1') },
      { id: 'bd-4', status: 'closed' },
      { id: 'bd-5', priority: 3, ...waitsFor('bd-4') },
      { id: 'bd-6', status: 'deferred' },
    ]);
    expect(beadsIn(repo.coord('ann', 'next'))).toEqual(['bd-2', 'bd-1', 'bd-5']);
    expect(repo.coord('ann', 'claim', '--next').json['bead']).toBe('bd-2');
    expect(repo.coord('bob', 'claim', '--next').json['bead']).toBe('bd-1');
    expect(beadsIn(repo.coord('eve', 'next'))).toEqual(['bd-5']);
    expect(finish(repo, 'bob', 'bd-1').code).toBe(0);
    expect(beadsIn(repo.coord('eve', 'next'))).toEqual(['bd-3', 'bd-5']);
  });

  test('of equals, what suits an agent by its tags and by what it has finished; what needs a tag goes to nobody without it', () => {
    const repo = repository();
    withFile(
      repo,
      ['a', 'b', 'c', 'd'].map((name, i) => ({
        id: `bd-${name}`,
        priority: 1,
        created_at: `2026-01-0${i + 1}T00:00:00Z`,
        labels: [['docs'], ['needs:gpu'], ['sql'], ['sql']][i] ?? [],
      })),
    );
    expect(beadsIn(repo.coord('ann', 'next'))).toEqual(['bd-a', 'bd-c', 'bd-d']);
    expect(beadsIn(repo.coord('ann', 'next', '--tag', 'gpu'))).toEqual([
      'bd-b',
      'bd-a',
      'bd-c',
      'bd-d',
    ]);
    expect(beadsIn(repo.coord('ann', '-c', 'coord.tags=gpu sql', 'next'))[0]).toBe('bd-b');
    expect(repo.coord('bob', 'claim', 'bd-c').code).toBe(0);
    expect(finish(repo, 'bob', 'bd-c').code).toBe(0);
    expect(beadsIn(repo.coord('bob', 'next'))).toEqual(['bd-d', 'bd-a']);
    expect(beadsIn(repo.coord('ann', 'next'))).toEqual(['bd-a', 'bd-d']);
  });

  test('--next --wait stands by until something is ready', async () => {
    const repo = repository();
    withFile(repo, [{ id: 'bd-1' }, { id: 'bd-2', ...waitsFor('bd-1') }]);
    repo.coord('ann', 'claim', 'bd-1');
    const waiting = repo.start('bob', ['claim', '--next', '--wait', '1m']);
    expect(repo.coord('eve', 'claim', '--next', '--wait', '1s').json['refusal']).toEqual({
      kind: 'nothing_ready',
    });
    expect(finish(repo, 'ann', 'bd-1').code).toBe(0);
    expect((await waiting.ended).json['bead']).toBe('bd-2');
  });

  test('a stalled bead is taken where nothing else is ready, and its holder is told', async () => {
    const repo = repository();
    withFile(repo, [{ id: 'bd-1' }, { id: 'bd-2' }]);
    const stalled = ['-c', 'coord.stalledafter=0s'];
    expect(repo.coord('ann', ...stalled, 'claim', 'bd-1').code).toBe(0);
    expect(repo.coord('bob', ...stalled, 'claim', '--next').json['bead']).toBe('bd-2');
    // The clock of a system ticks every 10 ms.
    await eventually('both have stalled', () =>
      repo
        .coord(null, ...stalled, 'who')
        .json['agents'].every(({ stalled: is }: { stalled: boolean }) => is),
    );
    expect(repo.coord('eve', 'claim', '--next').json['refusal']).toEqual({ kind: 'nothing_ready' });
    expect(repo.coord('eve', ...stalled, 'claim', '--next').json['bead']).toMatch(/^bd-/);
    expect(repo.coord(null, 'log').stdout).toContain('"event":"taken"');
  });

  test('a file that is damaged is named with its line, and nothing is claimed', () => {
    const repo = repository();
    repo.write('.beads/issues.jsonl', '{"id":"bd-1"}\n{"id":\n');
    const ran = repo.coord('ann', 'claim', '--next');
    expect({ code: ran.code, message: ran.json['error'].message }).toEqual({
      code: 69,
      message: expect.stringMatching(/^line 2 of .*issues\.jsonl is not an issue$/),
    });
    expect(repo.coord(null, 'status').json['leases']).toEqual([]);
  });
});

describe('one winner', () => {
  test("a bead is one agent's, also in a family", () => {
    const repo = repository();
    expect(repo.coord('ann', 'claim', 'bd-1').code).toBe(0);
    expect(kindOf(repo.coord('ann/kid', 'claim', 'bd-1'))).toBe('held');
    expect(repo.coord('ann/kid', 'claim', 'bd-2').code).toBe(0);
    expect(kindOf(repo.coord('ann', 'claim', 'bd-2'))).toBe('held');
  });

  test(
    '8 at once, each the next of 8 beads: 8 different beads in one round',
    { timeout: 60_000 },
    async () => {
      const repo = repository();
      withFile(
        repo,
        Array.from({ length: 8 }, (_, i) => ({ id: `bd-${i}` })),
      );
      const ran = await Promise.all(
        Array.from({ length: 8 }, (_, i) => repo.start(`agent-${i}`, ['claim', '--next']).ended),
      );
      expect(ran.map(({ code }) => code)).toEqual(Array.from({ length: 8 }, () => 0));
      expect(new Set(ran.map(({ json }) => json['bead'])).size).toBe(8);
    },
  );

  test(
    '50 at once for one bead: one has it, everybody else is told who',
    { timeout: 120_000 },
    async () => {
      const repo = repository();
      const ran = await Promise.all(
        Array.from({ length: 50 }, (_, i) => repo.start(`agent-${i}`, ['claim', 'bd-1']).ended),
      );
      const winners = ran.flatMap(({ code, json }) =>
        code === 0 ? json['leases'][0].agent.name : [],
      );
      expect(winners).toHaveLength(1);
      expect(
        ran.filter(({ code }) => code === 1).map(({ json }) => json['blockers'][0].agent.name),
      ).toEqual(Array.from({ length: 49 }, () => winners[0]));
    },
  );
});
