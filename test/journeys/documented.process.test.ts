/** What the README says of git beside coord, and of patterns: there, and so. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repository, type TestRepository } from '../support/repository.ts';

const readme = readFileSync(join(import.meta.dirname, '../../docs/guide.md'), 'utf8');

/** What the README says in code, which has to stand there. */
function documented(text: string): string {
  expect(readme).toContain(`\`${text}\``);
  return text;
}

test('a search by :/ finds the commits of coord, the documented form does not [G9]', () => {
  const repo = repository();
  repo.git(
    '-c',
    'alias.past=!GIT_COMMITTER_DATE=2020-01-01T00:00:00Z git',
    'past',
    'commit',
    '-q',
    '--allow-empty',
    '-m',
    'fix login',
  );
  repo.coord('ann', 'reserve', 'src/auth.ts', '--reason', 'fix login');
  const found = (line: string): string => repo.git('log', '-1', '--format=%an', line).trim();
  const [, everywhere = '', own = ''] =
    /`git log -1 '(:\/[^']+)'`[^`]*`git log -1 '([^']+)'`/.exec(readme) ?? [];
  expect(found(everywhere)).toBe('ann');
  expect(found(own)).toBe('Test');
});

interface Meaning {
  readonly pattern: string;
  readonly holds: readonly string[];
  readonly not: readonly string[];
}

function held(repo: TestRepository, path: string): boolean {
  return repo.coord('bob', 'check', '--literal', path).json['result'] === 'held';
}

describe('as the README says [G10, U18]', () => {
  test.for(['[[:alpha:]]', '{1..9}'])('%s is refused with exit 64', (pattern) => {
    const ran = repository().coord('ann', 'reserve', `src/${documented(pattern)}`);
    expect(ran.code).toBe(64);
    expect(ran.json['error'].code).toBe('bad_pattern');
  });

  test.for<Meaning>([
    { pattern: 'src/[a', holds: ['src/[a'], not: ['src/a', 'src/[ab'] },
    { pattern: 'src/{a', holds: ['src/{a'], not: ['src/a'] },
    { pattern: 'src/{a}', holds: ['src/{a}'], not: ['src/a'] },
    { pattern: '!(a)', holds: ['!(a)'], not: ['a', 'b'] },
    { pattern: '+(a)', holds: ['+(a)'], not: ['a', 'aa'] },
    { pattern: 'src/end\\', holds: ['src/end\\'], not: ['src/end'] },
    {
      pattern: 'app/[id]/page.tsx',
      holds: ['app/i/page.tsx', 'app/d/page.tsx'],
      not: ['app/[id]/page.tsx'],
    },
  ])('$pattern holds $holds and not $not', ({ pattern, holds, not }) => {
    const repo = repository();
    expect(repo.coord('ann', 'reserve', pattern).code).toBe(0);
    expect(holds.map((path) => held(repo, path))).toEqual(holds.map(() => true));
    expect(not.map((path) => held(repo, path))).toEqual(not.map(() => false));
  });

  test('the answer says what a pattern was taken for, and --literal what it is to be', () => {
    const repo = repository();
    const [, shown = ''] = /`(granted [^`]+)` is one file called/.exec(readme) ?? [];
    expect(repo.text('ann', 'reserve', documented('src/[a')).stdout.startsWith(`${shown}:`)).toBe(
      true,
    );
    for (const text of [
      '!(a)',
      '+(a)',
      'app/[id]/page.tsx',
      'app/i/page.tsx',
      'app/d/page.tsx',
      '\\',
    ])
      documented(text);
    repo.coord('ann', 'reserve', '--literal', 'app/[id]/page.tsx');
    expect(held(repo, 'app/[id]/page.tsx')).toBe(true);
    expect(held(repo, 'app/i/page.tsx')).toBe(false);
  });
});
