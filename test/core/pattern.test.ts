/**
 * How a pattern is written: what each part of the syntax matches, and the one spelling it is kept
 * in.
 */
import { expect, test } from 'vitest';
import { matchEverything, matches } from '../../src/core/overlap.ts';
import { canonical, compile, literal, pathOf } from '../../src/core/pattern.ts';

/** A pattern, paths that it matches and paths that it does not, each list cut at its spaces. */
type Row = readonly [pattern: string, yes: string, no: string];

const syntax: readonly Row[] = [
  ['a', 'a', 'b aa A a/a'],
  ['*', 'a ab .a a.b', 'a/b .a/b'],
  ['a*', 'a ab abc a.b', 'ba b a/b'],
  ['*a', 'a ba .a', 'ab b/a'],
  ['a*b', 'ab aab abb a.b', 'a b aba a/b'],
  ['a**b', 'ab axb', 'a/b a/x/b'],
  ['**a', 'a ba', 'b/a'],
  ['a**', 'a ab', 'a/b'],
  ['*.ts', 'a.ts .ts .d.ts', 'ts a.tsx src/a.ts'],
  ['?', 'a é 😀', 'ab a/b'],
  ['a?b', 'axb a.b a?b', 'ab axxb a/b'],
  ['???', 'abc 日本語 😀😀😀', '日本 abcd a/c'],
  ['*.*', 'a.b .a a.', 'a a/b.c'],
  ['**', 'a a/b .a a/.b/c', ''],
  ['**/*', 'a a/b .a/b', ''],
  ['***', 'a a/b', ''],
  ['**/a', 'a b/a b/c/a .x/a', 'ab b/ab a/b'],
  ['a/**', 'a/b a/b/c a/.b', 'a b ab/c'],
  ['a/***', 'a/b a/b/c', 'a'],
  ['a/**/**', 'a/b a/b/c', 'a'],
  ['a/**/b', 'a/b a/x/b a/x/y/b', 'ab a/xb a/b/c'],
  ['a/**/*/b', 'a/x/b a/x/y/b', 'a/b'],
  ['a/*/**', 'a/b/c a/b/c/d', 'a a/b'],
  ['**/a/**', 'a/b x/a/b x/a/y/b', 'a x/a'],
  ['**/*.ts', 'a.ts a/b.ts', 'ts a/b.tsx'],
  ['src/*', 'src/a src/.a', 'src src/a/b'],
  ['src/', 'src/a src/a/b src/.a', 'src srca src2/a'],
  ['*/', 'a/b a/b/c', 'a'],
];

const classes: readonly Row[] = [
  ['[abc]', 'a b c', 'd ab A ['],
  ['[a-c]', 'a b c', 'd - A'],
  ['[a-c0-2]', 'a 0 2', '3 d -'],
  ['[!a]', 'b ! é', 'a bb b/c'],
  ['[^a]', 'b ^', 'a'],
  ['[!a-c]', 'd -', 'a b c'],
  ['[]a]', '] a', 'b []'],
  ['[!]a]', 'b [', '] a'],
  ['[a-]', 'a -', 'b'],
  ['[-a]', 'a -', 'b'],
  ['[a-c-e]', 'a b c - e', 'd'],
  ['[!-a]', 'b', '- a'],
  ['[*?]', '* ?', 'a'],
  ['[a!]', 'a !', 'b'],
  ['[a^]', 'a ^', 'b'],
  ['[[]', '[', 'a ]'],
  ['[\\]]', '] ', '\\ a'],
  ['[\\\\]', '\\', 'a'],
  ['[\\a-\\c]', 'a b c', '\\ d'],
  ['[a\\-c]', 'a - c', 'b'],
  ['[é-ü]', 'é ü ó', 'e u'],
  ['[😀-😂]', '😀 😁', '😃 a'],
  ['x[!a]y', 'xby x.y', 'xay x/y xy'],
  ['x[+--]y', 'x+y x,y x-y', 'x/y x.y'],
  ['x[.-0]', 'x. x0', 'x1 x- x/'],
  ['a[b', 'a[b', 'ab'],
  ['[', '[', 'a'],
  ['[]', '[]', '[ ]'],
  ['[!]', '[!]', '! a'],
  ['[a/b]', '[a/b]', 'a b'],
  ['[!/]', '[!/]', 'a'],
  [']', ']', 'a'],
  ['a]', 'a]', 'a'],
];

