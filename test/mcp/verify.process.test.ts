/** A command that a client has run for the record: what comes of it, and that nothing is left. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, test } from 'vitest';
import { markOf } from '../../src/git/process-mark.ts';
import { gated, runs, tree } from '../support/gated.ts';
import { call, connected } from '../support/mcp-client.ts';
import { eventually, type TestRepository } from '../support/repository.ts';

/** Two processes that go on until somebody ends them; their numbers are in a file of git's. */
const endless = ['sh', '-c', 'sleep 1000 & echo $$ $! > .git/pids; echo here it goes; wait'];

async function started(repo: TestRepository): Promise<readonly number[]> {
  const file = join(repo.top, '.git/pids');
  const read = (): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  await eventually('the command runs', () => read().endsWith('\n'));
  const pids = read().trim().split(' ').map(Number);
  expect(pids.map((pid) => markOf(pid) !== null)).toEqual([true, true]);
  return pids;
}

const ended = (pids: readonly number[]): Promise<void> =>
  eventually('both processes are gone', () => pids.every((pid) => markOf(pid) === null));

describe('verify by a client', () => {
  test('its exit code, evidence and output; what has passed is not run again; a failure says what to do', async () => {
    const repo = gated();
    const ann = await connected(repo, { COORD_AGENT: 'ann' });
    const command = ['sh', 'test.sh'];
    expect(await call(ann, 'verify', { command })).toMatchObject({
      isError: false,
      said: {
        result: 'ran',
        exit: 0,
        recorded: true,
        output: 'output of the test\n',
        evidence: { command, tree: tree(repo), agent: { name: 'ann' } },
      },
    });
    expect(await call(ann, 'verify', { command })).toMatchObject({ said: { result: 'already' } });
    expect((await call(ann, 'verify', { command, force: true })).said['result']).toBe('ran');
    expect(runs(repo)).toBe(2);
    repo.write('broken');
    expect(await call(ann, 'verify', { command })).toMatchObject({
      isError: true,
      said: { exit: 1, recorded: true, next: 'mend what failed, then verify again' },
    });
    expect(
      await call(ann, 'verify', { command: ['sh', '-c', 'test ! -e broken'], at: 'HEAD' }),
    ).toMatchObject({ isError: false, said: { exit: 0, recorded: true } });
    expect(await call(ann, 'verify', { command: ['sh', '-c', 'echo >> src/a'] })).toMatchObject({
      isError: true,
      said: { exit: 0, recorded: false, next: expect.stringContaining('own: true') },
    });
  });

  test('of much output the end is told; what cannot run, is no commit or waits too long is said', async () => {
    const repo = gated();
    const [ann, bob] = [
      await connected(repo, { COORD_AGENT: 'ann' }),
      await connected(repo, { COORD_AGENT: 'bob' }),
    ];
    const { said } = await call(ann, 'verify', { command: ['seq', '100000'] });
    expect(said['output']).toMatch(/^\d+\n(\d+\n)*100000\n$/);
    expect(said['output'].length).toBeLessThanOrEqual(8_192);
    expect(said['output'].length + said['outputLeftOut']).toBe(588_895);
    expect(readFileSync(join(repo.top, '.git', said['evidence'].log), 'utf8').length).toBe(588_895);
    // It has no part of the connection.
    expect(await call(ann, 'verify', { command: ['cat'] })).toMatchObject({
      said: { exit: 0, output: '' },
    });
    expect(repo.coord('eve', 'lock', 'test').code).toBe(0);
    for (const [args, code] of [
      [{ command: ['no-such-program'] }, 'held'],
      [{ command: ['true'], at: 'nothing' }, 'usage'],
    ] as const)
      expect(await call(bob, 'verify', { ...args, waitSeconds: 0 })).toMatchObject({
        isError: true,
        said: { code, next: expect.any(String) },
      });
    expect(repo.coord('eve', 'unlock', 'test').code).toBe(0);
    expect(await call(bob, 'verify', { command: ['no-such-program'] })).toMatchObject({
      isError: true,
      said: { code: 'cannot_run' },
    });
    for (const args of [{}, { command: [] }, { command: 'npm test' }, { command: ['true'], at: 1 }])
      expect(await call(bob, 'verify', args)).toMatchObject({ isError: true });
  });

  test('it is told while it goes on; cancelled, it leaves no process and no lock', async () => {
    const repo = gated();
    const ann = await connected(repo, { COORD_AGENT: 'ann' });
    const cancel = new AbortController();
    const told: { readonly progress: number; readonly message?: string | undefined }[] = [];
    const running = call(
      ann,
      'verify',
      { command: endless },
      {
        signal: cancel.signal,
        onprogress: (note) => {
          told.push(note);
          if (told.length === 2) cancel.abort();
        },
      },
    );
    const pids = await started(repo);
    await expect(running).rejects.toThrow();
    await ended(pids);
    expect(told).toMatchObject([
      { progress: 1, message: 'here it goes' },
      { progress: 2, message: 'here it goes' },
    ]);
    expect(await call(ann, 'verify', { command: ['true'] })).toMatchObject({ said: { exit: 0 } });
    expect((await call(ann, 'status', {})).said['leases']).toEqual([]);
  });

  test('its time ends all of it, and that is no success', async () => {
    const repo = gated();
    const ann = await connected(repo, { COORD_AGENT: 'ann' });
    const command = ['sh', '-c', `trap 'exit 0' TERM; ${endless[2]}`];
    expect(await call(ann, 'verify', { command, timeoutSeconds: 1 })).toMatchObject({
      isError: true,
      said: {
        ok: false,
        timedOut: true,
        exit: 75,
        evidence: { exit: 75 },
        next: 'verify with a longer timeoutSeconds',
      },
    });
    await ended(readFileSync(join(repo.top, '.git/pids'), 'utf8').trim().split(' ').map(Number));
  });

  test('a client that goes away ends what it had run', async () => {
    const repo = gated();
    const ann = await connected(repo, { COORD_AGENT: 'ann' });
    const running = call(ann, 'verify', { command: endless });
    const pids = await started(repo);
    const lost = expect(running).rejects.toThrow();
    await ann.close();
    await lost;
    await ended(pids);
    await eventually(
      'the lock is free',
      () => repo.coord('bob', 'status').json['leases'].length === 0,
    );
  });

  test('calls of one client and of another run one after the other', async () => {
    const repo = gated();
    const [ann, bob] = [
      await connected(repo, { COORD_AGENT: 'ann' }),
      await connected(repo, { COORD_AGENT: 'bob' }),
    ];
    writeFileSync(join(repo.top, '.git/order'), '');
    const command = (name: string): readonly string[] => [
      'sh',
      '-c',
      `mkdir .git/alone && echo ${name} >> .git/order && rmdir .git/alone`,
    ];
    const came = await Promise.all([
      call(ann, 'verify', { command: command('a') }),
      call(ann, 'verify', { command: command('b') }),
      call(bob, 'verify', { command: command('c') }),
      call(bob, 'verify', { command: command('d') }),
    ]);
    expect(came.map(({ said }) => [said['result'], said['exit'], said['recorded']])).toEqual(
      came.map(() => ['ran', 0, true]),
    );
    expect(
      readFileSync(join(repo.top, '.git/order'), 'utf8').trim().split('\n').toSorted(),
    ).toEqual(['a', 'b', 'c', 'd']);
  });

  test("a server that is killed stands in nobody's way for longer than its command", async () => {
    const repo = gated();
    const ann = await connected(repo, { COORD_AGENT: 'ann' });
    const running = call(ann, 'verify', { command: endless });
    const pids = await started(repo);
    expect(await call(ann, 'verify', { command: ['true'], waitSeconds: 0 })).toMatchObject({
      isError: true,
      said: { code: 'held' },
    });
    const lost = expect(running).rejects.toThrow();
    process.kill((ann.transport as StdioClientTransport).pid ?? 0, 'SIGKILL');
    await lost;
    process.kill(-(pids[0] ?? 0), 'SIGTERM');
    await ended(pids);
    expect(repo.coord('ann', 'verify', '--no-wait', '--', 'true').code).toBe(0);
  });
});
