/** Rows of the reviews that need the guard, or more than one verb at once. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createCoord, matches } from '../../src/index.ts';
import { eventually, repository } from '../support/repository.ts';
import { checkout, session } from '../support/sessions.ts';

const source = join(import.meta.dirname, '../../src');
const sources = (): string =>
  readdirSync(source, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(source, name), 'utf8'))
    .join('\n');

describe('the synthesis, with commits', () => {
  test('SYN-H5: the same request sent again has one effect, another for the same thing is refused: a nonce tells them apart', async () => {
    const repo = repository();
    const nonce = '0123456789abcdef0123456789abcdef';
    const ann = createCoord({ cwd: repo.top, agent: 'ann', env: repo.env });
    const [first, again] = [await ann.reserve('a', { nonce }), await ann.reserve('a', { nonce })];
    expect(first['leases']).toEqual(again['leases']);
    expect(repo.git('log', '--format=%s', 'refs/coord/log').match(/reserved/g)).toEqual([
      'reserved',
    ]);
    expect(
      (await createCoord({ cwd: repo.top, agent: 'bob', env: repo.env }).reserve('a')).ok,
    ).toBe(false);
  });

  test('ARC-3.1 ARC-C1: a transfer conflicts like a grant: it is refused where the receiver stands against a third', () => {
    const repo = repository();
    const lease = repo.coord('ann', 'reserve', 'a', '--shared').json['leases'][0].id;
    repo.coord('bob', 'reserve', 'b');
    expect(repo.coord('ann', 'transfer', lease, '--to', 'nobody-known').json['ok']).toBe(false);
    expect(
      repo.coord('ann', 'transfer', lease, '--to', 'bob', '--reason', 'yours').json['leases'][0],
    ).toMatchObject({ id: lease, agent: { name: 'bob' } });
    expect(repo.coord('ann', 'check', 'a').json['result']).toBe('held');
  });

  test('ARC-2.4 ARC-C3: reserve, check, release by pattern and the guard agree, because one matcher serves them', () => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    const pattern = 'src/{a,[bc]}';
    ann.coord('reserve', pattern);
    for (const path of ['src/a', 'src/b', 'src/c', 'src/d', 'src/e']) {
      const held = matches(pattern, path);
      expect(bob.coord('check', path).json['result'] === 'held', path).toBe(held);
      bob.edit(path);
      expect(bob.git('commit', '-q', '-m', path).code !== 0, path).toBe(held);
      bob.git('reset', '-q');
    }
    expect(ann.coord('release', pattern).code).toBe(0);
    expect(sources().match(/from 'picomatch'|minimatch|fnmatch/g)).toBeNull();
  });

  test('ARC-2.6 ARC-C5: where coord ran and said no, the installed hook never says yes', () => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    ann.coord('reserve', 'src/a');
    bob.edit('src/a');
    const head = repo.git('rev-parse', 'HEAD');
    for (const more of [[], ['--no-verify'], ['-a'], ['--amend', '--no-edit'], ['--allow-empty']])
      expect(bob.git('commit', '-q', '-m', 'x', ...more).code, more.join(' ')).not.toBe(0);
    expect(repo.git('rev-parse', 'HEAD')).toBe(head);
  });

  test('SYN-M3 F-CORR-M3: check is advice and takes nothing: what it called free may be gone by the time it is reserved', () => {
    const repo = repository();
    expect(repo.coord('bob', 'check', 'a').json['result']).toBe('free');
    expect(repo.git('for-each-ref', 'refs/coord')).toBe('');
    repo.coord('ann', 'reserve', 'a');
    expect(repo.coord('bob', 'reserve', 'a').json['result']).toBe('refused');
  });

  test("F-SAFE-7 SYS-4: nobody's branch is pulled, rebased, merged or reset by coord", () => {
    expect(sources()).not.toMatch(
      /\b(runGit|runPlain|git|gitWithIndex)\([^\n]*'(pull|rebase|merge|reset|stash|checkout|switch)'/,
    );
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    ann.edit('src/a');
    ann.git('commit', '-q', '-m', 'x');
    const before = repo.git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads');
    bob.coord('stage', 'refresh');
    bob.coord('status');
    expect(repo.git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads')).toBe(
      before,
    );
  });
});

describe('the mitigations', () => {
  test('Mitigations: with coord.mode=sequential one claim stands at a time, and the next one waits its turn', async () => {
    const repo = repository();
    repo.git('config', 'coord.mode', 'sequential');
    expect(repo.coord('ann', 'claim', 'bd-1').code).toBe(0);
    const refused = repo.coord('bob', 'claim', 'bd-2').json;
    expect({ kind: refused['refusal'].kind, bead: refused['blockers'][0].bead }).toEqual({
      kind: 'held',
      bead: 'bd-1',
    });
    expect(repo.coord('bob', 'reserve', 'src/').code).toBe(0);
    const waiting = repo.start('bob', ['claim', 'bd-2', '--wait', '30s']);
    await eventually(
      'bob stands in line',
      () => repo.coord(null, 'status').json['waits'].length === 1,
    );
    repo.coord('ann', 'unclaim', 'bd-1');
    expect((await waiting.ended).json['result']).toBe('granted');
    expect(repo.coord('ann', 'claim', 'bd-1', '-c', 'coord.mode=parallel').code).toBe(0);
    expect(repo.coord('ann', 'claim', 'bd-3', '-c', 'coord.mode=both').json['error'].code).toBe(
      'bad_setting',
    );
  });
});