const braces: readonly Row[] = [
  ['{a,b}', 'a b', 'c ab {a,b}'],
  ['x{a,b}y', 'xay xby', 'xy xaby'],
  ['{a,b}{c,d}', 'ac ad bc bd', 'ab cd'],
  ['x{,a}', 'x xa', 'a'],
  ['x{a,}', 'x xa', 'a'],
  ['x{a,,b}', 'x xa xb', 'xab'],
  ['{a,{b,c}}', 'a b c', '{b bc'],
  ['{a{b,c},d}', 'ab ac d', 'a b'],
  ['{{a,b},{c,d}}', 'a b c d', 'ab'],
  ['{a/b,c}/d', 'a/b/d c/d', 'a/d b/d'],
  ['src/{a,b/**}/c', 'src/a/c src/b/c src/b/x/c', 'src/a/x/c'],
  ['{*,a}.ts', 'a.ts b.ts', 'a'],
  ['{a,b}*', 'a ax b', 'x'],
  ['{[ab],?c}', 'a b xc', 'c d'],
  ['{src,test}/**/*.ts', 'src/a.ts test/x/a.ts', 'a.ts srv/a.ts'],
  ['{a}', '{a}', 'a'],
  ['{}', '{}', '{'],
  ['x{}y', 'x{}y', 'xy'],
  ['{{a}}', '{{a}}', 'a {a}'],
  ['{{a,b}}', '{a} {b}', 'a'],
  ['{a,b', '{a,b', 'a b'],
  ['a,b}', 'a,b}', 'a b'],
  ['a}b{c', 'a}b{c', 'abc'],
  ['{a\\,b,c}', 'a,b c', 'a b'],
  ['{a\\},b}', 'a} b', 'a'],
  ['\\{a,b}', '{a,b}', 'a b'],
  ['{a,b\\}', '{a,b}', 'a b'],
  ['{a..c,d}', 'a..c d', 'a b c'],
  ['{a,b}/{,c}', 'a/c b/c a/x', 'a b c'],
  ['[{a,b}]', 'a b', '{ ,'],
];

const plainNames: readonly Row[] = [
  ['\\*', '*', 'a'],
  ['\\?', '?', 'a'],
  ['\\[a]', '[a]', 'a'],
  ['\\a', 'a', '\\a'],
  ['\\\\', '\\', 'a'],
  ['\\**', '* *a', 'a a/b'],
  ['a\\', 'a\\', 'a'],
  ['.*', '.a ..a', 'a'],
  ['.git*/x', '.gitlab/x .git/x', 'git/x'],
  ['(group)/page', '(group)/page', 'group/page'],
  ['(a|b)', '(a|b)', 'a b'],
  ['!x', '!x', 'x y'],
  ['!(a)', '!(a)', 'a b'],
  ['+(a|b)', '+(a|b)', 'a ab'],
  ['@(a|b)', '@(a|b)', 'a @a'],
  ['?(a)', 'x(a) ?(a)', 'a (a)'],
  ['*(a)', '(a) x(a)', 'a aa'],
  ['-rf', '-rf', 'rf'],
  ['~/x', '~/x', 'x'],
  ['#x', '#x', 'x'],
  ['a.b+c$d^e', 'a.b+c$d^e', 'axb+c$d^e'],
  ['$(id)', '$(id)', 'id'],
];

test.for([
  ...syntax,
  ...classes,
  ...braces,
  ...plainNames,
])('%j matches [%s] and does not match [%s]', ([pattern, yes, no]) => {
  const key = canonical(pattern);
  const paths = `${yes} ${no}`.split(' ').filter((path) => path !== '');
  expect(paths.length).toBeGreaterThan(0);
  expect(paths.filter((path) => matches(key, path)).join(' ')).toBe(yes.trim());
});

