/** A commit of all that is changed, in a work tree where others have changed something as well. */
import { appendFileSync, chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Ran, run, runAsync } from '../support/repository.ts';
import { checkout, session } from '../support/sessions.ts';
import { addedIn, changedByBoth, eachCommits, type SharedFile } from '../support/shared-file.ts';

/** A person has added a line to the file that ann and ben share. */
function withPerson(): SharedFile {
  const made = changedByBoth();
  appendFileSync(join(made.repo.top, 'shared'), 'by hand\n');
  return made;
}

describe("a person's commit of all", () => {
  test('is refused where agents have lines, and the printed command takes the rest', async () => {
    const shared = withPerson();
    const { repo } = shared;
    appendFileSync(join(repo.top, 'other'), 'other by hand\n');
    const index = repo.git('ls-files', '--stage');
    const words = ['git', 'commit', '-aqm', 'it works', '-m', 'more'];
    const refused = await runAsync(words, repo.top, repo.env);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/next: coord commit -a -m 'it works' -m more$/m);
    expect(repo.git('ls-files', '--stage')).toBe(index);
    const file = readFileSync(join(repo.top, 'shared'), 'utf8');
    expect(repo.coord(null, 'commit', '-a', '-m', 'it works', '-m', 'more')).toMatchObject({
      code: 0,
    });
    expect(addedIn(repo, 'HEAD').toSorted()).toEqual(['by hand', 'other by hand']);
    expect(readFileSync(join(repo.top, 'shared'), 'utf8')).toBe(file);
    expect(repo.git('diff', '--cached')).toBe('');
    eachCommits(shared);
  });

  test('leaves out the files that others hold', () => {
    const repo = checkout();
    const ann = session(repo, 'ann');
    expect(ann.coord('reserve', 'src/a').code).toBe(0);
    for (const path of ['src/a', 'src/b']) writeFileSync(join(repo.top, path), 'person\n');
    expect(repo.coord(null, 'commit', '-a', '-m', 'x').json).toMatchObject({ paths: ['src/b'] });
    expect(repo.git('status', '--short')).toBe(' M src/a\n');
    expect(repo.coord(null, 'commit', '-a', '-m', 'x').json).toMatchObject({
      result: 'refused',
      problems: [{ kind: 'unsaved', path: 'src/a' }],
    });
    expect(repo.git('status', '--short')).toBe(' M src/a\n');
  });

  test('that a hook refuses leaves staged what was staged before, and nothing else', () => {
    const { repo } = withPerson();
    const hook = join(repo.top, '.git/hooks/commit-msg');
    writeFileSync(hook, '#!/bin/sh\nexit 1\n');
    chmodSync(hook, 0o755);
    writeFileSync(join(repo.top, 'other'), 'staged\n');
    repo.git('add', 'other');
    writeFileSync(join(repo.top, 'other'), 'and changed again\n');
    const index = repo.git('ls-files', '--stage');
    expect(repo.coord(null, 'commit', '-a', '-m', 'x').json).toMatchObject({ result: 'hook' });
    expect(repo.git('ls-files', '--stage')).toBe(index);
  });

  test('without a message opens the editor that git would open', () => {
    const { repo } = withPerson();
    const editor = join(repo.top, '.git/editor');
    writeFileSync(
      editor,
      `#!/bin/sh\necho "$MESSAGE" >"$1.new" && cat "$1" >>"$1.new" && mv "$1.new" "$1"\n`,
    );
    chmodSync(editor, 0o755);
    const commit = (message: string): Ran =>
      run(repo.top, { ...repo.env, GIT_EDITOR: editor, MESSAGE: message }, ['commit', '-a']);
    expect(commit('').code).toBe(64);
    expect(repo.git('log', '-1', '--format=%s')).toBe('shared\n');
    expect(commit('by an editor').code).toBe(0);
    expect(repo.git('log', '-1', '--format=%B')).toBe('by an editor\n\n');
  });
});

describe("an agent's commit of all in line", () => {
  test('takes its own lines, and leaves out what another has alone', () => {
    const { repo, ann, ben } = withPerson();
    expect(ben.bash('coord reserve other && echo ben >>other')).toMatchObject({ code: 0 });
    expect(ann.bash('coord commit -a -m ann')).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['line 3 of ann']);
    expect(repo.git('status', '--short')).toBe(' M other\n M shared\n');
  });
});
