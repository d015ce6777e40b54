/**
 * Refusals can be looked up: at once in the log as it is followed, and an hour later by their id.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { coordProgram, type TestRepository } from '../support/repository.ts';
import { checkout, ranIn, session } from '../support/sessions.ts';

function held(): TestRepository {
  const repo = checkout();
  expect(repo.coord('ann', 'reserve', 'src/a', '--reason', 'the parser').code).toBe(0);
  return repo;
}

describe('coord explain [U9]', () => {
  test('a refused reservation, by the id that it printed, before and after a writer has carried it', () => {
    const repo = held();
    const refused = repo.coord('bob', 'reserve', 'src/a');
    const { id } = refused.json['refusal'] as { readonly id: string };
    expect(id).toMatch(/^[0-9a-z]{8}$/);
    for (const carry of [false, true]) {
      if (carry) repo.coord('eve', 'reserve', 'elsewhere');
      const { json } = repo.coord(null, 'explain', id);
      expect(json).toMatchObject({
        result: 'explained',
        event: {
          agent: { name: 'bob' },
          why: 'held',
          patterns: ['src/a'],
          blockers: [{ agent: { name: 'ann' } }],
        },
        history: [{ event: 'acquired', agent: { name: 'ann' }, reason: 'the parser' }],
      });
      expect(json['seq'] === null).toBe(!carry);
    }
  });

  test('a refused commit and a refused command of a session', () => {
    const repo = held();
    const bob = session(repo, 'bob');
    bob.edit('src/a');
    for (const words of [
      ['commit', '-q', '-m', 'x'],
      ['checkout', '--', 'src/a'],
    ]) {
      const { stderr } = bob.git(...words);
      const [, id = ''] = /why: coord explain ([0-9a-z]{8})/.exec(stderr) ?? [];
      expect(repo.coord(null, 'explain', id).json).toMatchObject({
        event: { event: 'blocked', agent: { name: 'bob' }, paths: ['src/a'] },
      });
    }
  });

  test('codes and kinds, and what is neither', () => {
    const repo = checkout();
    for (const code of ['held', 'log_newer', 'in-progress'])
      expect(repo.coord(null, 'explain', code).json['meaning']).toMatch(/^[A-Z].*\.$/);
    expect(repo.coord(null, 'explain', 'zzzzzzzz').code).toBe(64);
  });
});

describe('coord log shows what waits for a writer [U9]', () => {
  test('and shows it once, also as it is followed', async () => {
    const repo = held();
    repo.coord('bob', 'reserve', 'src/a');
    const follower = spawn(process.execPath, [coordProgram, 'log', '--follow', '--json'], {
      cwd: repo.top,
      env: { ...repo.env },
    });
    const lines = createInterface({ input: follower.stdout })[Symbol.asyncIterator]();
    const next = async (): Promise<Record<string, unknown>> => {
      const { value } = (await lines.next()) as { readonly value: string };
      return JSON.parse(value) as Record<string, unknown>;
    };
    const until = async (event: string): Promise<Record<string, unknown>> => {
      for (;;) {
        const told = await next();
        if (told['event'] === event) return told;
      }
    };
    expect(await until('conflict')).toMatchObject({ seq: null, agent: { name: 'bob' } });
    const began = Date.now();
    repo.write('src/a', 'of bob\n');
    expect(
      ranIn(repo.top, { ...repo.env, COORD_AGENT: 'bob' }, 'git', ['commit', '-q', '-a', '-m', 'x'])
        .code,
    ).toBe(1);
    expect(await until('blocked')).toMatchObject({ seq: null, paths: ['src/a'] });
    expect(Date.now() - began).toBeLessThan(10_000);
    repo.coord('eve', 'reserve', 'elsewhere');
    const rest = [await next(), await next()];
    expect(rest.map(({ event }) => event)).not.toContain('blocked');
    follower.kill('SIGINT');
  });
});