test.for<readonly [text: string, key: string]>([
  ['a', 'a'],
  ['a/b', 'a/b'],
  ['a//b', 'a/b'],
  ['a///b', 'a/b'],
  ['./a', 'a'],
  ['././a', 'a'],
  ['a/./b', 'a/b'],
  ['.//a', 'a'],
  ['a/', 'a/**'],
  ['a//', 'a/**'],
  ['a/.', 'a/**'],
  ['a/b/..', 'a/**'],
  ['a/../', '**'],
  ['.', '**'],
  ['./', '**'],
  ['a/../b', 'b'],
  ['a/b/../../c', 'c'],
  ['a/./../b', 'b'],
  ['a//../b', 'b'],
  ['\\[a\\]/../b', 'b'],
  ['a/**', 'a/**'],
  ['a/**/', 'a/**'],
  ['**/', '**'],
  ['**/**', '**'],
  ['a/**/**/b', 'a/**/b'],
  ['*/', '*/**'],
  ['{a,b}/', '{a,b}/**'],
  ['{a,b}//c', '{a,b}/c'],
  ['{a/b,c}/./d', '{a/b,c}/d'],
  ['[ab]//c', '[ab]/c'],
  ['...', '...'],
  ['.../a', '.../a'],
  ['..a', '..a'],
  ['a..', 'a..'],
  ['.a/.b', '.a/.b'],
  [' a /b ', ' a /b '],
])('canonical(%j) is %j', ([text, key]) => {
  expect(canonical(text)).toBe(key);
  expect(canonical(key)).toBe(key);
});

test.for<readonly [pattern: string, path: string | null]>([
  ['a/b.ts', 'a/b.ts'],
  ['app/\\[id\\]/page.tsx', 'app/[id]/page.tsx'],
  ['a\\*b', 'a*b'],
  ['a\\\\b', 'a\\b'],
  ['(group)/!x', '(group)/!x'],
  ['*', null],
  ['a/?', null],
  ['[ab]', null],
  ['{a,b}', null],
  ['a/**', null],
  ['\\**', null],
])('the path that %j names is %j', ([pattern, path]) => {
  expect(pathOf(pattern)).toBe(path);
});

test.for([
  'a',
  'a/b.ts',
  'app/[id]/page.tsx',
  'app/[...slug]/[[opt]]/x',
  '*',
  '**',
  'a?b',
  '{a,b}',
  '{1..3}',
  '{',
  '}',
  '[',
  ']',
  '[[:alpha:]]',
  'a\\b',
  '\\',
  '\\*',
  'a\\',
  '(group)',
  '!x',
  '$(id)',
  'é',
  '😀',
  ' ',
])('the literal of %j matches it, names it and has one alternative', (path) => {
  const pattern = literal(path);
  expect(matches(pattern, path)).toBe(true);
  expect(pathOf(pattern)).toBe(path);
  expect(canonical(pattern)).toBe(pattern);
  expect(compile(pattern)).toHaveLength(1);
  expect(
    ['x', 'ab', `${path}x`, `x${path}`].filter(
      (other) => other !== path && matches(pattern, other),
    ),
  ).toEqual([]);
});

test.for([
  '**',
  '**/*',
  '**/**',
  '***',
  './',
  '.',
  'a/..',
  '{**,a}',
  '{a,**/*}',
  '{a,**}/',
  '{,a}/',
  '**/?*',
  '**/*?',
  '{*,*/**}',
  '{*,**/*/*}',
])('%j matches every path', (text) => {
  expect(matchEverything([canonical(text)])).toBe(true);
});

test.for([
  '*',
  '*/*',
  '*/**',
  'a/**',
  '**/a',
  '**/*.ts',
  '**/a*',
  '**/.*',
  '[!a]/**',
  '**/*/*',
  '?/**',
  '**/??*',
  '{a,b}/**',
  '{*,*/*}',
  '\\**',
])('%j does not match every path', (text) => {
  expect(matchEverything([canonical(text)])).toBe(false);
});
