/** Lines for a terminal, broken between words. */
import { describe, expect, test } from 'vitest';
import { hanging } from '../../src/render/wrap.ts';

describe('a line that is wider than the terminal', () => {
  test('is broken between words, further in from its second line on', () => {
    expect(
      hanging('  src/a, held by ann (k9pnemh0) for 12s (idle 12s), expires in 15m', 40),
    ).toEqual(['  src/a, held by ann (k9pnemh0) for 12s', '    (idle 12s), expires in 15m']);
  });

  test('keeps the gaps of its columns', () => {
    expect(hanging('   1  2026-11-20  ann took lock deploy', 30)).toEqual([
      '   1  2026-11-20  ann took',
      '     lock deploy',
    ]);
  });

  test('stays whole where it is a command to copy, or one word', () => {
    const next = '  next: coord reserve --wait 2m src/login/form.ts';
    expect(hanging(next, 20)).toEqual([next]);
    expect(hanging('a'.repeat(50), 20)).toEqual(['a'.repeat(50)]);
  });

  test('that fits stays as it is', () => {
    expect(hanging('granted  src/a', 14)).toEqual(['granted  src/a']);
  });
});
