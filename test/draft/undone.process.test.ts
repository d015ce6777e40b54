/** What two sessions have in hand of one file, taken back by one of them. */
import { spawnSync } from 'node:child_process';
import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { coordProgram } from '../support/repository.ts';
import {
  changed,
  changedByBoth,
  json,
  nameOf,
  numbered,
  sharedFile,
  textOf,
} from '../support/shared-file.ts';

const killAt = resolve(import.meta.dirname, '../../fixtures/kill-at-rename.mjs');

describe('coord undo', () => {
  test.for([
    numbered(20),
    numbered(20, '\r\n'),
    numbered(20).replace(/\n$/, ''),
  ])('takes back the lines of whoever asks, and rescue brings them back', (text) => {
    const scene = changedByBoth(text);
    const { ann, ben } = scene;
    chmodSync(join(scene.repo.top, 'shared'), 0o755);
    const before = textOf(scene);
    const done = ann.shell('coord undo shared --json');
    expect(json(done)).toMatchObject({
      result: 'undone',
      files: [{ path: 'shared', result: 'undone', agents: [{ name: nameOf(ben) }] }],
    });
    expect(textOf(scene)).toBe(text.replace(/line 12(\r?\n)/, 'line 12 of ben$1'));
    expect(statSync(join(scene.repo.top, 'shared')).mode & 0o777).toBe(0o755);
    expect(ann.shell('coord diff').stdout).toBe('');
    expect(json(ann.shell('coord undo shared --json'))).toMatchObject({
      ok: false,
      files: [{ result: 'of-others' }],
    });
    const name = nameOf(ann);
    expect(
      changed(ann.shell(`coord rescue diff ${name}`).stdout).map((line) => line.trim()),
    ).toEqual(['-line 3', '+line 3 of ann']);
    expect(ann.shell(`coord rescue restore ${name} --in-place`)).toMatchObject({ code: 0 });
    expect(textOf(scene)).toBe(before);
    expect(changed(ann.shell('coord diff').stdout).map((line) => line.trim())).toEqual([
      '-line 3',
      '+line 3 of ann',
    ]);
    expect(changed(ben.shell('coord diff').stdout).map((line) => line.trim())).toEqual([
      '-line 12',
      '+line 12 of ben',
    ]);
    expect(ann.bash('git commit -qam ann')).toMatchObject({ code: 0 });
    expect(changed(scene.repo.git('show', '-U0', '--format=')).map((line) => line.trim())).toEqual([
      '-line 3',
      '+line 3 of ann',
    ]);
  });

  test('what comes back onto changed lines is refused, with where it is', () => {
    const scene = changedByBoth();
    expect(scene.ann.shell('coord undo shared')).toMatchObject({ code: 0 });
    expect(scene.ben.edit('shared', 'line 3\n', 'line 3 of ben\n')).toBe('');
    const before = textOf(scene);
    const said = json(
      scene.ann.shell(`coord rescue restore ${nameOf(scene.ann)} --in-place --json`),
    );
    expect(said).toMatchObject({ ok: false, refusal: { kind: 'conflict' }, paths: ['shared'] });
    expect(textOf(scene)).toBe(before);
    expect(scene.ann.shell(said['next']).stdout).toContain('line 3 of ann\n');
  });

  test('of a file of one alone is what git restore does, kept first', () => {
    const { repo, ann, ben } = sharedFile();
    expect(ann.bash('rm other && printf "link" > mine && git add mine').code).toBe(0);
    expect(ben.shell('coord undo other')).toMatchObject({ code: 1 });
    expect(ann.shell('coord undo other mine')).toMatchObject({ code: 1, stdout: 'undone other\n' });
    expect(textOf({ repo }, 'other')).toBe('other\n');
    expect(textOf({ repo }, 'mine')).toBe('link');
    writeFileSync(join(repo.top, 'other'), 'changed\n');
    expect(json(ann.shell('coord undo other --json'))).toMatchObject({ result: 'undone' });
    expect(ann.shell(`coord rescue restore ${nameOf(ann)} --in-place`)).toMatchObject({ code: 0 });
    expect(textOf({ repo }, 'other')).toBe('changed\n');
  });

  test('of another session is refused, and of what nobody is known to have changed', () => {
    const scene = changedByBoth();
    const { ann, ben, repo } = scene;
    const before = textOf(scene);
    expect(json(ben.shell(`coord undo shared --agent ${nameOf(ann)} --json`))).toMatchObject({
      ok: false,
      refusal: { kind: 'not_your_session' },
    });
    writeFileSync(join(repo.top, 'other'), 'by hand\n');
    expect(json(ben.shell('coord undo other --json'))).toMatchObject({
      ok: false,
      files: [{ result: 'unknown' }],
    });
    expect(textOf(scene)).toBe(before);
    expect(textOf(scene, 'other')).toBe('by hand\n');
    const person = spawnSync('node', [coordProgram, 'undo', 'other', 'shared'], {
      cwd: repo.top,
      env: repo.env,
      encoding: 'utf8',
    });
    expect(person.stdout).toBe('undone other\n');
    expect(textOf(scene)).toBe(before);
  });

  test.for([
    1, 2, 3, 4, 5, 6,
  ])('killed at step %i it is done or not, and the lines stay told apart', (nth) => {
    const scene = changedByBoth();
    const { ann, ben, repo } = scene;
    // A removal too: put back, its line has to be nobody's again.
    expect(ann.edit('shared', 'line 17\n', '')).toBe('');
    const killed = `KILL_AT='(/coord/lines/[0-9a-f]+|/repo/shared)$ ${nth}' NODE_OPTIONS='--import ${killAt}'`;
    expect(ann.shell(`${killed} node ${coordProgram} undo shared; exit $?`)).toMatchObject({
      code: 137,
    });
    const now = textOf(scene);
    const undone = numbered(20).replace('line 12\n', 'line 12 of ben\n');
    const kept = undone.replace('line 3\n', 'line 3 of ann\n').replace('line 17\n', '');
    expect([undone, kept]).toContain(now);
    expect(changed(ben.shell('coord diff').stdout)).toEqual(['-line 12', '+line 12 of ben']);
    expect(
      json(ann.shell('coord diff --all --json'))['files'].map(({ agent }: any) => agent?.name),
    ).toEqual(now === undone ? [nameOf(ben)] : [nameOf(ann), nameOf(ben)]);
    expect(repo.git('status', '--short', '-uall')).toBe(' M shared\n');
    expect(json(ann.shell('coord undo shared --json'))['result']).toMatch(
      now === undone ? /refused/ : /undone/,
    );
    expect(textOf(scene)).toBe(undone);
  });
});

