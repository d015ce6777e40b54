/** A file that could not be written, said as what it means for the user. */
import { CoordError } from '../core/errors.ts';

const meanings: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'it is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota is used up',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EIO: 'the disk failed',
  EFBIG: 'a file would grow too large',
};

const reading = /^(read|l?stat|scandir|opendir|readlink|access)/;

export function writeFailure(error: unknown, where: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  // Making a folder on a read-only file system is reported as if its parent were missing.
  const readOnly =
    code === 'ENOENT' && error instanceof Error && 'syscall' in error && error.syscall === 'mkdir';
  const meaning = readOnly ? meanings['EROFS'] : meanings[code];
  const doing =
    error instanceof Error && 'syscall' in error && reading.test(String(error.syscall))
      ? 'read from'
      : 'write to';
  return meaning === undefined
    ? error
    : new CoordError(
        'not_writable',
        `cannot ${doing} '${where}': ${meaning}`,
        'nothing was changed; mend that and try again',
        error,
      );
}
