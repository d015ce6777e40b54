/**
 * What a model reads when it is refused: every situation within the limit, each thing said once,
 * and one next step that is a command.
 */
import { expect, test } from 'vitest';
import { limits } from '../../src/core/limits.ts';
import { deniedFiles } from '../../src/harness/denial.ts';
import { contextOf, reservation, stateOf } from '../support/states.ts';
import { long, other, told } from '../support/told.ts';

const denials = told.filter(([, text]) => text.includes('\nNext: '));

test.for(denials)('%s: short, with one next step', ([when, text]) => {
  expect(long).toHaveLength(60);
  expect(text.length).toBeLessThanOrEqual(limits.denialChars);
  const [head = '', next, ...rest] = text.split('\nNext: ');
  expect(head).toMatch(/^coord: .*\.$/);
  expect(next).toMatch(/^(coord|git) [a-z]/);
  expect(rest).toEqual([]);
  // Before the command a file, a holder and an id are named once.
  for (const word of [long, other, ...(head.match(/\([0-9a-z]{8}\)/g) ?? [])])
    expect(head.split(word).length, `${when}: ${word}`).toBeLessThanOrEqual(2);
});

test.for(
  denials.filter(([when]) => /^edit, (held|in|shared|from)/.test(when)),
)('%s: names the file, its holder, since when and until when', ([, text]) => {
  expect(text).toMatch(/ \([0-9a-z]{8}\) for \d+m \((idle \d+m|active now)\), /);
  expect(text).toMatch(/(expires|free) in \d+[ms]/);
  expect(text.startsWith(`coord: ${long} is `)).toBe(true);
});

test('of several files only those that are held are waited for, as they are called from here', () => {
  const lease = reservation('ann', 'src/a src/b src/c');
  const place = {
    repository: { top: '/w' } as never,
    cwd: '/w/src/deep',
    state: stateOf({ leases: [lease] }),
    c: contextOf(),
  };
  const text = deniedFiles(place, ['src/x', 'src/b', 'src/c'], [lease]);
  expect(text).toContain('coord: src/b is held by ann ');
  expect(text).toContain(', and 1 more file.');
  expect(text.endsWith('Next: coord reserve --wait 2m -- ../b ../c')).toBe(true);
});

test('a path that is too long for the limit is shortened where it is told, and whole in the command', () => {
  const path = `${'deep/'.repeat(80)}file.ts`;
  const lease = reservation('ann', path, { reason: 'r'.repeat(400) });
  const place = {
    repository: { top: '/w' } as never,
    cwd: '/w',
    state: stateOf({ leases: [lease] }),
    c: contextOf(),
  };
  const text = deniedFiles(place, [path], [lease]);
  expect(text).toMatch(/^coord: deep\/.{20,60}…\S+file\.ts is held by ann /);
  expect(text.endsWith(`-- ${path}`)).toBe(true);
  expect(text.length).toBeLessThanOrEqual(limits.denialChars + path.length);
});
