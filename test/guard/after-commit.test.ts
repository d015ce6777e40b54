/** What a commit leaves behind: trailers, an event, leases that are done with; and a lock that a killed git left before it. */
import { existsSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { canSeeAll } from '../support/gate.ts';
import { events } from '../support/log-check.ts';
import { checkout, session } from '../support/sessions.ts';

describe('after a commit', () => {
  test('it names its agent, and the bead if the agent works on one', () => {
    const repo = checkout();
    const ann = session(repo, 'ann');
    ann.coord('claim', 'bd-7');
    ann.edit('src/a');
    ann.git('commit', '-q', '-m', 'x');
    expect(repo.git('log', '-1', '--format=%(trailers:key=Coord-Bead,valueonly)').trim()).toBe('bd-7');
    ann.coord('claim', 'bd-8');
    ann.edit('src/a');
    ann.git('commit', '-q', '-m', 'which one?');
    expect(repo.git('log', '-1', '--format=%(trailers:key=Coord-Bead,valueonly)').trim()).toBe('');
  });

  test('the log tells it with its paths, with the agent\'s next operation', () => {
    const repo = checkout();
    const ann = session(repo, 'ann');
    ann.edit('src/a');
    ann.edit('src/b');
    ann.git('commit', '-q', '-m', 'x');
    ann.coord('reserve', 'z');
    expect(events(repo, 'committed')).toMatchObject([{ agent: { name: 'ann' }, commit: repo.git('rev-parse', 'HEAD').trim(), paths: ['src/a', 'src/b'] }]);
  });

  test('leases are kept; with coord.afterCommit=release those on exactly the committed files go, and no pattern', () => {
    const repo = checkout();
    const ann = session(repo, 'ann');
    const held = (): readonly string[] => repo.coord(null, 'status').json['leases'].map(({ patterns }: { patterns: readonly string[] }) => patterns.join(' ')).sort();
    for (const pattern of ['src/a', 'src/b', 'src/[ab]*']) ann.coord('reserve', pattern);
    ann.edit('src/a');
    ann.git('commit', '-q', '-m', 'kept');
    expect(held()).toEqual(['src/[ab]*', 'src/a', 'src/b']);
    repo.git('config', 'coord.afterCommit', 'release');
    ann.edit('src/a');
    ann.git('commit', '-q', '-m', 'freed');
    expect(held()).toEqual(['src/[ab]*', 'src/b']);
  });

  test.runIf(canSeeAll)('a lock on the stage that a killed git left is taken away by the next command', () => {
    const repo = checkout();
    const ann = session(repo, 'ann');
    const lock = `${ann.env['COORD_STAGE'] ?? ''}.lock`;
    writeFileSync(lock, '');
    ann.edit('src/a');
    expect([existsSync(lock), ann.git('commit', '-q', '-m', 'x').code]).toEqual([false, 0]);
  });

  test('what was refused is told by the log too', () => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    ann.coord('reserve', 'src/a');
    bob.edit('src/a');
    bob.git('commit', '-q', '-m', 'x');
    bob.coord('reserve', 'z');
    expect(events(repo, 'blocked')).toMatchObject([{ agent: { name: 'bob' }, why: 'held', paths: ['src/a'] }]);
  });
});
