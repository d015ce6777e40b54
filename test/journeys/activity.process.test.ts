/**
 * What an agent does by git alone keeps what it holds: commits and moves of its stage are activity.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { reserveInThePast } from '../support/aged.ts';
import { run, type TestRepository } from '../support/repository.ts';
import { went } from '../support/scene.ts';
import { checkout, ranIn, type Session, session } from '../support/sessions.ts';
import { plant } from '../walk/planted.ts';

interface Shown {
  readonly kind: string;
  readonly renewedAt: string;
  readonly patterns?: readonly string[];
}

function leaseOf(repo: TestRepository, kind = 'reservation'): Shown | undefined {
  return (repo.coord(null, 'status').json['leases'] as readonly Shown[]).find(
    (lease) => lease.kind === kind,
  );
}

const [ageMs, ttlMs] = [300_000, 600_000];

/** The lease was granted for ten minutes, five ago: activity is to renew it. */
async function holder(name: string): Promise<TestRepository> {
  const repo = checkout();
  await reserveInThePast(repo, name, ['src/b'], ageMs, '2m', ttlMs);
  return repo;
}

function ageOf(lease: Shown | undefined): number {
  return lease === undefined ? Number.POSITIVE_INFINITY : Date.now() - Date.parse(lease.renewedAt);
}

/** As if the time had come at which the shims ask coord. */
function comeDue(repo: TestRepository): void {
  const folder = join(repo.top, '.git/coord/due');
  mkdirSync(folder, { recursive: true });
  for (const name of ['persons', ...readdirSync(folder)]) {
    writeFileSync(join(folder, name), '');
    utimesSync(join(folder, name), 1, 1);
  }
}

function edited({ git, edit }: Session): void {
  edit('src/b');
  went(git('commit', '-q', '-m', 'more'));
}

describe('activity is what an agent does [U7]', () => {
  test('an agent that commits by git alone keeps its lease', async () => {
    const repo = await holder('bob');
    const bob = session(repo, 'bob');
    edited(bob);
    expect(ageOf(leaseOf(repo))).toBeLessThan(ageMs);
    expect(repo.coord('eve', 'check', 'src/b').json['result']).toBe('held');
  });

  test('a stage that moves is enough, at the next command of the session', async () => {
    const repo = await holder('bob');
    const bob = session(repo, 'bob');
    bob.edit('src/c');
    went(bob.git('status'));
    expect(ageOf(leaseOf(repo))).toBeLessThan(ageMs);
  });

  test('an agent without a session, by its commit', async () => {
    const repo = await holder('bob');
    repo.write('src/b', 'of bob\n');
    went(
      ranIn(repo.top, { ...repo.env, COORD_AGENT: 'bob' }, 'git', [
        'commit',
        '-q',
        '-a',
        '-m',
        'more',
      ]),
    );
    expect(ageOf(leaseOf(repo))).toBeLessThan(ageMs);
  });

  test('a person, by a commit, once it is due', async () => {
    const me = checkout().coord(null, 'whoami').json['agent'] as { readonly name: string };
    const repo = await holder(me.name);
    const { renewedAt } = leaseOf(repo) ?? {};
    repo.write('src/c', 'of a person\n');
    comeDue(repo);
    went(ranIn(repo.top, repo.env, 'git', ['commit', '-q', '-a', '-m', 'due']));
    expect(leaseOf(repo)?.renewedAt).not.toBe(renewedAt);
    expect(ageOf(leaseOf(repo))).toBeLessThan(ageMs);
  });

  test('nothing is started for it before it is due', async () => {
    const repo = checkout();
    const bob = session(repo, 'bob');
    went(bob.coord('reserve', 'src/b'));
    bob.edit('src/b');
    const trace = join(repo.top, '../trace');
    const env = { ...bob.env, COORD_TRACE: trace };
    for (const words of [
      ['add', 'src/b'],
      ['diff', '--cached'],
    ])
      went(ranIn(repo.top, env, 'git', words));
    expect(existsSync(trace)).toBe(false);
    // What others hold, and a pause, are not for bob's work to renew.
    await reserveInThePast(repo, 'zoe', ['src/e'], ageMs, '2m', ttlMs);
    repo.coord('zoe', 'pause', '--for', '5s', '--reason', 'x');
    bob.edit('src/c');
    went(ranIn(repo.top, env, 'git', ['diff', '--cached']));
    expect(existsSync(trace)).toBe(false);
    comeDue(repo);
    went(ranIn(repo.top, env, 'git', ['diff', '--cached']));
    expect(readFileSync(trace, 'utf8')).toContain('"verb":"hook"');
  });

  test('planted bug: hooks alone are no activity, so an agent that commits by git alone loses its lease', async () => {
    const copy = plant([
      { file: 'hooks/git-judge', from: '-nt "$due" ]', to: '-nt "$due" ] && false' },
      { file: 'hooks/bin/git', from: 'if [ -z "$elsewhere" ] && {', to: 'if false && {' },
    ]);
    const repo = checkout({ guarded: false });
    await reserveInThePast(repo, 'bob', ['src/b'], ageMs, '2m', ttlMs);
    expect(run(repo.top, repo.env, ['install'], [], copy.program).code).toBe(0);
    const bob = session(repo, 'bob', repo.top, copy.program);
    const before = leaseOf(repo)?.renewedAt;
    comeDue(repo);
    bob.edit('src/b');
    went(bob.git('commit', '-q', '-m', 'more'));
    copy.end();
    expect(leaseOf(repo)?.renewedAt).toBe(before);
  });

  test('a renewal of one lease is activity for all', async () => {
    const repo = checkout();
    await reserveInThePast(repo, 'bob', ['src/b', 'src/c'], ageMs, '2m', ttlMs);
    const leases = repo.coord(null, 'status').json['leases'] as readonly { readonly id: string }[];
    repo.coord('bob', 'renew', leases[0]?.id ?? '');
    const now = repo.coord(null, 'status').json['leases'] as readonly Shown[];
    expect(now.map((lease) => ageOf(lease) < ageMs)).toEqual([true, true]);
  });
});
