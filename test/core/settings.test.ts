/** Settings as git config has them. */
import { describe, expect, test } from 'vitest';
import { settingsFrom } from '../../src/core/settings.ts';

const withKey = (key: string, value: string): ReturnType<typeof settingsFrom> =>
  settingsFrom(new Map([[key, value]]));

describe("git's own words for yes and no", () => {
  test.for(['true', 'True', 'yes', 'on', '1', '2'])('%s is yes', (said) => {
    expect(withKey('core.ignorecase', said).folding.ignoreCase).toBe(true);
    expect(withKey('core.precomposeunicode', said).folding.composeUnicode).toBe(true);
    expect(withKey('coord.remoteview', said).remoteView).toBe(true);
  });

  test.for(['false', 'No', 'off', '0', ''])("'%s' is no", (said) => {
    expect(withKey('core.ignorecase', said).folding.ignoreCase).toBe(false);
    expect(withKey('core.precomposeunicode', said).folding.composeUnicode).toBe(false);
    expect(withKey('coord.remoteview', said).remoteView).toBe(false);
  });

  test('another word is refused, with those that are taken', () => {
    expect(() => withKey('coord.remoteview', 'maybe')).toThrow(/'maybe' for coord.remoteView/);
  });
});

test('patterns of folders that are linked are one or many; once they are set, only those', () => {
  expect(settingsFrom(new Map()).verifyLinks).toEqual(['**/node_modules']);
  expect(withKey('coord.verifylink', 'a{b,c} d e').verifyLinks).toEqual(['a{b,c}', 'd', 'e']);
  expect(withKey('coord.verifylink', '').verifyLinks).toEqual([]);
});

test('files for union are patterns, which together do not match everything', () => {
  expect(settingsFrom(new Map()).unionPaths).toEqual([]);
  expect(withKey('coord.union', '**/CHANGELOG.md docs//notes/').unionPaths).toEqual([
    '**/CHANGELOG.md',
    'docs/notes/**',
  ]);
  for (const all of ['**', '**/*', 'a {*,**/*}'])
    expect(() => withKey('coord.union', all)).toThrow(/coord.union would match every file/);
});
