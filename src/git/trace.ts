/**
 * `COORD_TRACE=file` gets a line of JSON for every command and git child. Never a reason to fail.
 */
import { appendFileSync } from 'node:fs';
import { toJson } from '../core/harmless.ts';

export function trace(env: NodeJS.ProcessEnv, facts: Readonly<Record<string, unknown>>): void {
  const file = env['COORD_TRACE'];
  if (file === undefined || file === '') return;
  try {
    appendFileSync(
      file,
      `${toJson({ at: new Date().toISOString(), pid: process.pid, ...facts })}\n`,
    );
  } catch {
    // A trace that cannot be written must not change what is traced.
  }
}
