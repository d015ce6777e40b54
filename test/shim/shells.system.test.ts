/**
 * The hooks and shims where /bin/sh is another shell: the tests that run them most, with the shell put
 * in its place where nobody else sees it. Debian's dash is in all other tests.
 * Needs: busybox, mksh, zsh, mounts of one's own.
 */
import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { executable } from '../support/gate.ts';
import { temporaryFolder } from '../support/repository.ts';

const root = resolve(import.meta.dirname, '../..');

const files = [
  'test/shim/files',
  'test/shim/launch',
  'test/guard/commit-hooks',
  'test/guard/commit-message',
  'test/guard/pre-push',
  'test/guard/ref-transaction',
  'test/guard/refused-move',
  'test/harness/callers',
  'test/harness/told',
  'test/harness/unheard.process',
];

test.each([
  ['busybox sh', 'exec busybox sh "$@"'],
  ['mksh', 'exec -a sh mksh "$@"'],
  ['bash --posix', 'exec -a sh bash --posix "$@"'],
  ['zsh --emulate sh', 'exec -a sh zsh --emulate sh "$@"'],
])(
  'pass under %s',
  (_, runs) => {
    const shell = join(temporaryFolder(), 'shell');
    executable(shell, `#!/bin/bash\n${runs}\n`);
    const place = realpathSync('/bin/sh');
    const script = `mount --make-rprivate / && mount --bind '${shell}' '${place}' && exec npx vitest run --project process ${files.join(' ')}`;
    // What this run of the tests knows of itself is none of that one's.
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^(VITEST|COORD_TEST_TALLY)/.test(name)),
    );
    const child = spawnSync('unshare', ['-m', '/bin/bash', '-c', script], {
      cwd: root,
      env,
      encoding: 'utf8',
    });
    expect(child.status, child.stdout.slice(-4_000)).toBe(0);
    expect(child.stdout).toMatch(/Tests .*\d{2,} passed/);
  },
  300_000,
);
