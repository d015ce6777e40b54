/**
 * Hooks that put away what is not staged while they run, as lint-staged and pre-commit do: to them
 * that is also what others have in the work tree.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { coordProgram } from '../support/repository.ts';
import { addedIn, changedByBoth, json, type SharedFile, textOf } from '../support/shared-file.ts';

const shim = resolve(import.meta.dirname, '../../hooks/agent-hook');

interface Scene extends SharedFile {
  readonly file: (name: string) => string;
  /** Runs in the hook, while all that is not staged is put away; as nobody's command. */
  during(lines: string): void;
}

/** A hook that does what pre-commit does, under its name or under another. */
function scene(config: string | null): Scene {
  const made = changedByBoth();
  const { repo } = made;
  const file = (name: string): string => join(repo.top, '..', name);
  const own = Object.entries(repo.env).map(([name, value]) => `${name}='${value}'`);
  if (config !== null) repo.write(config, '{}\n');
  if (config !== null) repo.git('add', config);
  if (config !== null) repo.git('commit', '-qm', 'config');
  expect(repo.coord(null, 'uninstall').code).toBe(0);
  const hook = join(repo.top, '.git/hooks/pre-commit');
  const lines = [
    '#!/bin/sh',
    `git diff >'${file('patch')}'`,
    'git checkout -q -- .',
    `env -i ${own.join(' ')} COORD_NODE='${process.execPath}' sh '${file('during')}' || exit 1`,
    `echo back >>'${file('order')}'`,
    `[ ! -s '${file('patch')}' ] || git apply '${file('patch')}'`,
    '',
  ];
  writeFileSync(hook, lines.join('\n'), { mode: 0o755 });
  expect(repo.coord(null, 'install').code).toBe(0);
  return { ...made, file, during: (text) => writeFileSync(file('during'), text) };
}

const look = `'${process.execPath}' '${coordProgram}' diff --all --stat >/dev/null\n`;

function inboxOf({ ben }: SharedFile): unknown {
  return json(ben.shell('coord inbox --json'))['messages'];
}

describe('while a hook has put files away', () => {
  test.each([
    ['a tool that is known for it', '.pre-commit-config.yaml'],
    ['another one', null],
  ])('whoever looks changes nothing about whose lines come back: %s', (_, config) => {
    const made = scene(config);
    const { repo, ann, ben } = made;
    made.during(`grep -q ben shared && exit 1\n${look}`);
    expect(ann.bash('git commit -qam ann')).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['line 3 of ann']);
    expect(textOf(made)).toContain('line 12 of ben\n');
    made.during('');
    expect(ben.bash('git commit -qam ben')).toMatchObject({ code: 0, stderr: '' });
    expect(addedIn(repo, 'HEAD')).toEqual(['line 12 of ben']);
  });

  test('nobody is told of a loss, as nothing is lost', () => {
    const made = scene('.pre-commit-config.yaml');
    expect(made.ben.bash('coord reserve other && echo ben >>other')).toMatchObject({ code: 0 });
    made.during(look);
    expect(made.ann.bash('git commit -qam ann')).toMatchObject({ code: 0 });
    expect(inboxOf(made)).toEqual([]);
    expect(textOf(made, 'other')).toBe('other\nben\n');
  });

  test('what the tool mends in the files of the commit is committed, and the lines of others stay theirs', () => {
    const made = scene('.lintstagedrc.json');
    const { repo, ann, ben } = made;
    made.during(`${look}sed -i 's/of ann/of Ann/' shared\n${look}`);
    const hook = join(repo.top, '.git/hooks/pre-commit');
    writeFileSync(
      hook,
      readFileSync(hook, 'utf8').replace('echo back', 'git add shared\necho back'),
    );
    expect(ann.bash('git commit -qam ann')).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['line 3 of Ann']);
    expect(ben.bash('git commit -qam ben')).toMatchObject({ code: 0, stderr: '' });
    expect(addedIn(repo, 'HEAD')).toEqual(['line 12 of ben']);
    expect(repo.git('status', '--short')).toBe('');
  });

  test('an edit of another waits until they are back', () => {
    const made = scene('.pre-commit-config.yaml');
    const { repo, ann, ben } = made;
    // The shim alone knows that ben may edit this file.
    expect(ben.edit('shared', 'line 16\n', 'line 16 of ben\n')).toBe('');
    const payload = {
      session_id: ben.session,
      cwd: repo.top,
      hook_event_name: 'x',
      tool_name: 'Edit',
      tool_use_id: 'call-late',
      tool_input: {
        file_path: ben.path('shared'),
        old_string: 'line 14\n',
        new_string: 'line 14 of ben\n',
      },
    };
    writeFileSync(made.file('payload'), JSON.stringify(payload));
    const order = made.file('order');
    // It is answered at once where nothing makes it wait, which is looked at for a while.
    made.during(
      [
        `(sh '${shim}' claude before-edit <'${made.file('payload')}' >'${made.file('answer')}' 2>&1; echo answered >>'${order}') &`,
        `for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do [ ! -e '${order}' ] || break; sleep 0.1; done`,
        '',
      ].join('\n'),
    );
    expect(ann.bash('git commit -qam ann')).toMatchObject({ code: 0 });
    for (let i = 0; i < 200 && readFileSync(order, 'utf8') !== 'back\nanswered\n'; i += 1)
      ben.shell('sleep 0.05');
    expect(readFileSync(order, 'utf8')).toBe('back\nanswered\n');
    expect(existsSync(made.file('answer'))).toBe(true);
    expect(readFileSync(made.file('answer'), 'utf8')).not.toContain('deny');
  });

  test('doctor names the tools', () => {
    const { repo } = scene('.pre-commit-config.yaml');
    repo.write('package.json', '{"lint-staged": {}}\n');
    const { stdout } = repo.text(null, 'doctor');
    expect(stdout).toMatch(/pre-commit puts away what is not staged while it runs/);
    expect(stdout).toMatch(/lint-staged puts away what is not staged while it runs/);
  });
});
