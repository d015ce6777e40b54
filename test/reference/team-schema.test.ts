/** Whoever writes `.coord.json` with its schema writes what counts, and nothing that does not. */
import { describe, expect, test } from 'vitest';
import { settingByKey } from '../../src/core/settings.ts';
import { teamFrom, teamKey, teamSettings } from '../../src/core/team.ts';
import { teamSchema } from './team-schema.ts';

const passes = (file: unknown): boolean => teamSchema.safeParse(file).success;

describe('the schema of a team file', () => {
  test.each(
    teamSettings.map((setting) => [teamKey(setting), setting] as const),
  )('knows %s, and what it is by default counts', (key, { usual, words, takes }) => {
    const value = takes.startsWith('a whole number')
      ? Number(usual)
      : words?.join() === 'true,false'
        ? usual === 'true'
        : usual;
    if (usual !== '') expect(teamFrom(JSON.stringify({ [key]: value })).problems).toEqual([]);
    if (usual !== '') expect(passes({ [key]: value })).toBe(true);
    expect(passes({ [key]: { no: 1 } })).toBe(false);
  });

  test('takes what a team says of the remote and the gate', () => {
    expect(
      passes({
        $schema: 'team.json',
        remote: 'origin',
        gate: { require: ['npm test', ['a', 'b']] },
      }),
    ).toBe(true);
  });

  test.each([
    { ttl: 15 },
    { union: [1] },
    { mode: 'both' },
    { unoin: 'x' },
    { remote: '--upload-pack=evil' },
    { gate: { require: 'npm test' } },
    ...[...settingByKey.values()]
      .filter(({ isOwn, name }) => isOwn === true && name !== 'coord.remote')
      .map((setting) => ({ [teamKey(setting)]: 'x' })),
  ])('refuses %j', (file) => {
    expect(passes(file)).toBe(false);
  });
});
