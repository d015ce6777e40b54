/** Where a pattern means something else to git, on purpose. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CoordError } from '../../src/core/errors.ts';
import { matches } from '../../src/core/overlap.ts';
import { canonical } from '../../src/core/pattern.ts';
import { repository } from '../support/repository.ts';

type Said = boolean | 'refused';

const differences: readonly (readonly [
  pattern: string,
  path: string,
  coord: Said,
  git: boolean,
  why: string,
])[] = [
  [
    'a',
    'a/b',
    false,
    true,
    'a pathspec without a wildcard is a folder; coord asks the file system, or for a slash',
  ],
  ['[ab]', '[ab]', false, true, 'a pathspec is its own text as well; --literal is for that'],
  [
    'b**/a',
    'ba',
    false,
    true,
    'git cuts off the text before the first wildcard and is left with a globstar',
  ],
  ['?**/a', 'ba', false, false, 'the same without such text'],
  ['?', 'é', true, false, 'git counts bytes, coord code points'],
  ['??', 'é', false, true, 'git counts bytes, coord code points'],
  ['[!a]', 'é', true, false, 'git counts bytes, coord code points'],
  ['[a*', '[ab', true, false, 'an unclosed bracket is plain for coord and matches nothing for git'],
  ['*[', 'a[', true, false, 'an unclosed bracket is plain for coord and matches nothing for git'],
  ['[[:alpha:]]', 'a', 'refused', true, 'named classes are refused, not taken for names'],
  [
    '*\\',
    'a\\',
    true,
    false,
    'a trailing backslash is plain for coord and matches nothing for git',
  ],
  ['{a*,b}', 'ax', true, false, 'git has no braces'],
  ['{a*,b}', '{ax,b}', false, true, 'git has no braces'],
  ['[z-a]', 'b', 'refused', false, 'a range from high to low holds nothing'],
  ['***', 'a/b', true, true, 'three stars are two'],
  ['a**b', 'a/b', false, false, 'two stars inside a segment are one'],
  ['*', '.a', true, true, 'dotfiles are matched'],
];

/** Git does not take a backslash in a name unless it is told that this is not Windows. */
const backslashes = {
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'core.protectNTFS',
  GIT_CONFIG_VALUE_0: 'false',
};

function said(pattern: string, path: string): Said {
  try {
    return matches(canonical(pattern), path);
  } catch (error) {
    if (error instanceof CoordError) return 'refused';
    throw error;
  }
}

test('the differences from git are the ones that are meant', () => {
  const { top, env } = repository({ unborn: true });
  const blob = execFileSync('git', ['hash-object', '-w', '--stdin'], {
    cwd: top,
    env,
    input: '',
    encoding: 'utf8',
  }).trim();
  for (const [i, [pattern, path, coord, git]] of differences.entries()) {
    const indexed = { ...env, GIT_INDEX_FILE: join(top, '.git', `index-${i}`), ...backslashes };
    execFileSync('git', ['update-index', '-z', '--index-info'], {
      cwd: top,
      env: indexed,
      input: `100644 ${blob}\t${path}\0`,
    });
    const listed = execFileSync('git', ['ls-files', '-z', '--', `:(glob)${pattern}`], {
      cwd: top,
      env: indexed,
      encoding: 'utf8',
    });
    expect({ pattern, path, coord: said(pattern, path), git: listed === `${path}\0` }).toEqual({
      pattern,
      path,
      coord,
      git,
    });
  }
});
