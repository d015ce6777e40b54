/** Commits by a tool, for agents whose shell cannot make them. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { executable } from '../support/gate.ts';
import { call, connected } from '../support/mcp-client.ts';
import { checkout } from '../support/sessions.ts';

const codex = { CODEX_SESSION_ID: 'aaaaaaaa-1111-2222-3333-444444444444' };

test('commits what it names from the index of its session, and leaves what the user has staged', async () => {
  const repo = checkout();
  repo.write('src/b', 'staged by the user\n');
  repo.git('add', 'src/b');
  repo.write('src/a', 'mine\n');
  repo.write('src/new', 'mine\n');
  rmSync(join(repo.top, 'src/e'));
  const me = await connected(repo, codex);
  await call(me, 'reserve', { patterns: ['src/a'] });
  const paths = ['src/a', 'src/new', 'src/e'];
  expect(await call(me, 'commit', { message: 'by a tool', paths })).toMatchObject({
    isError: false,
    said: { result: 'committed', commit: repo.git('rev-parse', 'HEAD').trim() },
  });
  expect(repo.git('show', '--format=%s %(trailers)', '--name-status')).toMatch(
    /^by a tool Coord-Agent: codex-44444444 \(\w{8}\)\n+M\tsrc\/a\nD\tsrc\/e\nA\tsrc\/new\n$/,
  );
  expect(repo.git('diff', '--cached', '--name-only').trim()).toBe('src/b');
  expect(repo.git('status', '--short').trim()).toBe('M  src/b');
});

test('what somebody holds is refused, and says by whom and what to do; the hooks have their say', async () => {
  const repo = checkout();
  repo.coord('bob', 'reserve', 'src/a');
  repo.write('src/a', 'of bob\n');
  const before = repo.git('rev-parse', 'HEAD');
  const me = await connected(repo, codex);
  expect(await call(me, 'commit', { message: 'x', paths: ['src'] })).toMatchObject({
    isError: true,
    said: {
      result: 'hook',
      hook: 'pre-commit',
      said: expect.stringMatching(/src\/a is held by bob[^]*next: coord reserve --wait/),
    },
  });
  const other = await connected(repo, { CODEX_SESSION_ID: 'other' });
  expect(await call(other, 'commit', { message: 'x' })).toMatchObject({
    isError: true,
    said: { result: 'nothing' },
  });
  expect(await call(other, 'commit', { message: 'x', paths: ['nowhere'] })).toMatchObject({
    isError: true,
    said: { code: 'git_failed' },
  });
  repo.write('src/b', 'mine\n');
  const hook = join(repo.top, '.git/hooks/commit-msg');
  executable(hook, '#!/bin/sh\necho not so >&2; exit 1\n');
  expect(await call(other, 'commit', { message: 'x', paths: ['src/b'] })).toMatchObject({
    isError: true,
    said: { result: 'hook', hook: 'commit-msg', said: 'not so' },
  });
  expect(repo.git('rev-parse', 'HEAD')).toBe(before);
});
