/** Git's own lock of the log, held by a git that is slow, stopped or dead. */
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { canSeeAll, gitGate, logLock, startLine, withAgents } from '../support/gate.ts';
import { leasesAt, logFaults } from '../support/log-check.ts';
import { eventually } from '../support/repository.ts';

const timeout = 60_000;

describe('a git that holds the lock of the log', () => {
  test(
    'and is killed: its command recovers by itself and is granted where it can see that nobody owns the lock [F6]',
    { timeout },
    async () => {
      const repo = withAgents('alice');
      const gate = gitGate(repo, 'holding');
      const { ended } = repo.start('alice', ['reserve', 'src/a.ts'], gate.env);
      process.kill(await gate.reached(), 'SIGKILL');
      const alice = await ended;
      const outcome = [alice.code, alice.json['result'], alice.json['error']?.code];
      expect(outcome).toEqual(canSeeAll ? [0, 'granted', undefined] : [75, 'error', 'locked']);
      expect(existsSync(logLock(repo))).toBe(!canSeeAll);
    },
  );

  test(
    'and is killed together with its coord: the next command works by itself [F6]',
    { timeout },
    async () => {
      const repo = withAgents('alice');
      const gate = gitGate(repo, 'holding');
      const { child, ended } = repo.start('alice', ['reserve', 'src/a.ts'], gate.env);
      const git = await gate.reached();
      child.kill('SIGKILL');
      process.kill(git, 'SIGKILL');
      await ended;
      const bob = repo.coord('bob', 'reserve', 'src/a.ts');
      expect(bob.code).toBe(canSeeAll ? 0 : 75);
      expect(bob.json['error']?.code).toBe(canSeeAll ? undefined : 'locked');
      expect(existsSync(logLock(repo))).toBe(!canSeeAll);
    },
  );

  test(
    'and is stopped is not robbed: others are told 75 locked, and after SIGCONT it is granted and they are refused',
    { timeout },
    async () => {
      const repo = withAgents('alice', 'bob');
      const gate = gitGate(repo, 'holding');
      const { ended } = repo.start('alice', ['reserve', 'src/a.ts'], gate.env);
      const git = await gate.reached();
      process.kill(git, 'SIGSTOP');
      const inode = statSync(logLock(repo)).ino;
      const early = repo.coord('bob', 'reserve', 'src/a.ts');
      expect(early.code).toBe(75);
      expect(early.json['error'].code).toBe('locked');
      expect(early.json['error'].message).toEqual(expect.stringContaining(logLock(repo)));
      expect(statSync(logLock(repo)).ino).toBe(inode);
      process.kill(git, 'SIGCONT');
      gate.open();
      const alice = await ended;
      const bob = repo.coord('bob', 'reserve', 'src/a.ts');
      expect({
        result: alice.json['result'],
        code: bob.code,
        name: bob.json['blockers'][0].agent.name,
      }).toEqual({ result: 'granted', code: 1, name: 'alice' });
      expect(logFaults(repo)).toEqual([]);
    },
  );

  test(
    'and goes on within the time that others wait for it: they do not fail',
    { timeout },
    async () => {
      const repo = withAgents('alice', 'bob');
      const gate = gitGate(repo, 'holding');
      const alice = repo.start('alice', ['reserve', 'src/a.ts'], gate.env);
      await gate.reached();
      const trace = join(repo.top, '..', 'trace');
      const bob = repo.start('bob', ['reserve', 'src/b.ts'], { COORD_TRACE: trace });
      await eventually('the other one has met the lock', () => existsSync(trace));
      gate.open();
      expect((await alice.ended).json['result']).toBe('granted');
      expect((await bob.ended).json['result']).toBe('granted');
    },
  );

  test(
    'planted bug: a lock that is taken away from a stopped git is noticed, and even so one alone is granted',
    { timeout },
    async () => {
      const repo = withAgents('alice', 'bob');
      const gate = gitGate(repo, 'holding');
      const { ended } = repo.start('alice', ['reserve', 'src/a.ts'], gate.env);
      const git = await gate.reached();
      process.kill(git, 'SIGSTOP');
      const inode = statSync(logLock(repo)).ino;
      rmSync(logLock(repo));
      const bob = repo.coord('bob', 'reserve', 'src/a.ts');
      expect(statSync(logLock(repo), { throwIfNoEntry: false })?.ino).not.toBe(inode);
      process.kill(git, 'SIGCONT');
      gate.open();
      const alice = await ended;
      expect({
        result: bob.json['result'],
        code: alice.code,
        name: alice.json['blockers'][0].agent.name,
      }).toEqual({ result: 'granted', code: 1, name: 'bob' });
      expect(logFaults(repo)).toEqual([]);
    },
  );
});

describe('a lock that nobody owns', () => {
  test(
    'is met by 8 at once who want one thing: one is granted, seven are refused naming it',
    { timeout },
    async () => {
      const repo = withAgents('alice');
      const line = startLine(repo);
      const started = Array.from({ length: 8 }, (_, i) =>
        line.start(`agent-${i}`, ['claim', 'bd-1']),
      );
      writeFileSync(logLock(repo), '');
      await line.go();
      const first = await Promise.all(started.map(({ ended }) => ended));
      if (!canSeeAll)
        return expect(first.map(({ json }) => json['error'].code)).toEqual(
          first.map(() => 'locked'),
        );
      // On a machine that is busy with other things one may be told to try again, and does.
      const answers = first.map((answer, i) =>
        answer.code === 75 ? repo.coord(`agent-${i}`, 'claim', 'bd-1') : answer,
      );
      const [winner] = leasesAt(repo);
      expect(answers.map(({ code }) => code).sort((a, b) => a - b)).toEqual([
        0, 1, 1, 1, 1, 1, 1, 1,
      ]);
      expect(
        answers.filter(({ code }) => code === 1).map(({ json }) => json['blockers'][0].agent.name),
      ).toEqual(Array(7).fill(winner?.agent.name));
      return expect(logFaults(repo)).toEqual([]);
    },
  );
});
