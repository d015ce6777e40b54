/** Settings in TOML, as people and programs write them. */
import { describe, expect, test } from 'vitest';
import { parseToml } from '../../src/adapter/toml.ts';

describe('what is read from TOML', () => {
  test.for<readonly [string, unknown]>([
    ['', {}],
    ['a = "b" # c\n', { a: 'b' }],
    ['[a."b.c"]\nd = true\n[a]\ne = \'f\'', { a: { 'b.c': { d: true }, e: 'f' } }],
    ['a.b . "c" = 1_000', { a: { b: { c: '1_000' } } }],
    ['a = { b = "x", "c" = { d = false } }', { a: { b: 'x', c: { d: false } } }],
    ['a = [ "x", # why\n  [1, 2],\n]\nb = true', { a: ['x', ['1', '2']], b: true }],
    ['a = """\n[b]\nc = "d" \\\n   e"""\nf = \'\'\'[g]\'\'\'', { a: '[b]\nc = "d" e', f: '[g]' }],
    ['a = "\\"\\\\\\u00e4\\t"', { a: '"\\ä\t' }],
    ['[[a]]\nb = "1"\n[[a]]\nc = "2"', { a: { c: '2' } }],
    ['a = 1979-05-27T07:32:00Z\r\n[b]\r\n', { a: '1979-05-27T07:32:00Z', b: {} }],
    ['__proto__ = "x"\n[constructor]\na = "y"', { ['__proto__']: 'x', constructor: { a: 'y' } }],
  ])('%j', ([text, value]) =>
    expect(JSON.parse(JSON.stringify(parseToml(text)))).toEqual(JSON.parse(JSON.stringify(value))));

  test.for(['a', '= 1', '[a', 'a = "b', 'a = [1', 'a = {b = 1', '[a] ]'])('%j is none', (text) =>
    expect(() => parseToml(text)).toThrow(SyntaxError));

  test('hostile text takes linear time', { timeout: 6_000 }, () => {
    for (const piece of [
      '[',
      'a.',
      '"',
      '"""',
      "'''",
      '[a]\n',
      'a = {',
      'a = [',
      '\\',
      '#',
      ' ',
      '"\\',
    ])
      try {
        parseToml(piece.repeat(20_000));
      } catch (error) {
        expect(error).toBeInstanceOf(SyntaxError);
      }
  });
});
