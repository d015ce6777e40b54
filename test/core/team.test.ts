/** What counts of a team's file, and what does not. */
import { describe, expect, test } from 'vitest';
import { settingByKey } from '../../src/core/settings.ts';
import { teamFrom, teamKey, teamSettings } from '../../src/core/team.ts';

const read = (file: unknown) => teamFrom(JSON.stringify(file));

describe("a team's file", () => {
  test('says settings as git config has them, lists and numbers too', () => {
    const { settings, remote, problems } = read({
      $schema: 'team.json',
      ttl: '20m',
      editmode: 'exclusive',
      commitRate: 5,
      union: ['CHANGELOG.md', 'docs/*.md'],
      presets: ['test=npm test', 'install!=npm ci'],
      remote: 'origin',
      gate: { require: ['npm test'] },
    });
    expect(problems).toEqual([]);
    expect(remote).toBe('origin');
    expect(Object.fromEntries(settings)).toEqual({
      'coord.ttl': '20m',
      'coord.editmode': 'exclusive',
      'coord.commitrate': '5',
      'coord.union': 'CHANGELOG.md docs/*.md',
      'coord.presets': 'test=npm test; install!=npm ci',
    });
  });

  test.each([
    [{ ttl: 'soon' }, 'ttl', /duration/],
    [{ ttl: {} }, 'ttl', /another kind/],
    [{ union: ['**'] }, 'union', /every file/],
    [{ union: ['a*', 7] }, 'union', /another kind/],
    [{ remote: '--upload-pack=evil' }, 'remote', /no name of a remote/],
    [{ unoin: 'x' }, 'unoin', /no such setting/],
    [{ onError: 'warn' }, 'onError', /each user/],
    [{ offline: 'advisory' }, 'offline', /each user/],
    [{ sign: 'off' }, 'sign', /each user/],
    [{ tracker: 'auto' }, 'tracker', /each user/],
  ])('%j counts for nothing, and the rest does', (file, key, says) => {
    const { settings, problems } = read({ ...file, grace: '30s' });
    expect([...settings]).toEqual([['coord.grace', '30s']]);
    expect(problems).toMatchObject([{ key, says: expect.stringMatching(says) }]);
  });

  test.each(['', '[]', 'null', '{"ttl": }', '"ttl"'])('%j is no such file', (text) => {
    const { settings, problems } = teamFrom(text);
    expect(settings.size).toBe(0);
    expect(problems).toMatchObject([{ key: null }]);
  });

  test("can say every setting but those that are each user's own", () => {
    const own = [...settingByKey.values()].filter((one) => !teamSettings.includes(one));
    expect(own.map(teamKey).toSorted()).toEqual([
      'agentTeams',
      'allow',
      'offline',
      'onError',
      'remote',
      'sign',
      'statusline',
      'tracker',
      'workRoot',
    ]);
    for (const setting of teamSettings) {
      if (setting.usual === '') continue;
      const { settings, problems } = read({ [teamKey(setting)]: setting.usual });
      expect(problems).toEqual([]);
      expect([...settings.keys()]).toEqual([setting.name.toLowerCase()]);
    }
  });
});
