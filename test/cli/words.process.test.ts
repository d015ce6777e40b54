/**
 * What people type, and what they get for an answer: paths as well as ids, and a hint that helps.
 */
import { describe, expect, test } from 'vitest';
import { repository, type TestRepository } from '../support/repository.ts';

function held(): TestRepository {
  const repo = repository();
  expect(repo.coord('ann', 'reserve', 'src/a').code).toBe(0);
  return repo;
}

function hint(repo: TestRepository, ...args: readonly string[]): unknown {
  return repo.coord(null, ...args).json['error']?.hint;
}

describe('[U18] paths as well as ids', () => {
  test('check says of each path by itself', () => {
    const { json, code } = held().coord('bob', 'check', 'src/a', 'src/b', 'src/c');
    expect({ code, result: json['result'], paths: json['paths'] }).toEqual({
      code: 1,
      result: 'held',
      paths: [
        { path: 'src/a', result: 'held' },
        { path: 'src/b', result: 'free' },
        { path: 'src/c', result: 'free' },
      ],
    });
  });

  test('a request by path, seen in status with its id, and answered by path', () => {
    const repo = held();
    const asked = repo.coord('bob', 'ask', 'src/a', '--reason', 'the release');
    const { id } = asked.json['request'] as { readonly id: string };
    expect(repo.coord(null, 'status').json['requests']).toMatchObject([{ id }]);
    expect(repo.coord('ann', 'answer', 'src/a', 'accept').code).toBe(0);
    expect(repo.coord('bob', 'check', 'src/a').json['result']).toBe('mine');
    expect(repo.coord('ann', 'ask', 'src/free', '--reason', 'x').code).toBe(64);
  });

  test.for<readonly [string, string]>([
    ['src/[a', 'not closed'],
    ['x/!(a)', 'parentheses'],
    ['app/[id]/page.tsx', '--literal'],
  ])('%s is granted with a word on what it was taken for', ([pattern, words]) => {
    const { json } = repository().coord('ann', 'reserve', pattern);
    expect({ result: json['result'], notes: json['notes'] }).toEqual({
      result: 'granted',
      notes: [expect.stringContaining(words)],
    });
  });

  test.for(['src/*.ts', 'src/[a-z]x', 'src/{a,b}', 'src', 'src/a'])(
    '%s is granted without one',
    (pattern) => {
      expect(repository().coord('ann', 'reserve', pattern).json['notes']).toBe(undefined);
    },
  );
});

describe('[U19] words and settings that do not exist', () => {
  test.for<readonly [string, string]>([
    ['unreserve', 'release'],
    ['ls', 'status'],
    ['init', 'install'],
    ['watch', 'log --follow'],
    ['version', '--version'],
    ['reserv', 'reserve'],
  ])('coord %s: did you mean %s', ([typed, meant]) => {
    expect(hint(repository(), typed)).toBe(`did you mean: coord ${meant}`);
  });

  test('the opposite is never offered', () => {
    expect(hint(repository(), 'unstatus')).toBe('coord --help lists them');
  });

  test('-v is the version', () => {
    expect(repository().coord(null, '-v').code).toBe(0);
  });

  test('a setting that is misspelt, on the command line and in the configuration', () => {
    const repo = repository();
    expect(hint(repo, '-c', 'coord.gracee=1m', 'status')).toBe('did you mean: coord.grace');
    repo.git('config', 'coord.tttl', '5m');
    const findings = repo.coord(null, 'doctor').json['checks'] as readonly {
      readonly says: string;
      readonly next?: string;
    }[];
    expect(findings.filter(({ says }) => says.includes('coord.tttl'))).toMatchObject([
      { next: expect.stringContaining('coord.ttl') },
    ]);
  });
});

describe('[U17] beads', () => {
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
