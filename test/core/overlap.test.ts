/**
 * Which patterns have a path in common, and what counts as one spelling where the file system folds
 * them.
 */
import { expect, test } from 'vitest';
import {
  collide,
  covers,
  exactSpelling,
  type Folding,
  matches,
  overlaps,
} from '../../src/core/overlap.ts';
import { canonical, literal } from '../../src/core/pattern.ts';

const ignoringCase: Folding = { ignoreCase: true, composeUnicode: false };
const composing: Folding = { ignoreCase: false, composeUnicode: true };
const both: Folding = { ignoreCase: true, composeUnicode: true };

/** Either way round, the answer is the same. */
function meet(a: string, b: string, folding?: Folding): boolean {
  const [x, y] = [canonical(a), canonical(b)];
  expect(overlaps(y, x, folding)).toBe(overlaps(x, y, folding));
  return overlaps(x, y, folding);
}

test.for<readonly [a: string, b: string, path: string]>([
  ['a', 'a', 'a'],
  ['src/a.ts', 'src/*', 'src/a.ts'],
  ['src/a.ts', '**', 'src/a.ts'],
  ['src/lib.py', 'src/**', 'src/lib.py'],
  ['src/*.ts', 'src/a*', 'src/a.ts'],
  ['src/**/*.go', 'src/main.go', 'src/main.go'],
  ['src/[ab]/x.ts', 'src/a/*', 'src/a/x.ts'],
  ['**/*.md', 'docs/**', 'docs/x.md'],
  ['**/*.md', 'README.*', 'README.md'],
  ['**/a/**', '**/b/**', 'a/b/a/b'],
  ['a/**', '**/b', 'a/b'],
  ['a/**/z', '**/m/**', 'a/m/z'],
  ['a*', '*b', 'ab'],
  ['a*c', '*b*', 'abc'],
  ['*a*', '*b*', 'ab'],
  ['a?c', 'ab?', 'abc'],
  ['a/', 'a/b/', 'a/b/c'],
  ['*/', 'a/', 'a/b'],
  ['./a', 'b/../a', 'a'],
  ['{a,b}/x', '{b,c}/x', 'b/x'],
  ['{a,b}/{x,y}', 'b/y', 'b/y'],
  ['*.{ts,js}', 'a.*', 'a.js'],
  ['{a/b,c}/**', 'a/*/d', 'a/b/d'],
  ['[a-f]x', '[e-k]x', 'ex'],
  ['[!a]', '[!b]', 'c'],
  ['[!a]', '?', 'b'],
  ['.*', '*', '.a'],
  ['.github/**', '*/workflows/*', '.github/workflows/x'],
  ['app/\\[id\\]/*', 'app/*/page.tsx', 'app/[id]/page.tsx'],
  ['😀*', '?x', '😀x'],
  ['**/*', '**', 'a'],
  ['a/**/**', 'a/b', 'a/b'],
  ['***', 'a/b', 'a/b'],
  ['a**z', 'a*z', 'az'],
])('%j and %j overlap, in %j for one', ([a, b, path]) => {
  expect(meet(a, b)).toBe(true);
  expect(matches(canonical(a), path)).toBe(true);
  expect(matches(canonical(b), path)).toBe(true);
});

test.for<readonly [a: string, b: string]>([
  ['a', 'b'],
  ['a', 'a/b'],
  ['a', 'a/**'],
  ['a', 'A'],
  ['src/a.go', 'src/a.go.bak'],
  ['src/', 'src2/'],
  ['src/*', 'src2/*'],
  ['src/*', 'src/a/b'],
  ['src/*.ts', 'src/*.md'],
  ['**/*.md', 'src/*.ts'],
  ['**/*.md', 'src/**/*.ts'],
  ['*', '*/*'],
  ['*', 'a/**'],
  ['a*', 'b*'],
  ['*a', '*b'],
  ['a*b', 'a*c'],
  ['a?', 'a'],
  ['??', '?'],
  ['[a-f]x', '[g-k]x'],
  ['[!a]', 'a'],
  ['[ab]', '[!a-b]'],
  ['{a,b}/x', '{c,d}/x'],
  ['{a,b}/x', '{a,b}/y'],
  ['a/**/b', 'a/**/c'],
  ['a/*/**', 'a/b'],
  ['a**z', 'a/z'],
  ['\\*', 'a'],
  ['app/\\[id\\]/x', 'app/i/x'],
  ['(a|b)', 'a'],
  ['!x', 'y'],
  ['.a', 'a'],
  ['é', 'e\u0301'],
])('%j and %j have no path in common', ([a, b]) => {
  expect(meet(a, b)).toBe(false);
});

