/** What a tool is about to do to a file, as its program does it. */
import { expect, test } from 'vitest';
import { planned } from '../../../src/core/lines/planned.ts';

const file = ['one\n', 'two\n', 'three\n', 'two and more\n'];
const change = { kind: 'replace', path: 'a', to: '', all: false } as const;

test('a text that stands there twice is not known to be meant', () => {
  expect(planned(file, [{ ...change, from: 'two' }])).toBe(null);
});

test.for<readonly [string, boolean, readonly string[]]>([
  ['an empty line stays', false, ['\n']],
  ['the line goes, where the program takes its end as well', true, []],
])('of a line whose text is taken away %s', ([, takesLineEnd, lines]) => {
  const [steps] = planned(file, [{ ...change, from: 'three', takesLineEnd }]) ?? [];
  expect(steps).toEqual([{ start: 2, end: 3, lines }]);
});

test('a part of a line, or a line with its end, is what it says', () => {
  for (const from of [' and', 'three\n']) {
    const say = (takesLineEnd: boolean) => planned(file, [{ ...change, from, takesLineEnd }]);
    expect(say(true)).toEqual(say(false));
  }
});