describe('git that puts a shared file back', () => {
  test.for([
    'git checkout shared',
    'git restore shared',
    'git checkout HEAD -- shared',
  ])('%s is refused, and what is printed does what was meant', (command) => {
    const scene = changedByBoth();
    const before = textOf(scene);
    const hooked = scene.ann.bash(command);
    expect(hooked).toMatchObject({ code: 126 });
    expect(hooked.stderr).toContain('Next: coord undo -- shared');
    const shimmed = scene.ann.shell(command);
    expect(shimmed.code).not.toBe(0);
    expect(shimmed.stderr).toContain('next: coord undo -- shared');
    expect(textOf(scene)).toBe(before);
    expect(scene.ann.shell('coord undo -- shared')).toMatchObject({ code: 0 });
    expect(textOf(scene)).toBe(numbered(20).replace('line 12\n', 'line 12 of ben\n'));
  });

  test.for(['git stash', 'git restore -s HEAD~1 shared'])('%s stays refused', (command) => {
    const scene = changedByBoth();
    scene.repo.git('commit', '-q', '--allow-empty', '-m', 'more');
    const before = textOf(scene);
    for (const said of [scene.ann.bash(command), scene.ann.shell(command)]) {
      expect(said.code).not.toBe(0);
      expect(said.stderr).not.toContain('coord undo');
    }
    expect(textOf(scene)).toBe(before);
  });
});
