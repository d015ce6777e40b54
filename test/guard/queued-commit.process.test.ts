/**
 * `coord commit`: all who commit at once succeed, and whoever lost a lease does not get past it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { coordProgram } from '../support/repository.ts';
import { checkout, pathsIn, session } from '../support/sessions.ts';

describe('coord commit', () => {
  test("holds what is staged, signed, with a reflog as git commit leaves it, and the repository's index comes along", () => {
    const repo = checkout();
    const ann = session(repo, 'ann');
    ann.edit('src/a');
    expect(ann.coord('commit', '-m', 'first line', '-m', 'second').json).toMatchObject({
      result: 'committed',
      paths: ['src/a'],
      tries: 1,
    });
    expect(repo.git('log', '-1', '--format=%B').trim()).toMatch(
      /^first line\n\nsecond\n\nCoord-Agent: ann \([0-9a-z]{8}\)$/,
    );
    expect(repo.git('reflog', '-1', '--format=%gs').trim()).toBe('commit: first line');
    expect(repo.git('reflog', '-1', '--format=%gs', 'main').trim()).toBe('commit: first line');
    expect(pathsIn(repo)).toBe('src/a');
    expect(repo.git('status', '--porcelain')).toBe('');
    expect(ann.coord('commit', '-m', 'x').json['result']).toBe('nothing');
  });

  test('what another holds is refused; so is what both sides changed', () => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    bob.coord('reserve', 'src/a');
    ann.edit('src/a');
    expect(ann.coord('commit', '-m', 'x').json['result']).toMatch(/refused|hook/);
    bob.coord('release', '--all');
    ann.edit('src/b');
    bob.edit('src/b');
    expect(bob.coord('commit', '-m', 'bob').json['result']).toBe('committed');
    expect(ann.coord('commit', '-m', 'ann').json).toMatchObject({
      result: 'refused',
      problems: [{ kind: 'both', path: 'src/b' }],
    });
  });

  test("the user's own hooks have their say", () => {
    const repo = checkout({ guarded: false });
    writeFileSync(
      join(repo.top, '.git/hooks/pre-commit'),
      '#!/bin/sh\necho tests fail >&2\nexit 1\n',
      { mode: 0o755 },
    );
    const ann = session(repo, 'ann');
    ann.edit('src/a');
    expect(ann.coord('commit', '-m', 'x').json).toMatchObject({
      ok: false,
      result: 'hook',
      hook: 'pre-commit',
    });
  });

  test("the user's hooks run once and hold up nobody, however often the log moves meanwhile [U14]", () => {
    const repo = checkout({ guarded: false });
    const runs = join(repo.top, '.git/runs');
    // A hook that sees the log move under the commit, by an agent that is not held up by it.
    writeFileSync(
      join(repo.top, '.git/hooks/pre-commit'),
      [
        '#!/bin/sh',
        `echo run >>'${runs}'`,
        `node '${coordProgram}' reserve "x$(wc -l <'${runs}')" --agent carl >/dev/null 2>&1`,
        '',
      ].join('\n'),
      { mode: 0o755 },
    );
    expect(repo.coord(null, 'install').code).toBe(0);
    const ann = session(repo, 'ann');
    ann.edit('src/a');
    expect(ann.coord('commit', '-m', 'x').json).toMatchObject({ result: 'committed', tries: 1 });
    expect(readFileSync(runs, 'utf8')).toBe('run\n');
    expect(repo.coord('carl', 'check', 'x1').json['result']).toBe('mine');
  });

  test('whoever was judged and then lost the path to somebody else is fenced, however long it was paused [P6]', () => {
    const repo = checkout();
    const ann = session(repo, 'ann');
    // The pause comes after the guard has read the log: another agent takes the path meanwhile.
    writeFileSync(
      join(repo.top, '.git/hooks/commit-msg'),
      `#!/bin/sh\nnode ${coordProgram} reserve src/a --agent carl >/dev/null 2>&1\nexit 0\n`,
      { mode: 0o755 },
    );
    ann.edit('src/a');
    expect(ann.coord('commit', '-m', 'x').json['result']).toMatch(/refused|hook/);
    expect(repo.git('log', '-1', '--format=%s').trim()).toBe('base');
    expect(repo.coord('ann', 'check', 'src/a').json['blockers'][0].agent.name).toBe('carl');
  });
});
