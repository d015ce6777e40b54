/**
 * What a commit leaves behind: trailers, an event, leases that are done with; and a lock that a
 * killed git left before it.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { canSeeAll } from '../support/gate.ts';
import { events } from '../support/log-check.ts';
import { coordProgram } from '../support/repository.ts';
import { checkout, pathsIn, session } from '../support/sessions.ts';

describe('after a commit', () => {
  test('it names its agent, and the bead if the agent works on one', () => {
    const repo = checkout();
    const ann = session(repo, 'ann');
    ann.coord('claim', 'bd-7');
    ann.edit('src/a');
    ann.git('commit', '-q', '-m', 'x');
    expect(repo.git('log', '-1', '--format=%(trailers:key=Coord-Bead,valueonly)').trim()).toBe(
      'bd-7',
    );
    ann.coord('claim', 'bd-8');
    ann.edit('src/a');
    ann.git('commit', '-q', '-m', 'which one?');
    expect(repo.git('log', '-1', '--format=%(trailers:key=Coord-Bead,valueonly)').trim()).toBe('');
  });

  test("the log tells it with its paths, with the agent's next operation", () => {
    const repo = checkout();
    const ann = session(repo, 'ann');
    ann.edit('src/a');
    ann.edit('src/b');
    ann.git('commit', '-q', '-m', 'x');
    ann.coord('reserve', 'z');
    expect(events(repo, 'committed')).toMatchObject([
      {
        agent: { name: 'ann' },
        commit: repo.git('rev-parse', 'HEAD').trim(),
        paths: ['src/a', 'src/b'],
      },
    ]);
  });

  test('nothing is started after what pre-commit has foreseen: one start of coord a commit, and all duties are done [I-9]', () => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    bob.coord('reserve', 'src/b');
    repo.write('src/e', 'a person\n');
    repo.git('add', 'src/e');
    ann.edit('src/a');
    const trace = join(repo.top, '..', 'trace');
    expect(ann.run('env', `COORD_TRACE=${trace}`, 'git', 'commit', '-q', '-m', 'x')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    });
    expect(
      readFileSync(trace, 'utf8')
        .split('\n')
        .filter((line) => line.includes('"what":"command"')),
    ).toHaveLength(1);
    expect(pathsIn(repo)).toBe('src/a');
    expect(repo.git('status', '--porcelain')).toBe('M  src/e\n');
    expect(
      readdirSync(join(repo.top, '.git/coord')).filter((name) =>
        /^(commit|pending|draft)-/.test(name),
      ),
    ).toEqual([]);
    ann.coord('reserve', 'z');
    expect(events(repo, 'committed')).toMatchObject([
      { agent: { name: 'ann' }, commit: repo.git('rev-parse', 'HEAD').trim(), paths: ['src/a'] },
    ]);
  });

  test.for<readonly [string, string]>([
    ['a person stages something', 'echo person >> src/e; git add src/e'],
    ['somebody holds the lock of the index', ': > .git/index.lock'],
    [
      'somebody else takes a lease',
      `'${process.execPath}' '${coordProgram}' reserve src/c --agent carl >&2`,
    ],
    ['it adds a file to the commit', 'echo more >> src/d; GIT_INDEX_FILE=$used git add src/d'],
  ])('foreseen wrongly, since in a hook of the user %s: the commit is right all the same, and so is the index', ([
    ,
    command,
  ]) => {
    const repo = checkout();
    const [ann] = [session(repo, 'ann'), session(repo, 'bob')];
    const lines = `#!/bin/sh\n[ "$COORD_AGENT" = ann ] || exit 0\nused=$GIT_INDEX_FILE\nunset GIT_INDEX_FILE GIT_DIR COORD_AGENT COORD_SESSION COORD_STAGE\n${command}\n`;
    writeFileSync(join(repo.top, '.git/hooks/pre-commit'), lines, { mode: 0o755 });
    expect(repo.coord(null, 'install').code).toBe(0);
    ann.edit('src/a');
    expect(ann.git('commit', '-q', '-m', 'x')).toMatchObject({ code: 0 });
    rmSync(join(repo.top, '.git/index.lock'), { force: true });
    writeFileSync(join(repo.top, '.git/hooks/pre-commit'), '#!/bin/sh\n', { mode: 0o755 });
    expect(repo.coord(null, 'install').code).toBe(0);
    ann.edit('src/b');
    expect(ann.git('commit', '-q', '-m', 'y')).toMatchObject({ code: 0 });
    expect(pathsIn(repo)).toBe('src/b');
    expect(pathsIn(repo, 'HEAD~1')).toEqual(command.includes('more') ? 'src/a src/d' : 'src/a');
    expect(repo.git('status', '--porcelain')).toBe(command.includes('person') ? 'M  src/e\n' : '');
  });

  test('leases are kept; with coord.afterCommit=release those on exactly the committed files go, and no pattern', () => {
    const repo = checkout();
    const ann = session(repo, 'ann');
    const held = (): readonly string[] =>
      repo
        .coord(null, 'status')
        .json['leases'].map(({ patterns }: { patterns: readonly string[] }) => patterns.join(' '))
        .sort();
    for (const pattern of ['src/a', 'src/b', 'src/[ab]*']) ann.coord('reserve', pattern);
    ann.edit('src/a');
    ann.git('commit', '-q', '-m', 'kept');
    expect(held()).toEqual(['src/[ab]*', 'src/a', 'src/b']);
    repo.git('config', 'coord.afterCommit', 'release');
    ann.edit('src/a');
    ann.git('commit', '-q', '-m', 'freed');
    expect(held()).toEqual(['src/[ab]*', 'src/b']);
  });

  test.runIf(canSeeAll)(
    'a lock on the stage that a killed git left is taken away by the next command',
    () => {
      const repo = checkout();
      const ann = session(repo, 'ann');
      const lock = `${ann.env['COORD_STAGE'] ?? ''}.lock`;
      writeFileSync(lock, '');
      ann.edit('src/a');
      expect(existsSync(lock)).toBe(false);
      expect(ann.git('commit', '-q', '-m', 'x').code).toBe(0);
    },
  );

  test('what was refused is told by the log too', () => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    ann.coord('reserve', 'src/a');
    bob.edit('src/a');
    bob.git('commit', '-q', '-m', 'x');
    bob.coord('reserve', 'z');
    expect(events(repo, 'blocked')).toMatchObject([
      { agent: { name: 'bob' }, why: 'held', paths: ['src/a'] },
    ]);
  });
});
