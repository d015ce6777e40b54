/** Tests of ours run again where something of the machine is otherwise, and nobody else sees it. */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

/** `setup` is shell, run with mounts of one's own, before these files of the tier `process`. */
export function passElsewhere(setup: string, files: readonly string[]): void {
  // What this run of the tests knows of itself is none of that one's.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST|COORD_TEST_TALLY)/.test(name)),
  );
  const script = `mount --make-rprivate / && ${setup} && exec npx vitest run --project process ${files.join(' ')}`;
  const { status, stdout } = spawnSync('unshare', ['-m', '/bin/bash', '-c', script], {
    cwd: root,
    env,
    encoding: 'utf8',
  });
  expect(status, stdout.slice(-4_000)).toBe(0);
  expect(stdout).toMatch(/Tests .*\d{2,} passed/);
}
