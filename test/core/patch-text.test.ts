/** What a patch makes of files, as far as it says so. */
import { expect, test } from 'vitest';
import { changesInPatch } from '../../src/core/patch-text.ts';

test('files that are added are written as a whole, hunks put one text in the place of another', () => {
  const patch = [
    '*** Begin Patch',
    '*** Add File: new.txt',
    '+one',
    '+',
    '+two',
    '*** Update File: old.txt',
    '@@ def f():',
    ' before',
    '-was',
    '+is',
    '@@',
    '-gone',
    '',
    ' after',
    '*** Delete File: dead.txt',
    '*** Update File: moved.txt',
    '*** Move to: there.txt',
    '*** End Patch',
  ].join('\n');
  expect(changesInPatch(patch)).toEqual([
    { kind: 'whole', path: 'new.txt', text: 'one\n\ntwo\n' },
    { kind: 'replace', path: 'old.txt', from: 'before\nwas\n', to: 'before\nis\n', all: false },
    { kind: 'replace', path: 'old.txt', from: 'gone\n\nafter\n', to: '\nafter\n', all: false },
  ]);
});

test('of a file with lines that are added nobody knows where, nothing is known', () => {
  const added = ['@@', '+more', '*** Update File: b.txt', '@@', '-was', '+is', '*** End Patch'];
  const patch = ['*** Begin Patch', '*** Update File: a.txt', '@@', '-was', '+is', ...added];
  expect(changesInPatch(patch.join('\n'))).toEqual([
    { kind: 'replace', path: 'b.txt', from: 'was\n', to: 'is\n', all: false },
  ]);
});

test('no patch changes nothing', () => {
  expect(changesInPatch('git status')).toEqual([]);
});
