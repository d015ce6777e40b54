/** Takes back what an agent has in hand of a file: kept first, so that it can come back. */

import { join } from 'node:path';
import type { RealWorld } from '../agent/world.ts';
import { CoordError } from '../core/errors.ts';
import type { AgentName } from '../core/lease.ts';
import { fileOf } from '../core/lines/record.ts';
import { without } from '../core/lines/without.ts';
import { existsAt } from '../git/files-at.ts';
import { headOf } from '../git/head.ts';
import { onDraftOf } from '../git/tested-tree.ts';
import { ownerOf, type Part } from './in-hand.ts';
import { rewriteShared } from './rewritten.ts';
import { saveWork } from './saved-work.ts';
import { statOf } from './vanished.ts';

export type Undone = 'undone' | 'same' | 'moved' | 'new' | 'not-kept';

const why = 'coord undo';

export function undo(world: RealWorld, { path, agent, lines }: Part): Undone {
  return lines === null ? undoWhole(world, path, agent) : undoLines(world, path, agent);
}

/** What others have in the file stays as it is. */
function undoLines(world: RealWorld, path: string, agent: AgentName | null): Undone {
  const { repository, clock } = world;
  const owner = ownerOf(agent);
  const came = rewriteShared(repository, {
    path,
    owner,
    at: clock.now().at,
    text: (lines) => fileOf(without(lines, owner)),
    keep: (lines) => {
      if (saveWork(world, [{ path, agent, lines }], why).length === 0)
        throw new CoordError('git_failed', `'${path}' could not be kept, so it is left as it is`);
    },
  });
  return came === 'written' ? 'undone' : came;
}

/** As HEAD has it, filters and mode too; what HEAD has not is not removed. */
function undoWhole(world: RealWorld, path: string, agent: AgentName | null): Undone {
  const { repository } = world;
  const { oid: head } = headOf(repository);
  if (head === null || !existsAt(repository, head, path)) return 'new';
  const isGone = statOf(join(repository.top, path)) === undefined;
  if (!isGone && saveWork(world, [{ path, agent }], why).length === 0) return 'not-kept';
  onDraftOf(repository, join(repository.gitDir, 'index'), (ask) => {
    ask(['read-tree', head]);
    ask(['checkout-index', '--force', '-z', '--stdin'], `${path}\0`);
  });
  return 'undone';
}
