/**
 * What git says is not the outcome: replies that are lost or false, and a view that cannot be
 * written.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { canSeeAll, commonDir, gitGate, type Stop, withAgents } from '../support/gate.ts';
import { events, leasesAt, logFaults, viewFaults } from '../support/log-check.ts';
import { at, eventually, type Ran, type TestRepository } from '../support/repository.ts';

const timeout = 60_000;

/** One command whose git treats its update so. */
function withGit(repo: TestRepository, stop: Stop, every = false): TestRepository {
  return at(repo.top, { ...repo.env, ...gitGate(repo, stop, every).env });
}

/** Is what was said true? Granted is in the log once and in the state, anything else is not. */
function untrue(repo: TestRepository, agent: string, ran: Ran): readonly string[] {
  const said = ran.json['result'] === 'granted';
  const held = leasesAt(repo).filter((lease) => lease.agent.name === agent).length;
  const acquired = events(repo, 'acquired').filter((event) => event.agent.name === agent).length;
  return [
    ...(said && (held !== 1 || acquired !== 1)
      ? [`${agent} was told granted, holds ${held} and acquired ${acquired}`]
      : []),
    ...(!said && held > 0 && ran.json['error']?.code !== 'unknown_outcome'
      ? [`${agent} holds it and was told ${ran.stdout}`]
      : []),
    ...(ran.code === 70 ? [`a bug: ${ran.stdout}`] : []),
  ];
}

describe("git's reply", () => {
  test.for(['killed', 'failed'] as const)(
    'is lost after the work was done (%s): the outcome is granted, once, for its nonce is in the log',
    { timeout },
    (stop) => {
      const repo = withAgents('alice');
      const alice = withGit(repo, stop).coord('alice', 'reserve', 'src/a.ts');
      expect({ code: alice.code, result: alice.json['result'] }).toEqual({
        code: 0,
        result: 'granted',
      });
      expect(untrue(repo, 'alice', alice)).toEqual([]);
    },
  );

  test.for(['killed', 'failed'] as const)(
    'is lost every time (%s): release and renew tell the truth too',
    { timeout },
    (stop) => {
      const repo = withAgents('alice');
      repo.coord('alice', 'reserve', 'src/a.ts');
      const deaf = withGit(repo, stop, true);
      expect(deaf.coord('alice', 'renew', '--ttl', '1h').json['result']).toBe('renewed');
      expect(leasesAt(repo)[0]?.ttl).toBe(3_600);
      expect(deaf.coord('alice', 'release', '--all').json['result']).toBe('released');
      expect(leasesAt(repo)).toEqual([]);
      expect(logFaults(repo)).toEqual([]);
    },
  );

  test(
    'says yes and nothing was done: it is tried again, and granted only once it is in the log',
    { timeout },
    () => {
      const repo = withAgents('alice');
      const alice = withGit(repo, 'lying').coord('alice', 'reserve', 'src/a.ts');
      expect(alice.json['result']).toBe('granted');
      expect(untrue(repo, 'alice', alice)).toEqual([]);
    },
  );

  test(
    'says yes and nothing was done, every time: exit 75, not granted, nothing held',
    { timeout },
    () => {
      const repo = withAgents('alice');
      const alice = withGit(repo, 'lying', true).coord('alice', 'reserve', 'src/a.ts');
      expect(alice.code).toBe(75);
      expect(alice.json['error'].code).toBe('busy');
      expect(untrue(repo, 'alice', alice)).toEqual([]);
      expect(repo.coord('bob', 'reserve', 'src/a.ts').json['result']).toBe('granted');
    },
  );

  test('planted bug: an answer that believes git is found to be untrue', { timeout }, () => {
    const repo = withAgents('alice');
    const alice = withGit(repo, 'lying', true).coord('alice', 'reserve', 'src/a.ts');
    const believing: Ran = { ...alice, code: 0, json: { result: 'granted' } };
    expect(untrue(repo, 'alice', believing)).toEqual([
      'alice was told granted, holds 0 and acquired 0',
    ]);
    const doubting: Ran = { code: 1, stdout: 'refused', stderr: '', json: { result: 'refused' } };
    repo.coord('alice', 'reserve', 'src/a.ts');
    expect(untrue(repo, 'alice', doubting)).toEqual(['alice holds it and was told refused']);
  });
});

