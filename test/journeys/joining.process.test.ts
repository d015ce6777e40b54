/**
 * A clone beside the log of its team: it notices, says so and grants nothing, and joins with one
 * command.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repository, run, type TestRepository } from '../support/repository.ts';

interface Team {
  /** In it ann holds src/a, on the log of origin. */
  readonly joined: TestRepository;
  /** Of the same origin, and nobody has said anything to coord. */
  readonly other: TestRepository;
}

function origin(): string {
  const repo = repository();
  const bare = join(repo.top, '../o.git');
  repo.git('init', '-q', '--bare', bare);
  return bare;
}

function clone(url: string): TestRepository {
  const repo = repository();
  repo.git('remote', 'add', 'origin', url);
  return repo;
}

function team(): Team {
  const url = origin();
  const [joined, other] = [clone(url), clone(url)];
  expect(joined.coord(null, 'remote', 'set', 'origin').code).toBe(0);
  expect(joined.coord('ann', 'reserve', 'src/a').code).toBe(0);
  return { joined, other };
}

/** The command after `coord`, as it is printed. */
function words(command: unknown): readonly string[] {
  return String(command).split(' ').slice(1);
}

describe('a clone that has not joined [U10]', () => {
  test('grants nothing beside the log of its remote, and joins with what it prints', () => {
    const { other } = team();
    for (const line of [
      ['reserve', 'src/a'],
      ['claim', 'bd-1'],
      ['lock', 'test'],
    ]) {
      const said = other.coord('bob', ...line);
      expect({ code: said.code, error: said.json['error'] }).toEqual({
        code: 69,
        error: {
          code: 'log_elsewhere',
          message: expect.stringContaining("'origin' has a log"),
          hint: 'coord remote set origin',
        },
      });
    }
    expect(other.text(null, 'status').stderr).toContain('coord remote set origin');
    expect(other.coord(null, 'status').json['leases']).toEqual([]);
    const { error } = other.coord('bob', 'reserve', 'src/a').json as {
      readonly error: { readonly hint: string };
    };
    expect(other.coord(null, ...words(error.hint)).code).toBe(0);
    expect(other.coord('bob', 'reserve', 'src/a').json['blockers']).toMatchObject([
      { agent: { name: 'ann' } },
    ]);
  });

  test('doctor says so', () => {
    const { other } = team();
    const { code, stdout } = other.coord(null, 'doctor');
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: expect.stringContaining('coord remote set origin'),
    });
  });

  test('a log that came to the remote later is noticed after a fetch, and what is held here goes along', () => {
    const url = origin();
    const [first, second] = [clone(url), clone(url)];
    expect(second.coord('bob', 'reserve', 'src/b').code).toBe(0);
    expect(first.coord(null, 'remote', 'set', 'origin').code).toBe(0);
    // It was asked a moment ago, and nothing has been fetched since.
    expect(second.coord('bob', 'reserve', 'src/d').code).toBe(0);
    second.git('fetch', '-q');
    const { hint } = second.coord('bob', 'reserve', 'src/c').json['error'] as {
      readonly hint: string;
    };
    expect(hint).toBe('coord remote set origin --move');
    expect(second.coord(null, ...words(hint)).json['carried']).toHaveLength(2);
    expect(first.coord('ann', 'check', 'src/b').json['result']).toBe('held');
  });

  test('what both sides hold is named, and the printed command joins without it', () => {
    const url = origin();
    const [first, second] = [clone(url), clone(url)];
    expect(second.coord('bob', 'reserve', 'src/a').code).toBe(0);
    expect(first.coord(null, 'remote', 'set', 'origin').code).toBe(0);
    expect(first.coord('ann', 'reserve', 'src/a').code).toBe(0);
    const refused = second.coord(null, 'remote', 'set', 'origin', '--move');
    expect({ code: refused.code, name: refused.json['blockers'][0].agent.name }).toEqual({
      code: 1,
      name: 'ann',
    });
    expect(second.coord('bob', 'reserve', 'src/b').code).toBe(0);
    const joined = second.coord(null, ...words(refused.json['next']));
    expect({
      code: joined.code,
      length: (joined.json['carried'] as readonly string[]).length,
    }).toEqual({ code: 0, length: 1 });
    expect(second.coord('bob', 'check', 'src/a').json['result']).toBe('held');
    expect(first.coord('ann', 'check', 'src/b').json['result']).toBe('held');
  });

  test("a remote that does not answer, or has no log, is in nobody's way", () => {
    const empty = clone(origin());
    expect(empty.coord('bob', 'reserve', 'src/a').code).toBe(0);
    const gone = clone('../nowhere.git');
    expect(gone.coord('bob', 'reserve', 'src/a').code).toBe(0);
  });

  test('a remote that has a log and falls silent is no reason to grant', () => {
    const { joined, other } = team();
    const url = joined.git('remote', 'get-url', 'origin').trim();
    expect(other.coord('bob', 'reserve', 'src/b').json['error'].code).toBe('log_elsewhere');
    renameSync(url, `${url}.away`);
    expect(other.coord('bob', 'reserve', 'src/b').json['error'].code).toBe('log_elsewhere');
  });

  test('a remote that does not answer is asked once, and once more after a fetch', () => {
    const gone = clone('../nowhere.git');
    const trace = join(gone.top, '../trace');
    const env = { ...gone.env, COORD_TRACE: trace };
    const asked = (): number => readFileSync(trace, 'utf8').split('"ls-remote"').length - 1;
    const reserve = (path: string): void =>
      expect(run(gone.top, env, ['--agent', 'bob', 'reserve', path]).code).toBe(0);
    reserve('a');
    reserve('b');
    expect(asked()).toBe(1);
    writeFileSync(join(gone.top, '.git/FETCH_HEAD'), '');
    reserve('c');
    reserve('d');
    expect(asked()).toBe(2);
  });

  test('the log is looked for where the remote is pushed to', () => {
    const { joined } = team();
    const there = joined.git('remote', 'get-url', 'origin').trim();
    const forked = clone(origin());
    expect(forked.coord('bob', 'reserve', 'src/b').code).toBe(0);
    forked.git('config', 'remote.origin.pushurl', there);
    expect(forked.coord('bob', 'reserve', 'src/c').json['error'].code).toBe('log_elsewhere');
  });

  test('the log of a repository that somebody works in is its own', () => {
    const colleague = repository();
    expect(colleague.coord('ann', 'reserve', 'src/a').code).toBe(0);
    expect(clone(colleague.top).coord('bob', 'reserve', 'src/a').code).toBe(0);
  });

  test('one that left on purpose keeps its own', () => {
    const { joined, other } = team();
    joined.coord('ann', 'release', '--all');
    for (const repo of [joined, other]) {
      expect(repo.coord(null, 'remote', 'off').code).toBe(0);
      expect(repo.coord('bob', 'reserve', 'src/a').code).toBe(0);
    }
  });
});

describe('URLs that git takes [B15]', () => {
  test.for(['../o.git', './../o.git', 'sub/o.git'])('%s, from the top of the work tree', (url) => {
    const repo = repository();
    mkdirSync(join(repo.top, 'sub'));
    repo.git('init', '-q', '--bare', join(repo.top, url));
    repo.git('remote', 'add', 'origin', url);
    repo.git('push', '-q', 'origin', 'HEAD');
    expect(repo.coord(null, 'remote', 'set', 'origin').code).toBe(0);
    expect(repo.coord('ann', 'reserve', 'src/a').code).toBe(0);
    expect(repo.git(`--git-dir=${join(repo.top, url)}`, 'rev-parse', 'refs/coord/log')).toMatch(
      /^[0-9a-f]{40}$/m,
    );
  });
});
