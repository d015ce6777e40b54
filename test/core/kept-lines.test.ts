/** What a text would take back of what others have changed since it was begun. */
import { describe, expect, test } from 'vitest';
import { lossesOf } from '../../src/core/kept-lines.ts';
import { seeded } from '../../src/study/remote-chance.ts';

const text = (lines: string): string =>
  lines
    .split(' ')
    .filter((line) => line !== '')
    .map((line) => `${line}\n`)
    .join('');

/** `-x3`: line 3, x, would be lost; `+x3`: x would come back before line 3. */
function said(read: string | null, now: string, next: string): string {
  return lossesOf(read === null ? null : text(read), text(now), text(next))
    .map(({ kind, at, text: line }) => `${kind === 'lost' ? '-' : '+'}${line}${at}`)
    .join(' ');
}

describe('read, now, next', () => {
  test.for<readonly [string, string | null, string, string, string]>([
    ['nothing changed', 'a b', 'a b', 'a c', ''],
    ['an added line is dropped', 'a b', 'a x b', 'a b y', '-x2'],
    ['an added line is kept', 'a b', 'a x b', 'a x b y', ''],
    ['both append, and the writer knows it', 'a', 'a x', 'a x y', ''],
    ['both append, and the writer does not', 'a', 'a x', 'a y', '-x2'],
    ['a changed line is changed back', 'a b c', 'a B c', 'a b c', '-B2 +b2'],
    ['a changed line is changed further', 'a b c', 'a B c', 'a D c', '-B2'],
    ['a line that was taken out comes back', 'a b c', 'a c', 'a b c', '+b2'],
    ['a line that was taken out stays out', 'a b c', 'a c', 'a c d', ''],
    ['the writer takes out what it has read', 'a b c', 'a b c x', 'a c x', ''],
    ['two lines change places, and back', 'a b', 'b a', 'a b', '+a1 -a2'],
    ['a line is said twice, and once again', 'a z', 'a a z', 'a z', '-a2'],
    ['a repeated line moves', 'a b a c', 'a b c', 'a b a c', '+a3'],
    ['all of it is taken out', 'a b', '', 'a b', '+a1 +b1'],
    ['all of it is new', '', 'a b', 'c', '-a1 -b2'],
    ['a brace of its own is no line of theirs', 'f } g }', 'g }', 'g } h }', ''],
    ['a brace that was taken out for itself', 'f } }', 'f }', 'f } }', '+}3'],
    ['nothing is known', null, 'a b', 'a c', '-b2 +c3'],
    ['nothing is known, and it is the same', null, 'a b', 'a b', ''],
  ])('%s', ([, read, now, next, losses]) => {
    expect(said(read, now, next)).toBe(losses);
  });

  test('a last line without its end', () => {
    expect(lossesOf('a\nb', 'a\nx\nb', 'a\nb\nc\n')).toEqual([{ kind: 'lost', at: 2, text: 'x' }]);
  });
});

describe('of changes made by chance to lines that are all different', () => {
  const change = (lines: readonly string[], by: string, next: () => number): readonly string[] => {
    const at = Math.floor(next() * (lines.length + 1));
    const drop = next() < 0.5 ? 1 : 0;
    const add = next() < 0.6 || drop === 0 ? [`${by}${Math.floor(next() * 1e6)}`] : [];
    return [...lines.slice(0, at), ...add, ...lines.slice(at + drop)];
  };

  test('what is dropped is seen, and a text made of what is there now is never refused', () => {
    const next = seeded(7);
    for (let i = 0; i < 4_000; i += 1) {
      const read = Array.from({ length: Math.floor(next() * 8) }, (_, n) => `line${n}`);
      const now = change(change(read, 'theirs', next), 'theirs', next);
      const stale = change(read, 'mine', next);
      const losses = lossesOf(read.join('\n'), now.join('\n'), stale.join('\n'));
      const lost = now.filter((line) => !read.includes(line) && !stale.includes(line));
      const back = read.filter((line) => !now.includes(line) && stale.includes(line));
      expect(losses.filter(({ kind }) => kind === 'lost').map((one) => one.text)).toEqual(lost);
      expect(losses.filter(({ kind }) => kind === 'back').map((one) => one.text)).toEqual(back);
      const at = Math.floor(next() * (now.length + 1));
      const merged = [...now.slice(0, at), 'mine', ...now.slice(at)];
      expect(lossesOf(read.join('\n'), now.join('\n'), merged.join('\n'))).toEqual([]);
    }
  });

  test('two texts of thousands of lines that have little in common are still compared', () => {
    const lines = (name: string): string =>
      Array.from({ length: 9_000 }, (_, i) => `${name}${i}\n`).join('');
    expect(lossesOf(lines('a'), lines('b'), lines('a')).length).toBeGreaterThanOrEqual(9_000);
    expect(
      lossesOf(lines('a'), `${lines('a')}x\n`, `x\n${lines('a')}`).map(({ text }) => text),
    ).toContain('x');
  });
});
