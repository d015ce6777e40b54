/**
 * The line is cut at some bytes of a push, or the server dies in any of its hooks.
 * Needs: nginx, fcgiwrap, sshd.
 */
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { logFaults } from '../support/log-check.ts';
import type { GitServer } from '../support/servers.ts';
import { again, connected, sweepCuts, transports, untrue } from './cut-sweep.ts';

const timeout = 600_000;

sweepCuts(14, timeout);

/** Kills what serves the push, once, at that point. */
function deadly(server: GitServer, hook: string, when: string | null): () => boolean {
  const file = join(server.folder, 'hooks', hook);
  const mark = join(server.folder, 'killed');
  writeFileSync(
    file,
    `#!/bin/sh\ncat >/dev/null\n${when === null ? '' : `[ "$1" = ${when} ] || exit 0\n`}mkdir '${mark}' 2>/dev/null || exit 0\nkill -9 $PPID\n`,
  );
  chmodSync(file, 0o755);
  return () => existsSync(mark);
}

const deaths = [
  ['pre-receive', null, false],
  ['update', null, false],
  ['reference-transaction', 'prepared', false],
  ['reference-transaction', 'committed', true],
  ['post-receive', null, true],
  ['post-update', null, true],
] as const;

describe.for(transports)('by %s, a server that is killed', (transport) => {
  test.for(deaths)(
    'in its hook %s %s (after the log had moved: %s)',
    { timeout },
    async ([hook, when, hasMoved]) => {
      const at = await connected(transport);
      const { server, repo, there } = at;
      const struck = deadly(server, hook, when);
      const ran = await repo.start('alice', ['reserve', 'src/alice.ts']).ended;
      expect(struck()).toBe(true);
      expect(untrue(there, 'alice', ran)).toEqual([]);
      if (hasMoved) expect(ran.json['result']).toBe('granted');
      const lock = join(server.folder, 'refs/coord/log.lock');
      if (existsSync(lock)) {
        // A git that was killed has left it, over there; nobody here can tell, and nobody here may
        // take it away.
        const waiting = await repo.start('bob', ['reserve', 'src/bob.ts']).ended;
        expect({ code: waiting.code, message: waiting.json['error']?.message }).toEqual({
          code: 75,
          message: expect.stringMatching(/lock/),
        });
        rmSync(lock);
      }
      expect(await again(at, 'alice')).toEqual([]);
      expect(logFaults(there)).toEqual([]);
    },
  );
});

describe('planted bug', () => {
  test('an answer that takes a cut for a no is found to be untrue', { timeout }, async () => {
    const { server, repo, there } = await connected('http');
    deadly(server, 'post-receive', null);
    const ran = await repo.start('alice', ['reserve', 'src/alice.ts']).ended;
    expect(ran.json['result']).toBe('granted');
    expect(
      untrue(there, 'alice', {
        ...ran,
        code: 75,
        json: { error: { code: 'arbiter_unreachable' } },
      }),
    ).toHaveLength(1);
  });
});
