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
