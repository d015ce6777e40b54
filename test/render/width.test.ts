/** How many columns a text takes, and where it is cut. */
import { describe, expect, test } from 'vitest';
import { cutEnd, cutMiddle, cutTo, padEnd, widthOf } from '../../src/render/width.ts';

describe('the width of a text', () => {
  test.each([
    ['', 0],
    ['src/a', 5],
    ['äöü', 3],
    ['日本語', 6],
    ['ｆｕｌｌ', 8],
    ['한글', 4],
    ['e\u0301', 1],
    ['\u0301', 0],
    ['🎉', 2],
    ['👨‍👩‍👧', 2],
    ['🇫🇷', 2],
    ['❤️', 2],
    ['❤', 1],
    ['5 * 3', 5],
    ['…', 1],
    ['→', 1],
  ])('of %j is %i', (text, width) => {
    expect(widthOf(text)).toBe(width);
  });
});

describe('a text that is cut', () => {
  test.each([
    ['abcdef', 4, 'abcd', 'abc…', 'ab…f'],
    ['日本語', 5, '日本', '日本…', '日…語'],
    ['日本語', 4, '日本', '日…', '日…'],
    ['🎉🎉🎉', 4, '🎉🎉', '🎉…', '🎉…'],
    ['e\u0301e\u0301e\u0301', 2, 'e\u0301e\u0301', 'e\u0301…', 'e\u0301…'],
    ['日本', 4, '日本', '日本', '日本'],
    ['ab', 0, '', '…', '…'],
  ])('%j to %i columns is whole characters', (text, columns, begin, end, middle) => {
    expect([cutTo(text, columns), cutEnd(text, columns), cutMiddle(text, columns)]).toEqual([
      begin,
      end,
      middle,
    ]);
  });

  test('is filled up by columns', () => {
    expect(padEnd('日', 4)).toBe('日  ');
  });
});
