/** What of a remote log is damage, and not a server that cannot be reached. */

import { CoordError } from '../core/errors.ts';

export function isDamage(error: unknown): boolean {
  return (
    error instanceof CoordError &&
    (error.code === 'object_missing' || error.code === 'log_malformed')
  );
}
