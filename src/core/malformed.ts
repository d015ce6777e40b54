/** What nobody would read back is not written, and what nobody has written is damage. */

import { CoordError } from './errors.ts';
import { limits } from './limits.ts';

/** The number of a line that is longer than a record may be, or null. */
export function longestAt(lines: readonly string[]): number | null {
  const at = lines.findIndex((line) => line.length > limits.recordChars);
  return at < 0 ? null : at + 1;
}

/** What nobody would read back is not written. */
export function checkRecord(row: string): string {
  if (row.length <= limits.recordChars) return row;
  const most = `${limits.recordChars} characters`;
  throw new CoordError(
    'record_too_large',
    `a record of ${row.length} characters is larger than the log takes (${most})`,
    'name fewer things, or shorter ones',
  );
}

export function malformed(where: string, what: string): CoordError {
  return new CoordError(
    'log_malformed',
    `the log is damaged at ${where}: ${what}`,
    'coord doctor --fix',
  );
}
