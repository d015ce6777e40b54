/** Lines for a terminal, broken between words. */
import { describe, expect, test } from 'vitest';
import { hanging, wrapped } from '../../src/render/wrap.ts';

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

  test.each([
    ['note: run `coord remote set origin` once in every clone', '`coord remote set origin`'],
    ['note: (`coord rescue list`) says what is kept', '(`coord rescue list`)'],
    [
      'note: without an answer you may: coord break x --reason "<why>"',
      'coord break x --reason "<why>"',
    ],
    ['note: run it once: git config coord.ttl 45m; leases cost less', 'git config coord.ttl 45m;'],
  ])('%j keeps its command whole', (line, whole) => {
    for (let width = 10; width < 70; width += 1)
      expect(hanging(line, width).filter((one) => one.includes(whole))).toHaveLength(1);
    expect(
      hanging(line, 20)
        .map((one) => one.trim())
        .join(' '),
    ).toBe(line);
  });

  test.each([
    '    coord reserve src/login/form.ts --wait 2m',
    '  $ git commit -m "a long message"',
    '  COORD_AGENT=ann git push origin main',
  ])('%j stays whole: it is a command', (line) => {
    expect(hanging(line, 20)).toEqual([line]);
  });

  test('with wide characters is not wider than the terminal', () => {
    expect(hanging('日本語 日本語 日本語', 14)).toEqual(['日本語 日本語', '  日本語']);
  });
});

test('text is broken the same way, with what stands before each line', () => {
  expect(wrapped('one two `three four` five', 12, '- ', '  ')).toEqual([
    '- one two',
    '  `three four`',
    '  five',
  ]);
  expect(wrapped('', 12, '- ')).toEqual(['- ']);
});
