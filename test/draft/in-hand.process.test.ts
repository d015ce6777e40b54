/** What each of two sessions has in hand of one file, as a patch. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  changed,
  changedByBoth,
  json,
  nameOf,
  numbered,
  sharedFile,
  textOf,
} from '../support/shared-file.ts';

describe('coord diff', () => {
  test('is of whoever asks, of another, or of all', () => {
    const { ann, ben, repo } = changedByBoth();
    const own = ['-line 3', '+line 3 of ann'];
    const bens = ['-line 12', '+line 12 of ben'];
    expect(changed(ann.shell('coord diff').stdout)).toEqual(own);
    expect(changed(ben.shell('coord diff').stdout)).toEqual(bens);
    expect(changed(ann.shell(`coord diff --agent ${nameOf(ben)}`).stdout)).toEqual(bens);
    appendFileSync(join(repo.top, 'shared'), 'by hand\n');
    const all = ann.shell('coord diff --all').stdout;
    expect(changed(all).toSorted()).toEqual([...own, ...bens, '+by hand'].toSorted());
    expect(all.match(/^# .*$/gm)?.at(-1)).toBe('# nobody that is known');
    expect(json(ann.shell('coord diff --all --json'))['files']).toEqual([
      {
        path: 'shared',
        agent: expect.objectContaining({ name: nameOf(ann) }),
        ranges: [[3, 3]],
        added: 1,
        removed: 1,
      },
      {
        path: 'shared',
        agent: expect.objectContaining({ name: nameOf(ben) }),
        ranges: [[12, 12]],
        added: 1,
        removed: 1,
      },
      { path: 'shared', agent: null, ranges: [[21, 21]], added: 1, removed: 0 },
    ]);
    expect(ann.shell('coord diff --name-only').stdout).toBe('shared\n');
    expect(ann.shell('coord diff --stat').stdout).toMatch(/ shared \| 2 \+-/);
    expect(ann.shell('coord diff other').stdout).toBe('');
    expect(ann.shell('coord diff --agent nobody')).toMatchObject({ code: 64 });
  });

  test.for([
    numbered(20),
    numbered(20, '\r\n'),
    `${numbered(19)}line 20`,
    numbered(20).replace('line 7', 'caf\u00e9 \u001b[31m'),
  ])('all parts together are the file, by git apply', (text) => {
    const scene = changedByBoth(text);
    const patch = scene.ann.shell('coord diff --all > ../all.patch; coord diff > ../own.patch');
    expect(patch).toMatchObject({ code: 0 });
    const now = textOf(scene);
    scene.repo.git('stash', '-q');
    scene.repo.git('apply', '../all.patch');
    expect(textOf(scene)).toBe(now);
    scene.repo.git('apply', '-R', '../all.patch');
    scene.repo.git('apply', '../own.patch');
    expect(changed(scene.repo.git('diff', '-U0')).map((line) => line.trim())).toEqual([
      '-line 3',
      '+line 3 of ann',
    ]);
  });

  test('new, deleted, moved and changed files are whoever holds them', () => {
    const { repo, ann } = changedByBoth();
    expect(ann.write('new\ttab', 'new\n')).toBe('');
    expect(
      ann.bash('git rm -q other && mkdir deep && cp shared deep/copy && chmod +x deep/copy').code,
    ).toBe(0);
    writeFileSync(join(repo.top, 'mine'), 'a person\n');
    const found = json(ann.shell('coord diff --json'))['files'].map(
      ({ path }: { path: string }) => path,
    );
    expect(found).toEqual(['deep/copy', 'new\ttab', 'other', 'shared']);
    const patch = ann.shell('coord diff').stdout;
    expect(patch).toContain('deleted file mode 100644');
    expect(patch).toContain('new file mode 100755');
    expect(patch).not.toContain('a person');
  });

  test('what a file holds never reaches a terminal raw', () => {
    const { repo, ann } = sharedFile();
    expect(ann.edit('shared', 'line 3\n', 'line \u001b[31m\u202e 3\n')).toBe('');
    const shown = spawnSync(
      'script',
      ['-qec', `. ../env-ann; coord diff --color never`, '/dev/null'],
      {
        cwd: repo.top,
        env: { ...repo.env, CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'ann', SHELL: '/bin/bash' },
        encoding: 'utf8',
      },
    );
    expect(shown.stdout).toContain('+line \\u{1b}[31m\\u{202e} 3');
    expect(ann.shell('coord diff --color always').stdout).toContain('\u001b[32m+line \\u{1b}[31m');
    expect(ann.shell('coord diff').stdout).toContain('+line \u001b[31m\u202e 3\n');
  });
});
