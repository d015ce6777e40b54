/**
 * Where there is no /proc, as on macOS and in some containers: what is lost there is said in
 * docs/platforms.md, and the rest holds. Needs: mounts of one's own.
 */
import { test } from 'vitest';
import { passElsewhere } from '../support/elsewhere.ts';

test('reserving, committing, hooks and shims work without /proc', () => {
  passElsewhere('mount -t tmpfs none /proc', [
    'test/shim/files',
    'test/guard/commit-hooks',
    'test/guard/first-commit',
    'test/guard/ref-transaction',
    'test/guard/queued-commit',
    'test/cli/commands/reserve',
    'test/cli/commands/check',
    'test/cli/commands/init',
  ]);
}, 300_000);
