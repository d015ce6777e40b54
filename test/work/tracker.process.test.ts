/** Beads that a tracker says something else of. */
import { describe, expect, test } from 'vitest';
import { repository, type TestRepository } from '../support/repository.ts';

describe('beads [U17]', () => {
  function tracked(): TestRepository {
    const repo = repository();
    const issue = (id: string, ...on: readonly string[]): string =>
      JSON.stringify({
        id,
        title: id,
        status: 'open',
        dependencies: on.map((one) => ({ depends_on_id: one, type: 'blocks' })),
      });
    repo.write('.beads/issues.jsonl', `${issue('bd-1')}\n${issue('bd-2', 'bd-1')}\n`);
    return repo;
  }

  test.for<readonly [string, string]>([
    ['bd-2', 'it waits for bd-1'],
    ['nope-9', 'it knows no such bead'],
  ])('a claim of %s says that %s, and is granted with --force', ([bead, why]) => {
    const repo = tracked();
    const refused = repo.coord('ann', 'claim', bead);
    expect({ code: refused.code, refusal: refused.json['refusal'] }).toEqual({
      code: 1,
      refusal: expect.objectContaining({ kind: 'tracker', said: expect.stringContaining(why) }),
    });
    expect(repo.coord('ann', 'claim', bead, '--force').json['result']).toBe('granted');
  });

  test('done says that the file of issues still has it open', () => {
    const repo = tracked();
    repo.coord('ann', 'claim', 'bd-1');
    const done = repo.coord('ann', 'done', 'bd-1', '--no-change', '--reason', 'nothing to do');
    expect({ code: done.code, notes: done.json['notes'] }).toEqual({
      code: 0,
      notes: [expect.stringContaining('bd close bd-1')],
    });
    expect(repo.coord('ann', 'claim', 'bd-2').json['result']).toBe('granted');
  });

  test("the gate names the bead that it misses, and amends nobody's commit", () => {
    const repo = tracked();
    repo.coord('ann', 'claim', 'bd-1');
    const { json } = repo.coord('ann', 'done', 'bd-1');
    expect(json['next']).toBe("git commit --allow-empty -m 'End of bd-1' --trailer 'Bead: bd-1'");
  });
});
