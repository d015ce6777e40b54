/**
 * The hooks and shims where /bin/sh is another shell: the tests that run them most, with the shell put
 * in its place where nobody else sees it. Debian's dash is in all other tests.
 * Needs: busybox, mksh, zsh, mounts of one's own.
 */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { passElsewhere } from '../support/elsewhere.ts';
import { executable } from '../support/gate.ts';
import { temporaryFolder } from '../support/repository.ts';

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
    passElsewhere(`mount --bind '${shell}' '${realpathSync('/bin/sh')}'`, files);
  },
  300_000,
);
