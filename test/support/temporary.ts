/** Throw-away folders. */
import { rmSync } from 'node:fs';
import { dirSync } from 'tmp-promise';
import { onTestFinished } from 'vitest';

/** A temporary folder that goes when the test has passed and stays when it has not. */
export function temporaryFolder(): string {
  const { name } = dirSync({ prefix: 'coord-test-', unsafeCleanup: true });
  onTestFinished(({ task }) => {
    if (task.result?.state !== 'fail') rmSync(name, { recursive: true, force: true });
  });
  return name;
}
