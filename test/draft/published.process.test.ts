/** What each of two sessions has in hand of one file, as others see it. */
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { coordProgram, type Options, type TestRepository } from '../support/repository.ts';
import { changed, changedByBoth, json, nameOf } from '../support/shared-file.ts';

describe('a published draft', () => {
  const refs = (repo: TestRepository): readonly string[] =>
    repo
      .git('for-each-ref', '--format=%(refname)', 'refs/coord/drafts')
      .split('\n')
      .filter((ref) => ref !== '');

  test.for<Options>([
    {},
    { init: ['--object-format=sha256'] },
  ])("shows one's own changes to plain git", (options) => {
    const { repo, ann, ben } = changedByBoth(undefined, options);
    expect(ann.write('new', 'new\n')).toBe('');
    writeFileSync(join(repo.top, '.git/info/exclude'), 'secret\n');
    writeFileSync(join(repo.top, 'secret'), 'secret\n');
    expect(ann.shell('coord reserve secret && coord diff --publish >/dev/null')).toMatchObject({
      code: 0,
    });
    const [name, other] = [nameOf(ann), nameOf(ben)];
    expect(refs(repo)).toEqual([name, other].map((one) => `refs/coord/drafts/${one}`).toSorted());
    const shown = repo.git('show', '-U0', `refs/coord/drafts/${name}`);
    expect(shown).toContain(`    ${name}'s uncommitted changes\n`);
    expect(changed(shown)).toEqual(['+new', '-line 3', '+line 3 of ann']);
    expect(repo.git('log', '-1', '--format=%an %P', `refs/coord/drafts/${name}`).trim()).toBe(
      `${name} ${repo.git('rev-parse', 'HEAD').trim()}`,
    );
    expect(changed(repo.git('show', '-U0', `refs/coord/drafts/${other}`))).toEqual([
      '-line 12',
      '+line 12 of ben',
    ]);
    repo.git('fsck', '--strict');
    const same = repo.git('rev-parse', `refs/coord/drafts/${name}`);
    ann.shell('coord diff --publish');
    expect(repo.git('rev-parse', `refs/coord/drafts/${name}`)).toBe(same);
  });

  test('comes with the hooks, goes with the commit and with the session', () => {
    const { repo, ann, ben } = changedByBoth();
    const [name, other] = [nameOf(ann), nameOf(ben)];
    rmSync(join(repo.top, '.git/coord/drafts'), { force: true });
    ben.bash('true');
    expect(refs(repo)).toHaveLength(2);
    // At most every few seconds.
    const before = repo.git('rev-parse', `refs/coord/drafts/${other}`);
    expect(ben.edit('shared', 'line 16\n', 'line 16 of ben\n')).toBe('');
    ben.bash('true');
    expect(repo.git('rev-parse', `refs/coord/drafts/${other}`)).toBe(before);
    expect(ann.bash('git commit -qam ann')).toMatchObject({ code: 0 });
    expect(ben.edit('shared', 'line 19\n', 'line 19 of ben\n')).toBe('');
    expect(refs(repo)).toEqual([`refs/coord/drafts/${other}`]);
    expect(changed(repo.git('show', '-U0', `refs/coord/drafts/${other}`))).toContain(
      '+line 16 of ben',
    );
    expect(name).not.toBe(other);
    ben.ask('session-end', { reason: 'exit' });
    expect(refs(repo)).toEqual([]);
  });

  test('is of the work tree that its agent works in', () => {
    const { repo, ann } = changedByBoth();
    repo.git('worktree', 'add', '-q', '../linked', '-b', 'linked');
    ann.shell('coord diff --publish');
    const before = repo.git('for-each-ref', 'refs/coord/drafts');
    const linked = spawnSync('node', [coordProgram, 'diff', '--publish'], {
      cwd: join(repo.top, '../linked'),
      env: repo.env,
      encoding: 'utf8',
    });
    expect(linked).toMatchObject({ status: 0, stdout: '' });
    expect(repo.git('for-each-ref', 'refs/coord/drafts')).toBe(before);
  });
});

describe('others see the lines', () => {
  test('check says which lines each has, status and who how many', () => {
    const { repo, ann, ben } = changedByBoth();
    expect(
      ben.edit('shared', 'line 14\nline 15\n', 'line 14 of ben\nand more\nline 15 of ben\n'),
    ).toBe('');
    const said = json(ann.shell('coord check shared --json'));
    expect(said['sharers']).toEqual([
      expect.objectContaining({
        lines: [
          [12, 12],
          [14, 16],
        ],
      }),
    ]);
    expect(ann.shell('coord check shared').stdout).toMatch(
      /claude-\S+ \(\w{8}\) has lines 12, 14-16 of shared, not committed/,
    );
    const counts = [
      {
        path: 'shared',
        agent: expect.objectContaining({ name: nameOf(ann) }),
        added: 1,
        removed: 1,
      },
      {
        path: 'shared',
        agent: expect.objectContaining({ name: nameOf(ben) }),
        added: 4,
        removed: 3,
      },
    ];
    for (const verb of ['status', 'who'])
      expect(json(ann.shell(`coord ${verb} --json`))['lines']).toEqual(counts);
    expect(ann.shell('coord status').stdout).toMatch(
      /^lines {4}shared {2}claude-\S+ \(\w{8}\) {2}\+1 -1$/m,
    );
    expect(ann.shell('git commit -qam ann') && ben.shell('git commit -qam ben')).toMatchObject({
      code: 0,
    });
    expect(json(ann.shell('coord status --json'))['lines']).toBeUndefined();
    expect(repo.git('status', '--short')).toBe('');
  });

  test("verify --own tests one's own lines alone", () => {
    const { ann } = changedByBoth();
    const ran = ann.shell('coord verify --own -- sh -c "grep of shared; git status --short"');
    expect(ran.stdout).toContain('line 3 of ann');
    expect(ran.stdout).not.toContain('line 12 of ben');
  });
});
