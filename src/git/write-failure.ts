/** A file that could not be written, said as what it means for the user. */
import { CoordError } from '../core/errors.ts';

const meanings: Readonly<Record<string, string>> = {
  EACCES: 'permission denied', EPERM: 'permission denied', EROFS: 'it is read-only', ENOSPC: 'the disk is full', EDQUOT: 'the quota is used up',
  EMFILE: 'too many files are open', ENFILE: 'too many files are open', EIO: 'the disk failed', EFBIG: 'a file would grow too large',
};

export function writeFailure(error: unknown, where: string): unknown {
  const meaning = error instanceof Error && 'code' in error ? meanings[String(error.code)] : undefined;
  return meaning === undefined ? error : new CoordError('not_writable', `cannot write to '${where}': ${meaning}`, 'nothing was changed; mend that and try again', error);
}
