/**
 * Surroundings that lack something: coord says what, with its own exit code, and works again
 * afterwards.
 */
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mute } from '../support/aftermath.ts';
import { commonDir } from '../support/gate.ts';
import { leasesAt } from '../support/log-check.ts';
import {
  coordProgram,
  type Ran,
  repository,
  runAsync,
  type TestRepository,
} from '../support/repository.ts';

const timeout = 120_000;

/** coord as a command line, with something before it. */
function under(
  repo: TestRepository,
  before: readonly string[],
  args: readonly string[],
  env = repo.env,
): Promise<Ran> {
  return runAsync(
    [...before, process.execPath, coordProgram, '--agent', 'alice', '--json', ...args],
    repo.top,
    env,
  );
}

function limited(limit: string): readonly string[] {
  return ['sh', '-c', `ulimit ${limit} && exec "$@"`, 'sh'];
}

/** Root may write everywhere; without its capabilities the permissions of files hold for it too. */
const asMortal: readonly string[] =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all', '--'] : [];

function changeModes(folder: string, change: (mode: number) => number): void {
  for (const name of ['', ...readdirSync(folder, { recursive: true }).map(String)]) {
    const file = join(folder, name);
    chmodSync(file, change(statSync(file).mode & 0o777));
  }
}

describe('surroundings that lack something', () => {
  test(
    'a read-only repository: 69 not_writable, what only reads works, and it is granted once it may write',
    { timeout },
    async () => {
      const repo = repository();
      repo.coord('bob', 'reserve', 'src/b.ts');
      changeModes(commonDir(repo), (mode) => mode & 0o555);
      const refused = await under(repo, asMortal, ['reserve', 'src/a.ts']);
      expect(refused.code).toBe(69);
      expect(refused.json['error'].code).toBe('not_writable');
      expect(refused.json['error'].message).toEqual(expect.stringContaining(commonDir(repo)));
      const read = await under(repo, asMortal, ['check', 'src/b.ts']);
      expect({ code: read.code, result: read.json['result'] }).toEqual({ code: 1, result: 'held' });
      const listed = await under(repo, asMortal, ['status']);
      expect({ code: listed.code, length: listed.json['leases'].length }).toEqual({
        code: 0,
        length: 1,
      });
      changeModes(commonDir(repo), (mode) => mode | 0o200);
      expect((await under(repo, asMortal, ['reserve', 'src/a.ts'])).json['result']).toBe('granted');
    },
  );

  test(
    'a repository in which no file may grow: 69 not_writable, nothing changed, and then it is granted',
    { timeout },
    async () => {
      const repo = repository();
      repo.coord('bob', 'reserve', 'src/b.ts');
      const tip = repo.git('rev-parse', 'refs/coord/log');
      const refused = await under(repo, limited('-f 0'), ['reserve', 'src/a.ts']);
      expect(refused.code).toBe(69);
      expect(refused.json['error'].code).toBe('not_writable');
      expect(repo.git('rev-parse', 'refs/coord/log')).toBe(tip);
      expect(repo.coord('alice', 'reserve', 'src/a.ts').json['result']).toBe('granted');
    },
  );

  test('64 open files: granted, renewed and released', { timeout }, async () => {
    const repo = repository();
    const results = [];
    for (const args of [['reserve', 'src/a.ts'], ['renew'], ['release', '--all']])
      results.push((await under(repo, limited('-n 64'), args)).json['result']);
    expect(results).toEqual(['granted', 'renewed', 'released']);
  });

  test('no HOME, no user and no temporary folder: granted', { timeout }, async () => {
    const repo = repository();
    const { code, json, stderr } = await under(repo, [], ['reserve', 'src/a.ts'], {
      PATH: repo.env['PATH'] ?? '',
    });
    expect({ code, result: json['result'], stderr }).toEqual({
      code: 0,
      result: 'granted',
      stderr: '',
    });
    expect(leasesAt(repo).map(({ agent }) => agent.name)).toEqual(['alice']);
  });

  test('no git on PATH: 69 git_missing', { timeout }, async () => {
    const repo = repository();
    const { code, json } = await under(repo, [], ['reserve', 'src/a.ts'], {
      ...repo.env,
      PATH: join(repo.top, 'nothing'),
    });
    expect(code).toBe(69);
    expect(json['error'].code).toBe('git_missing');
  });
});

describe('planted bug: the check of what coord says finds', () => {
  test.for([
    [
      'an end without a word',
      { code: 69, stdout: '', stderr: 'boom', json: {} },
      ['no JSON: exit 69, boom'],
    ],
    [
      'a failure that has no code',
      { code: 69, stdout: '{}', stderr: '', json: { schema: 'coord.reserve/1', ok: false } },
      ['no error: exit 69, {}'],
    ],
    [
      'a bug that is called one',
      {
        code: 70,
        stdout: '{}',
        stderr: '',
        json: { schema: 'coord.reserve/1', error: { code: 'bug', message: 'unexpected' } },
      },
      ['no error: exit 70, {}'],
    ],
  ] as const)('%s', ([, ran, found]) => {
    expect(mute(ran)).toEqual(found);
  });
});
