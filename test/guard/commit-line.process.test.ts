/**
 * The line in which sessions of one checkout commit: nobody waits for the dead, and nobody's end is
 * put off.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../support/repository.ts';
import { checkout, session } from '../support/sessions.ts';

describe('the line of commits', () => {
  test.for<readonly [string, (queue: string) => void]>([
    ['a commit that was killed', (queue) => writeFileSync(queue, `${spawnSync('true').pid}\n`)],
    [
      'a number that another program has by now',
      (queue) => writeFileSync(queue, `${process.pid} 1\n`),
    ],
    ['nobody who could say who it was', (queue) => writeFileSync(queue, '')],
    ['what is no number', (queue) => writeFileSync(queue, 'x')],
    ['a folder', (queue) => mkdirSync(queue)],
    ['a pipe', (queue) => execFileSync('mkfifo', [queue])],
  ])(
    'nobody waits for %s, nor for the commit whose hook it is in',
    { timeout: 20_000 },
    ([, plant]) => {
      const repo = checkout({ guarded: false });
      const ann = session(repo, 'ann');
      writeFileSync(
        join(repo.top, '.git/hooks/post-commit'),
        '#!/bin/sh\n[ -e once ] || { : > once; git add once; git commit -q -m nested; }\n',
        { mode: 0o755 },
      );
      expect(repo.coord(null, 'install').code).toBe(0);
      const queue = join(repo.top, '.git/coord/committing');
      plant(queue);
      ann.edit('src/a');
      expect(ann.git('commit', '-q', '-m', 'outer')).toMatchObject({ code: 0 });
      expect(repo.git('log', '-2', '--format=%s').trim()).toBe('nested\nouter');
      expect(existsSync(queue) && statSync(queue).isFile()).toBe(false);
    },
  );

  test('a commit of a session that is asked to end ends, and has made none', async () => {
    const repo = checkout();
    const ann = session(repo, 'ann');
    ann.edit('src/a');
    const child = spawn('git', ['commit', '-q'], {
      cwd: repo.top,
      env: {
        ...ann.env,
        GIT_EDITOR: 'sh -c "echo edited > \\"$1\\"; : > .git/editing; sleep 1000" x',
      },
      stdio: 'ignore',
    });
    const ended = new Promise<NodeJS.Signals | null>((done) =>
      child.on('close', (_, signal) => done(signal)),
    );
    await eventually('the editor is open', () => existsSync(join(repo.top, '.git/editing')));
    child.kill('SIGTERM');
    expect(await ended).toBe('SIGTERM');
    expect(repo.git('log', '-1', '--format=%s').trim()).toBe('base');
    spawnSync('pkill', ['-f', 'sleep 1000']);
    expect(ann.git('commit', '-q', '-m', 'next')).toMatchObject({ code: 0 });
  });

  test(
    'sessions that commit at once all get through, each with its own message',
    { timeout: 120_000 },
    async () => {
      const repo = checkout();
      const team = ['a', 'b', 'c', 'd', 'e'].map((name) => session(repo, name));
      const codes = await Promise.all(
        team.map(
          ({ name, env }) =>
            new Promise<number | null>((done) => {
              const script = `for k in 1 2 3 4; do echo ${name} $k >> src/${name}; git add src/${name}; git commit -q -m "of ${name} $k" || exit 1; done`;
              spawn('sh', ['-c', script], { cwd: repo.top, env, stdio: 'ignore' }).on(
                'close',
                done,
              );
            }),
        ),
      );
      expect(codes).toEqual([0, 0, 0, 0, 0]);
      const rows = repo
        .git(
          'log',
          '-20',
          '--format=%s|%(trailers:key=Coord-Agent,valueonly,separator=%x2C)',
          '--name-only',
        )
        .trim()
        .split('\n')
        .filter((line) => line !== '');
      expect(rows).toHaveLength(40);
      for (let i = 0; i < 40; i += 2)
        expect(rows[i]).toMatch(
          new RegExp(
            `^of ${(rows[i + 1] ?? '').slice(4)} \\d\\|${(rows[i + 1] ?? '').slice(4)} \\(`,
          ),
        );
    },
  );
});