test.for<readonly [a: string, b: string, folding: Folding, overlap: boolean]>([
  ['README.md', 'readme.MD', exactSpelling, false],
  ['README.md', 'readme.MD', ignoringCase, true],
  ['README.md', 'readme.MD', composing, false],
  ['README.md', 'readme.MD', both, true],
  ['SRC/**', 'src/a.ts', ignoringCase, true],
  ['SRC/**', 'src/a.ts', exactSpelling, false],
  ['*.TS', 'a.ts', ignoringCase, true],
  ['{README,Makefile}*', 'makefile.am', ignoringCase, true],
  ['\\A', 'a', ignoringCase, true],
  ['ÄÖ', 'äö', ignoringCase, true],
  ['ЖУК', 'жук', ignoringCase, true],
  ['a', 'b', ignoringCase, false],
  ['A?C', 'abc', ignoringCase, true],
  ['A?C', 'abd', ignoringCase, false],
  ['caf\u00e9', 'cafe\u0301', exactSpelling, false],
  ['caf\u00e9', 'cafe\u0301', composing, true],
  ['caf\u00e9', 'cafe\u0301', ignoringCase, false],
  ['CAF\u00c9', 'cafe\u0301', composing, false],
  ['CAF\u00c9', 'cafe\u0301', both, true],
  ['caf?', 'cafe\u0301', composing, true],
  ['caf?', 'cafe\u0301', exactSpelling, false],
  ['caf[\u00e9]', 'cafe\u0301', composing, true],
  ['caf[e\u0301]', 'caf\u00e9', composing, true],
  ['\ud55c*', '\u1112\u1161\u11ab.txt', composing, true],
  ['caf\u00e9', 'cafe', composing, false],
])('%j and %j, folding %j: %s', ([a, b, folding, overlap]) => {
  expect(meet(a, b, folding)).toBe(overlap);
});

test.for<readonly [a: string, b: string, folding: Folding, answer: boolean]>([
  ['src', 'src', exactSpelling, true],
  ['src', 'src/a.ts', exactSpelling, true],
  ['src', 'src/a/b.ts', exactSpelling, true],
  ['src', 'src/**', exactSpelling, true],
  ['src', 'src/*.ts', exactSpelling, true],
  ['src', '**/*.ts', exactSpelling, false],
  ['src', '*/a.ts', exactSpelling, false],
  ['src/a', 'src/*/b', exactSpelling, false],
  ['src', '**/src', exactSpelling, true],
  ['src/a', 'src/*', exactSpelling, true],
  ['src', 'src2', exactSpelling, false],
  ['src', 'src2/a.ts', exactSpelling, false],
  ['src', 'src.ts', exactSpelling, false],
  ['src/a', 'src/b', exactSpelling, false],
  ['src/a', 'src/b/**', exactSpelling, false],
  ['src/*', 'src/a/b', exactSpelling, false],
  ['src/*', 'lib', exactSpelling, false],
  ['SRC', 'src/a.ts', exactSpelling, false],
  ['SRC', 'src/a.ts', ignoringCase, true],
  ['SRC', 'src/*.TS', ignoringCase, true],
  ['SRC', 'src2/a.ts', ignoringCase, false],
  ['caf\u00e9', 'cafe\u0301/x', composing, true],
  ['caf\u00e9', 'cafe\u0301/x', exactSpelling, false],
  [literal('app/[id]'), 'app/\\[id\\]/page.tsx', exactSpelling, true],
  [literal('app/[id]'), 'app/*/page.tsx', exactSpelling, false],
  [literal('app/[id]'), 'app/i/page.tsx', exactSpelling, false],
])("as leases, %j and %j, folding %j, stand in each other's way: %s", ([a, b, folding, answer]) => {
  expect(collide(canonical(a), canonical(b), folding)).toBe(answer);
  expect(collide(canonical(b), canonical(a), folding)).toBe(answer);
});

