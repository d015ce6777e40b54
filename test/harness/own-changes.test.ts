/** Whose changes are in a file: a session's own are no one else's, whatever became of them. */
import { describe, expect, test } from 'vitest';
import { cksum } from '../../src/core/cksum.ts';
import { expected, isExplained } from '../../src/harness/own-changes.ts';
import type { Known, Own } from '../../src/harness/read-note.ts';

const replace = (from: string, to: string, all = false): Own => ({
  kind: 'replace',
  path: '/f',
  from,
  to,
  all,
});
const known = (read: string, ...own: readonly Own[]): Known => ({
  sum: cksum(Buffer.from(read)),
  own,
  atMs: 1_000,
});
/** The file was last changed after, or before, the session said what it was about to do. */
const after = 2_000;
const before = 500;

describe('is it as the session knows it?', () => {
  test.for<readonly [string, Known, string, number, boolean]>([
    ['as it was read', known('a\nb\n'), 'a\nb\n', after, true],
    ['otherwise', known('a\nb\n'), 'a\nB\n', after, false],
    ['as it was edited', known('a\nb\n', replace('b', 'B')), 'a\nB\n', after, true],
    ['edited twice', known('a b', replace('a', 'x'), replace('b', 'y')), 'x y', after, true],
    ['edited over again', known('a', replace('a', 'b'), replace('b', 'c')), 'c', after, true],
    ['one edit failed', known('a b', replace('q', 'Q'), replace('b', 'y')), 'a y', after, true],
    ['an edit that never came', known('a', replace('a', 'b')), 'a', before, true],
    ['an edit that was undone', known('a', replace('a', 'b')), 'a', after, false],
    ['everywhere', known('a a', replace('a', 'b', true)), 'b b', after, true],
    ['what stands there twice by now', known('x a', replace('a', 'x')), 'x x', after, true],
    ['edited, and somebody else too', known('a b', replace('a', 'x')), 'x y', after, false],
    ['bytes that are no text', known('\u00ff a', replace('a', 'é')), '\u00ff é', after, true],
  ])('%s', ([, of, now, changedMs, is]) => {
    expect(isExplained(of, Buffer.from(now), changedMs)).toBe(is);
  });

  test('many edits that fit many places are given up, not tried for ever', () => {
    const many = Array.from({ length: 40 }, () => replace('a', 'b'));
    const started = performance.now();
    expect(isExplained(known('c', ...many), Buffer.from('b'.repeat(400)), after)).toBe(false);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

describe('what the session thinks is there', () => {
  const versions = ['old\n', 'a\nb\n'].map((text) => Buffer.from(text));

  test.for<readonly [string, Known, string | null]>([
    ['what it has read', known('a\nb\n'), 'a\nb\n'],
    ['with its edits', known('a\nb\n', replace('b', 'B')), 'a\nB\n'],
    ['what is nowhere any more', known('else'), null],
  ])('%s', ([, of, text]) => {
    expect(expected(of, versions)).toBe(text);
  });
});
