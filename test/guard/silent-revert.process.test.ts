/**
 * A commit from an index that is older than HEAD: without the guard it undoes what others
 * committed, with exit 0.
 */
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { TestRepository } from '../support/repository.ts';
import { checkout, fileAt, pathsIn, type Session, session } from '../support/sessions.ts';

interface Pair {
  readonly repo: TestRepository;
  readonly one: Session;
  readonly two: Session;
}

/**
 * Both stage something; then the second one commits, so that the first one's index is older than
 * HEAD.
 */
function behind(guarded = true): Pair {
  const repo = checkout({ guarded });
  const [one, two] = [session(repo, 'one'), session(repo, 'two')];
  one.edit('src/a');
  two.edit('src/b');
  two.edit('src/c');
  expect(two.git('commit', '-q', '-m', 'two edits b and c').code).toBe(0);
  return { repo, one, two };
}

/**
 * The real git with the stage, as a tool has it that took the variable along and knows nothing of
 * the wrapper.
 */
function bare({ env }: Session): Readonly<Record<string, string>> {
  const PATH = (env['PATH'] ?? '').split(':').slice(1).join(':');
  return { ...env, PATH, GIT_INDEX_FILE: env['COORD_STAGE'] ?? '' };
}

const ways: readonly (readonly [string, readonly string[]])[] = [
  ['a plain commit', ['commit', '-q', '-m', 'one edits a']],
  ['a commit past its hooks', ['commit', '-q', '--no-verify', '-m', 'one edits a']],
];

describe('an index that is older than HEAD', () => {
  test("planted bug: without the guard it undoes another's commit and says nothing (incident 1)", () => {
    const { repo, one } = behind(false);
    expect(
      one.run(
        'env',
        `PATH=${bare(one)['PATH'] ?? ''}`,
        `GIT_INDEX_FILE=${one.env['COORD_STAGE'] ?? ''}`,
        'git',
        'commit',
        '-q',
        '-m',
        'one edits a',
      ).code,
    ).toBe(0);
    expect(pathsIn(repo)).toBe('src/a src/b src/c');
  });

  test.for(ways)("%s through the session's git holds what was staged and nothing else", ([
    ,
    args,
  ]) => {
    const { repo, one } = behind();
    expect(one.git(...args).code).toBe(0);
    expect(pathsIn(repo)).toBe('src/a');
    expect(fileAt(repo, 'src/b')).toContain('two was here');
    expect(repo.git('status', '--short')).toBe('');
  });

  test("a commit past its hooks and past the session's git is refused, and names whose work would go [I-1]", () => {
    const { repo, one } = behind();
    const env = bare(one);
    const ran = one.run(
      'env',
      `PATH=${env['PATH'] ?? ''}`,
      `GIT_INDEX_FILE=${env['GIT_INDEX_FILE'] ?? ''}`,
      'git',
      'commit',
      '-q',
      '--no-verify',
      '-m',
      'stale',
    );
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toMatch(/src\/b: would undo [0-9a-f]{10} "two edits b and c" of two \(/);
    expect(pathsIn(repo)).toBe('src/b src/c');
  });

  test('so is the same by plumbing: write-tree, commit-tree, update-ref', () => {
    const { repo, one } = behind();
    const env = bare(one);
    const git = (...args: string[]): string =>
      one
        .run(
          'env',
          `PATH=${env['PATH'] ?? ''}`,
          `GIT_INDEX_FILE=${env['GIT_INDEX_FILE'] ?? ''}`,
          'git',
          ...args,
        )
        .stdout.trim();
    const commit = git('commit-tree', git('write-tree'), '-p', 'HEAD', '-m', 'by hand');
    const head = repo.git('rev-parse', 'HEAD');
    expect(git('update-ref', 'refs/heads/main', commit)).toBe('');
    expect(repo.git('rev-parse', 'HEAD')).toBe(head);
  });

  test("a person's index that could not come along does not undo an agent's commit either (incident 2)", () => {
    const { repo, two } = behind();
    const stale = join(repo.top, '.git/stale');
    repo.git('read-tree', `--index-output=${stale}`, 'HEAD~1');
    two.edit('src/d');
    expect(two.git('commit', '-q', '-m', 'two edits d').code).toBe(0);
    writeFileSync(join(repo.top, '.git/coord/index-base'), repo.git('rev-parse', 'HEAD~2'));
    repo.git('read-tree', 'HEAD~2');
    repo.write('src/e', 'a person\n');
    repo.git('add', 'src/e');
    repo.git('commit', '-q', '-m', 'a person edits e');
    expect(pathsIn(repo)).toBe('src/e');
  });

  test('an index that lost all its entries is never committed, whether it is asked before or not', () => {
    const { repo, one } = behind();
    one.git('read-tree', '--empty');
    expect(one.git('commit', '-q', '--no-verify', '-m', 'nothing left').code).not.toBe(0);
    one.git('commit', '-q', '-m', 'nothing left');
    expect(repo.git('ls-tree', '-r', '--name-only', 'HEAD').trim().split('\n')).toHaveLength(5);
  });

  test('the same path staged here and changed there is refused with both sides, and goes on after it was added again [I-2]', () => {
    const repo = checkout();
    const [one, two] = [session(repo, 'one'), session(repo, 'two')];
    one.edit('src/a', 'mine');
    two.edit('src/a', 'theirs');
    expect(two.git('commit', '-q', '-m', 'two edits a').code).toBe(0);
    const refused = one.git('commit', '-q', '-m', 'one edits a');
    expect({ code: refused.code, stderr: refused.stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /src\/a: changed by you and by [0-9a-f]{10} "two edits a" of two/,
      ),
    });
    one.edit('src/a', 'mine again');
    one.git('reset', '-q', '--', 'src/a');
    one.git('add', 'src/a');
    expect(one.git('commit', '-q', '-m', 'one edits a').code).toBe(0);
    expect(fileAt(repo, 'src/a')).toMatch(/mine\ntheirs\nmine again\n$/);
  });

  test('HEAD that moves during a slow pre-commit hook of the user brings no revert back [complaint 2, I-8]', () => {
    const repo = checkout();
    const [one, two] = [session(repo, 'one'), session(repo, 'two')];
    const slow = join(repo.top, '../slow');
    // While one's commit waits in its hook, two commits another file and the repository's index
    // comes along.
    const lines = Object.entries(two.env)
      .map(([name, value]) => `export ${name}='${value}'`)
      .join('\n');
    writeFileSync(
      slow,
      `#!/bin/sh\n${lines}\nunset GIT_INDEX_FILE GIT_DIR\necho two >> src/b\ngit add src/b\ngit commit -q -m 'two in between'\n`,
      { mode: 0o755 },
    );
    const hook = join(repo.top, '.git/hooks/pre-commit');
    if (existsSync(hook)) appendFileSync(hook, `[ "$COORD_AGENT" = two ] || ${slow}\n`);
    else writeFileSync(hook, `#!/bin/sh\n[ "$COORD_AGENT" = two ] || ${slow}\n`, { mode: 0o755 });
    one.edit('src/a');
    const first = one.git('commit', '-q', '-m', 'one edits a');
    expect(first.code === 0).toBe(false);
    expect(repo.git('log', '-1', '--format=%s').trim()).toBe('two in between');
    writeFileSync(slow, '#!/bin/sh\n', { mode: 0o755 });
    expect(one.git('commit', '-q', '-m', 'one edits a')).toMatchObject({ code: 0 });
    expect(pathsIn(repo)).toBe('src/a');
    expect(fileAt(repo, 'src/b')).toEqual(expect.stringContaining('two'));
  });
});
