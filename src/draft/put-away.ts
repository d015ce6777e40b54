/**
 * While the hooks of somebody's commit have put away what is not staged there, the files are not
 * what anybody made of them.
 */
import { hidingHooks, runsPreCommit } from '../git/hiding-hooks.ts';
import type { Repository } from '../git/repository.ts';
import { sharedFiles } from '../shim/files.ts';
import { readShared } from '../shim/shared-file.ts';

/** Which tool has it; null where all is there. To the hooks of that very commit it is. */
export function whoHides(repository: Repository): string | null {
  const text = readShared(repository, sharedFiles.committing);
  const [, pid, startedAt = ''] = /^(\d+) (\d*)\n/.exec(text ?? '') ?? [];
  if (pid === undefined || pid === repository.git.env?.['COORD_GIT_PID']) return null;
  const [tool = null] = hidingHooks(repository.top);
  return tool !== null && runsPreCommit(pid, startedAt) ? tool : null;
}
