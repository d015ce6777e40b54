/**
 * coord connects to nothing but the remotes that its user names.
 * Needs: strace.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { coordIn } from '../support/gate.ts';
import { repository, type TestRepository } from '../support/repository.ts';

/** What it and all that it starts connect to, or send to, beyond this machine's own sockets. */
function connections(repo: TestRepository, script: string): readonly string[] {
  const trace = join(repo.top, '../trace');
  const bin = join(repo.top, '../bin');
  coordIn(bin);
  const env = { ...repo.env, PATH: `${bin}:${repo.env['PATH'] ?? ''}` };
  const words = ['-f', '-q', '-e', 'trace=connect,sendto,sendmsg', '-o', trace, 'sh', '-c', script];
  const { status, stderr } = spawnSync('strace', words, { cwd: repo.top, env, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  expect(existsSync(trace)).toBe(true);
  return readFileSync(trace, 'utf8')
    .split('\n')
    .filter((line) => /AF_INET6?\b/.test(line));
}

describe('who calls home', () => {
  test.each([
    'coord --version && coord --help && coord demo >/dev/null',
    'coord init --yes --harness claude && coord doctor && coord config && coord status',
    'coord --agent ann reserve a && echo 1 > a && git add a && COORD_AGENT=ann git commit -q -m a && coord stats && coord uninstall',
  ])('nobody: %s', (script) => {
    expect(connections(repository(), script)).toEqual([]);
  });

  test('a connection would be seen', () => {
    const ask = `${process.execPath} -e "require('net').connect(9, '127.0.0.1').on('error', () => {})"`;
    expect(connections(repository(), ask).length).toBeGreaterThan(0);
  });
});
