/** What stands in the source once, and what stands nowhere. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sourceFolder, sources } from '../support/sources.ts';

describe('the source', () => {
  test('the core knows the name of no harness, and durations stand in one file [SYS-7]', () => {
    expect(sources(join(sourceFolder, 'core')).join('\n')).not.toMatch(
      /claude|codex|gemini|cursor|copilot/i,
    );
    const shipped = readdirSync(sourceFolder)
      .filter((entry) => entry !== 'study' && !entry.endsWith('.ts'))
      .flatMap((entry) => sources(join(sourceFolder, entry)));
    for (const ms of ['900_000', '2_700_000', '120_000'])
      expect(
        shipped.filter((text) => text.includes(ms)),
        ms,
      ).toHaveLength(1);
  });

  test('no help text or example offers to skip tests [A1]', () => {
    expect(sources().join('\n')).not.toMatch(
      /skip(ping)? (the )?(tests?|hooks?|checks?)|--no-verify/i,
    );
  });
});
