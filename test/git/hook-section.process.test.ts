/** What git's hooks do where coord, or node, is not where it was when they were installed. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { hookEvents } from '../../src/git/hook-files.ts';
import { barePath } from '../support/bare-path.ts';
import { type Ran, repository, type TestRepository } from '../support/repository.ts';
import { ranIn } from '../support/sessions.ts';

/** Hooks in files, which newer gits do without. */
const plain = (): TestRepository =>
  repository({ env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` } });

/** As after an update that took coord elsewhere. */
function moved(repo: TestRepository): void {
  for (const event of hookEvents) {
    const file = join(repo.top, '.git/hooks', event);
    const text = readFileSync(file, 'utf8');
    expect(text).toContain("coord_hooks='/");
    writeFileSync(file, text.replace(/coord_hooks='[^']*'/, "coord_hooks='/nowhere/hooks'"));
  }
}

test('where coord is gone, one hook of a commit says so, and everything passes', () => {
  const repo = plain();
  repo.coord('ann', 'reserve', 'a');
  repo.coord(null, 'install');
  moved(repo);
  repo.write('a');
  repo.git('add', 'a');
  const ran = ranIn(repo.top, repo.env, 'git', ['commit', '-q', '-m', 'x']);
  expect({ code: ran.code, lines: ran.stderr.trim().split('\n') }).toEqual({
    code: 0,
    lines: [expect.stringMatching(/is gone, and coord is not on the PATH, so nothing is guarded/)],
  });
});

test('where coord has moved, the one on the PATH guards', () => {
  const repo = plain();
  repo.coord('ann', 'reserve', 'a');
  repo.coord(null, 'install');
  moved(repo);
  const bin = join(repo.top, '../bin');
  mkdirSync(bin);
  symlinkSync(resolve('hooks/agent-hook'), join(bin, 'git-coord-hook'));
  repo.write('a');
  repo.git('add', 'a');
  const env = { ...repo.env, PATH: `${bin}:${repo.env['PATH']}` };
  expect(ranIn(repo.top, env, 'git', ['commit', '-q', '-m', 'x'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('held by ann'),
  });
});

test('where node has moved, the one on the PATH is used; where there is none, an agent is blocked and a person told once', () => {
  const repo = plain();
  repo.coord('ann', 'reserve', 'a');
  repo.coord(null, 'install');
  for (const event of hookEvents) {
    const file = join(repo.top, '.git/hooks', event);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(/COORD_NODE='[^']*'/, "COORD_NODE='/nowhere/node'"));
  }
  repo.write('a');
  repo.git('add', 'a');
  const commit = (env: Readonly<Record<string, string>>): Ran =>
    ranIn(repo.top, { ...repo.env, ...env }, 'git', ['commit', '-q', '-m', 'x']);
  expect(commit({}).stderr).toContain('held by ann');
  const PATH = barePath();
  expect(commit({ PATH, COORD_AGENT: 'bob' })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/no node on the PATH.*blocked/),
  });
  const { code, stderr } = commit({ PATH });
  expect({ code, lines: stderr.trim().split('\n') }).toEqual({
    code: 0,
    lines: [expect.stringMatching(/no node on the PATH.*let through/)],
  });
});