/** Ways in which one kind of view ref cannot be written, and how each ends. */
const obstacles = {
  'a ref where its folder should be': (repo: TestRepository) => {
    repo.git('update-ref', 'refs/coord/claims', 'HEAD');
    return () => repo.git('update-ref', '-d', 'refs/coord/claims');
  },
  'a lock that another git holds on it': async (repo: TestRepository) => {
    const git = spawn('git', ['update-ref', '--stdin'], {
      cwd: repo.top,
      env: repo.env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    git.stdin.write('start\nupdate refs/coord/claims/bd-1 HEAD\nprepare\n');
    await eventually('the lock to be held', () =>
      existsSync(join(commonDir(repo), 'refs/coord/claims/bd-1.lock')),
    );
    const ended = once(git, 'close');
    return async () => {
      git.stdin.end('abort\n');
      await ended;
    };
  },
} as const;

/**
 * Locks of a git that was killed: they keep coord from nothing but the view, and a user's git from
 * deleting branches.
 */
const deadLocks = ['packed-refs.lock', 'refs/coord/claims/bd-1.lock'] as const;

function canDeleteBranches(repo: TestRepository): boolean {
  repo.git('branch', 'passing');
  try {
    repo.git('branch', '-d', 'passing');
    return true;
  } catch {
    return false;
  }
}

describe('a view ref that cannot be written', () => {
  test.for(Object.entries(obstacles))(
    'because of %s: the log alone is swapped, it is granted, and a sweep mends the view once it can',
    { timeout },
    async ([, putInTheWay]) => {
      const repo = withAgents('alice', 'bob');
      const remove = await putInTheWay(repo);
      expect(repo.coord('alice', 'claim', 'bd-1').json['result']).toBe('granted');
      expect(viewFaults(repo)).toContain('refs/coord/claims/bd-1 is missing');
      const bob = repo.coord('bob', 'claim', 'bd-1');
      expect({ code: bob.code, name: bob.json['blockers'][0].agent.name }).toEqual({
        code: 1,
        name: 'alice',
      });
      await remove();
      expect(repo.coord('bob', 'sweep').code).toBe(0);
      expect(viewFaults(repo)).toEqual([]);
    },
  );

  test('is named by a sweep that cannot mend it', { timeout }, () => {
    const repo = withAgents('alice');
    obstacles['a ref where its folder should be'](repo);
    repo.coord('alice', 'claim', 'bd-1');
    const swept = repo.text('alice', 'sweep');
    expect({ code: swept.code, stderr: swept.stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('refs/coord/claims/bd-1'),
    });
  });

  test('is mended by the next operation too', { timeout }, () => {
    const repo = withAgents('alice');
    const remove = obstacles['a ref where its folder should be'](repo);
    repo.coord('alice', 'claim', 'bd-1');
    remove();
    repo.coord('alice', 'claim', 'bd-2');
    expect(viewFaults(repo)).toEqual([]);
  });

  test(
    'is mended by the operation itself where a ref that is not of the view stood in its way',
    { timeout },
    () => {
      const repo = withAgents('alice');
      repo.git('update-ref', 'refs/coord/claims/bd-1/below', 'HEAD');
      expect(repo.coord('alice', 'claim', 'bd-1').json['result']).toBe('granted');
      expect(viewFaults(repo)).toEqual([]);
    },
  );
});

describe.runIf(canSeeAll)('a dead lock beside the log', () => {
  test.for(deadLocks)(
    '%s: the operation that meets it clears it away, shows the view and lets a user delete branches',
    { timeout },
    (lock) => {
      const repo = withAgents('alice');
      repo.coord('alice', 'claim', 'bd-1');
      writeFileSync(join(commonDir(repo), lock), '');
      expect(repo.coord('alice', 'unclaim', 'bd-1').code).toBe(0);
      expect(existsSync(join(commonDir(repo), lock))).toBe(false);
      expect(viewFaults(repo)).toEqual([]);
      expect(canDeleteBranches(repo)).toBe(true);
    },
  );

  test.for(deadLocks)('%s: met by nothing, it goes with the next sweep', { timeout }, (lock) => {
    const repo = withAgents('alice');
    repo.coord('alice', 'claim', 'bd-2');
    writeFileSync(join(commonDir(repo), lock), '');
    expect(repo.coord('alice', 'sweep').code).toBe(0);
    expect(existsSync(join(commonDir(repo), lock))).toBe(false);
    expect(canDeleteBranches(repo)).toBe(true);
  });
});