test.for<readonly [pattern: string, path: string, match: boolean]>([
  ['[abc]', 'B', true],
  ['[ABC]', 'b', true],
  ['[a-c]', 'B', true],
  ['[A-C]', 'b', true],
  ['[A-C]', 'd', false],
  ['[A-C]x', 'BX', true],
  ['[!a]', 'A', false],
  ['[!A]', 'a', false],
  ['[!A-C]', 'b', false],
  ['[!A-C]', 'D', true],
  ['[^A]', 'a', false],
  ['[A-_]', '_', true],
  ['[!A-_]', '_', false],
  ['[+-Z]', 'b', true],
  ['[+-Z]', '-', true],
  ['[A-z]', '_', true],
  ['[]A]', 'a', true],
  ['[]A]', ']', true],
  ['[A-]', '-', true],
  ['[A-]', 'a', true],
  ['[É]', 'é', true],
  ['{[A-C],x}y', 'bY', true],
  ['[Ab', '[aB', true],
  ['[Ab', 'a', false],
])('ignoring case, %j matches %j: %s', ([pattern, path, match]) => {
  expect(matches(canonical(pattern), path, ignoringCase)).toBe(match);
});

test.for<readonly [pattern: string, path: string]>([
  ['a', 'a'],
  ['*.ts', 'a.ts'],
  ['[ab]/**', 'b/x'],
  ['{a,b}', 'a'],
  [literal('app/[id]/page.tsx'), 'app/[id]/page.tsx'],
  [literal('{{name}}.hbs'), '{{name}}.hbs'],
  ['caf\u00e9', 'caf\u00e9'],
  ['cafe\u0301', 'cafe\u0301'],
])('no folding undoes that %j matches %j', ([pattern, path]) => {
  for (const folding of [exactSpelling, ignoringCase, composing, both])
    expect(matches(pattern, path, folding)).toBe(true);
});

test.for([
  'a*b',
  '[a]',
  '{a,b}',
  'a?',
  '**',
  'a\\b',
  '[',
  '{',
  'a]b}',
])('the path %j is a name for matches, not a pattern', (path) => {
  expect(matches(literal(path), path)).toBe(true);
  expect(matches('zz', path)).toBe(false);
  expect(matches('*', path)).toBe(true);
});

test('10,000 patterns later the answers are still the same', () => {
  for (let i = 0; i < 10_000; i += 1) {
    expect(overlaps(`d${i}/*.ts`, `d${i}/a*`)).toBe(true);
    expect(overlaps(`d${i}/*.ts`, `d${i + 1}/a*`)).toBe(false);
  }
  expect(overlaps('d0/*.ts', 'd0/a*')).toBe(true);
});

test.for<readonly [held: string, asked: string, answer: boolean]>([
  ['src/**', 'src/**', true],
  ['src/**', 'src/a.ts', true],
  ['src/**', 'src/a/**', true],
  ['src/*', 'src/a', true],
  ['src/*', 'src/a/**', false],
  ['src', 'src/a/b.ts', true],
  ['src', 'src/**', true],
  ['src/a.ts', 'src/**', false],
  ['src/a.ts', 'src', false],
  ['**', 'src/**', true],
  ['*/lib/**', 'x/lib/**', true],
  ['*/lib/**', 'x/**', false],
  ['src/**/[!b]*', 'src/**', false],
  ['src/**/?', 'src/a/**', false],
  ['**/?', 'src/**', false],
  ['{src/*,src/*/*}', 'src/**', false],
  ['src/**', 'src/*.ts', false],
])('%j covers %j: %s', ([held, asked, answer]) => {
  expect(covers(held, asked, exactSpelling)).toBe(answer);
});
