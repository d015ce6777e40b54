/** Settings of a user, a repository and a team, as `coord config` shows and changes them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repository, type TestRepository } from '../../support/repository.ts';

const settingOf = (repo: TestRepository, key: string): unknown =>
  repo.coord(null, 'config', key).json['setting'];

describe('coord config', () => {
  test('says what each setting is here, and where that comes from', () => {
    const repo = repository();
    repo.git('config', 'coord.grace', '30s');
    repo.write('.coord.json', '{"ttl": "20m", "grace": "1m"}\n');
    const { settings } = repo.coord(null, 'config').json;
    const found = (key: string) => settings.find((one: { key: string }) => one.key === key);
    expect(found('coord.ttl')).toMatchObject({ value: '20m', origin: 'file:.coord.json' });
    expect(found('coord.grace')).toMatchObject({
      value: '30s',
      origin: expect.stringMatching(/^file:.*\.git\/config$/),
    });
    expect(found('coord.mode')).toMatchObject({ value: 'parallel', origin: 'default' });
    expect(repo.text(null, 'config', 'ttl')).toMatchObject({ code: 0, stdout: '20m\n' });
  });

  test('what a team says holds for a lease, and what git config says goes before it', () => {
    const repo = repository();
    repo.write('.coord.json', '{"ttl": "20m"}\n');
    expect(repo.coord('ann', 'reserve', 'a').json['leases']).toMatchObject([{ ttl: 1_200 }]);
    repo.git('config', 'coord.ttl', '10m');
    expect(repo.coord('ann', 'reserve', 'b').json['leases']).toMatchObject([{ ttl: 600 }]);
  });

  test('sets and takes out, for a repository, a user and a team', () => {
    const repo = repository();
    for (const [flags, value] of [
      [['--team'], '11m'],
      [['--global'], '12m'],
      [[], '13m'],
    ] as const) {
      expect(repo.coord(null, 'config', ...flags, 'ttl', value).code).toBe(0);
      expect(settingOf(repo, 'coord.ttl')).toMatchObject({ value });
    }
    expect(repo.git('config', '--local', 'coord.ttl')).toBe('13m\n');
    for (const [flags, value] of [
      [[], '12m'],
      [['--global'], '11m'],
      [['--team'], '15m'],
    ] as const) {
      expect(repo.coord(null, 'config', ...flags, 'ttl', '--unset').code).toBe(0);
      expect(settingOf(repo, 'ttl')).toMatchObject({ value });
    }
  });

  test("keeps what else stands in a team's file, and writes over none that is broken", () => {
    const repo = repository();
    repo.write('.coord.json', '{\n    "gate": {"require": ["npm test"]}\n}\n');
    repo.coord(null, 'config', '--team', 'union', 'CHANGELOG.md', 'docs/*.md');
    const text = readFileSync(join(repo.top, '.coord.json'), 'utf8');
    expect(JSON.parse(text)).toEqual({
      gate: { require: ['npm test'] },
      union: ['CHANGELOG.md', 'docs/*.md'],
    });
    repo.write('.coord.json', 'no JSON');
    expect(repo.coord(null, 'config', '--team', 'ttl', '5m').json).toMatchObject({ ok: false });
    expect(readFileSync(join(repo.top, '.coord.json'), 'utf8')).toBe('no JSON');
  });

  test.each([
    [['tttl'], /did you mean: coord config coord.ttl/],
    [['ttl', 'soon'], /not a duration/],
    [['ttl', '5m', '6m'], /takes one value/],
    [['ttl', '5m', '--unset'], /takes no value/],
    [['ttl', '5m', '--team', '--global'], /two places/],
    [['onError', 'warn', '--team'], /not for a team/],
    [['union', '**', '--team'], /every file/],
  ])('%j is refused with what to write instead', (words, says) => {
    const repo = repository();
    const { code, stderr } = repo.text(null, 'config', ...words);
    expect(code).toBe(64);
    expect(stderr).toMatch(says);
    expect(repo.text(null, 'doctor').stdout).not.toMatch(/^fail {2}settings/m);
  });

  test("doctor names what counts for nothing in a team's file, and a broken one stops nobody", () => {
    const repo = repository();
    repo.write('.coord.json', '{"unoin": "x", "onError": "warn", "grace": "30s"}\n');
    const { stdout } = repo.text(null, 'doctor');
    expect(stdout).toMatch(/'unoin' in \.coord\.json counts for nothing[^]*did you mean: union/);
    expect(stdout).toMatch(/'onError' in \.coord\.json counts for nothing/);
    repo.write('.coord.json', '{');
    expect(repo.coord('ann', 'reserve', 'a').code).toBe(0);
    expect(repo.coord(null, 'doctor').code).toBe(1);
  });
});
