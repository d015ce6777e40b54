/**
 * A tracker is worked off by agents in one checkout, some of which come to grief; and any step of
 * it is killed.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  coordProgram,
  type Environment,
  eventually,
  type TestRepository,
} from '../support/repository.ts';
import { checkout, session } from '../support/sessions.ts';
import { waitsFor, withBd } from '../support/tracker.ts';

const worker = resolve(import.meta.dirname, '../../fixtures/worker.mjs');

interface Said {
  readonly claimed?: string;
  readonly done?: string;
  readonly status?: number;
  readonly failed?: unknown;
  readonly said?: string;
}

interface Worker {
  readonly said: Said[];
  readonly ended: Promise<unknown>;
  stop(): void;
}

function work(repo: TestRepository, env: Environment, mode: string, beads: number): Worker {
  const child = spawn(
    process.execPath,
    [worker, JSON.stringify({ coord: coordProgram, mode, beads })],
    { cwd: repo.top, env, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const said: Said[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) said.push(JSON.parse(line) as Said);
  });
  return {
    said,
    ended: new Promise((done) => child.on('close', done)),
    stop: () => child.kill('SIGKILL'),
  };
}

function gatedCheckout(): TestRepository {
  const repo = checkout();
  repo.write('.coord.json', '{"gate": {"require": ["sh test.sh"]}}');
  repo.write('test.sh', 'for file in out/*; do grep -q made "$file" || exit 1; done\n');
  repo.write('.gitignore', '.beads/\n');
  repo.git('add', '.');
  repo.git('commit', '-q', '-m', 'what has to pass');
  return repo;
}

const events = (repo: TestRepository, name: string): readonly Record<string, any>[] =>
  repo
    .coord(null, 'log')
    .stdout.split('\n')
    .filter((line) => line.includes(`"event":"${name}"`))
    .map((line) => JSON.parse(line) as Record<string, any>);

describe('the work of a team', () => {
  test(
    'twenty beads with dependencies, three agents at work, one killed, one that stalls, one that fails: each is done once, with evidence',
    { timeout: 300_000 },
    async () => {
      const repo = gatedCheckout();
      const ids = Array.from({ length: 20 }, (_, i) => `bd-${i + 1}`);
      const bd = withBd(
        repo,
        ids.map((id, i) => ({ id, priority: i % 3, ...(i >= 5 ? waitsFor(`bd-${i - 4}`) : {}) })),
      );
      for (const [key, value] of [
        ['coord.claimttl', '10s'],
        ['coord.grace', '0s'],
        ['coord.stalledafter', '12s'],
      ] as const)
        repo.git('config', key, value);
      const start = (name: string, mode: string): Worker =>
        work(
          repo,
          {
            ...session(repo, name).env,
            PATH: `${session(repo, `${name}-shell`).env['PATH']?.split(':')[0]}:${bd.env['PATH']}`,
          },
          mode,
          ids.length,
        );
      const staller = start('sam', 'stalls');
      await eventually('it has its bead', () => staller.said.length > 0);
      const [ann, kim, flo] = [
        start('ann', 'works'),
        start('kim', 'killed'),
        start('flo', 'fails'),
      ];
      await Promise.all([ann.ended, kim.ended, flo.ended]);
      staller.stop();
      await staller.ended;

      expect(ids.map((id) => bd.issue(id).status)).toEqual(ids.map(() => 'closed'));
      const done = events(repo, 'done');
      expect(done.map(({ bead }) => bead).toSorted()).toEqual(ids.toSorted());
      // The killed one's and the staller's were taken up by others; the failed one's with what was
      // learned.
      expect(kim.said.filter(({ done: bead }) => bead !== undefined)).toHaveLength(1);
      const orphan = kim.said.at(-1)?.claimed;
      expect(done.find(({ bead }) => bead === orphan)?.['agent'].name).not.toBe('kim');
      expect(events(repo, 'taken')).toEqual([
        expect.objectContaining({
          bead: staller.said[0]?.claimed,
          agent: expect.objectContaining({ name: 'sam' }),
        }),
      ]);
      const failed = flo.said.find(({ failed: bead }) => typeof bead === 'string')?.failed;
      expect(
        [...ann.said, ...flo.said].find(
          ({ claimed, failed: notes }) => claimed === failed && Array.isArray(notes),
        )?.failed,
      ).toEqual([
        expect.objectContaining({
          reason: 'the port is taken',
          cause: 'shared-state',
          tail: expect.stringContaining('port 5432'),
        }),
      ]);
      for (const { bead, commit } of done)
        expect(repo.coord(null, 'gate', commit).json, bead).toMatchObject({
          result: 'passed',
          bead,
        });
      expect(
        repo.git('log', '--notes=coord').match(/passed: sh test\.sh, .* for bd-\d+$/gm)?.length,
      ).toBeGreaterThanOrEqual(20);
      expect(repo.git('fsck', '--strict')).not.toMatch(/^(error|missing)/m);
      expect(repo.coord(null, 'status').json['leases']).toEqual([]);
    },
  );

  test(
    'killed at any point between claim, commit, verify and done, the same steps again finish, and nothing is done twice',
    { timeout: 120_000 },
    async () => {
      const repo = gatedCheckout();
      const ids = Array.from({ length: 6 }, (_, i) => `bd-${i + 1}`);
      const bd = withBd(
        repo,
        ids.map((id) => ({ id })),
      );
      const ann = session(repo, 'ann');
      const env: Environment = {
        ...ann.env,
        PATH: `${ann.env['PATH']?.split(':')[0]}:${bd.env['PATH']}`,
      };
      let said = '';
      const step = async (
        killAfterMs: number | null,
        program: string,
        ...args: readonly string[]
      ): Promise<number | null> => {
        const child = spawn(program, args, {
          cwd: repo.top,
          env,
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        said = '';
        for (const stream of [child.stdout, child.stderr])
          stream.setEncoding('utf8').on('data', (text: string) => {
            said += text;
          });
        const killer =
          killAfterMs === null ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
        const code = await new Promise<number | null>((done) => child.on('close', done));
        clearTimeout(killer);
        return code;
      };
      for (const [i, id] of ids.entries()) {
        const coord = (...args: readonly string[]): readonly [string, ...string[]] => [
          process.execPath,
          coordProgram,
          ...args,
        ];
        repo.write(`out/${id}`, 'made\n');
        const steps: readonly (readonly [string, ...string[]])[] = [
          coord('claim', id),
          ['git', 'add', `out/${id}`],
          ['git', 'commit', '-q', '-m', `make ${id}`],
          coord('verify', '--at', 'HEAD', '--', 'sh', 'test.sh'),
          coord('done', id),
        ];
        for (const [program, ...args] of steps) {
          for (const ms of [40, 80, 120, 160, 200, 240].slice(0, 2 + (i % 5)))
            await step(ms + 7 * i, program, ...args);
          // What a killed git leaves locked, git tells people to remove.
          if (program === 'git')
            for (const lock of ['HEAD.lock', 'refs/heads/main.lock'])
              rmSync(join(repo.top, '.git', lock), { force: true });
          const code = await step(null, program, ...args);
          // A commit that was made before the kill leaves nothing to commit.
          expect(
            args[0] === 'commit' && /nothing to commit|nothing added/.test(said) ? 0 : code,
            `${args.join(' ')}: ${said}`,
          ).toBe(0);
        }
      }
      expect(ids.map((id) => bd.issue(id).status)).toEqual(ids.map(() => 'closed'));
      expect(events(repo, 'done').map(({ bead }) => bead)).toEqual(ids);
      for (const id of ids)
        expect(
          repo.git('log', '--format=%s', `--grep=^make ${id}$`).trim().split('\n'),
        ).toHaveLength(1);
      expect(repo.git('fsck', '--strict')).not.toMatch(/^(error|missing)/m);
      expect(
        existsSync(join(repo.top, '.beads/fake.lock'))
          ? readFileSync(join(repo.top, '.beads/fake.json'), 'utf8')
          : '',
      ).toBe('');
    },
  );
});
