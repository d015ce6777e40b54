/**
 * The log stays small: past a limit it gets a new root that carries the same state, names the tip
 * it was made from and goes on counting. The old chain is packed and kept for a while under
 * `refs/coord/archive`, then dropped. coord clears away its own dead objects, and only those.
 *
 * Why no object in use is lost: what is cleared away was listed before the new root was put in
 * place, so whoever still builds on the old tip will fail its swap; whoever builds on the new root
 * touches every object it uses afterwards (objects.ts), and what was touched since is left alone.
 */

import { coordItself } from '../core/agent.ts';
import type { Entry } from '../core/entry.ts';
import { limits } from '../core/limits.ts';
import { encodeState, type State } from '../core/state.ts';
import { builtin } from '../git/builtin.ts';
import { dropLocal, tidyLocal, wallAge } from '../git/local.ts';
import { updateRefs } from '../git/refs.ts';
import type { Repository } from '../git/repository.ts';
import { runGit } from '../git/run-git.ts';
import {
  archivePrefix,
  clearAway,
  dropArchives,
  isShared,
  journal,
  takeJournal,
} from './dead-objects.ts';
import { historySince, noncesAt, readLink } from './history.ts';
import type { LoggedEntry, LogStore, Observation } from './log-store.ts';

export async function maintainLog(
  store: LogStore,
  repository: Repository,
  after: Observation,
  wallMs: number,
): Promise<void> {
  const { rootSeq, rootAt } = after.state.meta;
  const entries = after.seq - rootSeq + 1;
  const due =
    entries >= limits.logEntries ||
    (entries >= limits.logAgeEntries && wallMs - rootAt > limits.logAgeMs);
  if (due) await compact(store, repository, after, wallMs);
}

export async function compact(
  store: LogStore,
  repository: Repository,
  after: Observation,
  wallMs: number,
): Promise<boolean> {
  if (after.tip === null) return false;
  const startedMs = wallAge(0);
  const listed = takeJournal(repository);
  const links = historyIfWhole(repository, after);
  const [first] = links ?? [];
  const older =
    first === undefined ? [] : noncesAt(repository, readLink(repository, first.oid).tree);
  const { entry, state } = newRoot(after, older, links ?? [], wallMs);
  const archive = `${archivePrefix}${String(after.seq).padStart(12, '0')}`;
  // A chain that is not whole is not archived: git would complain of it for as long as a ref
  // reached it.
  if (
    links !== null &&
    updateRefs(repository, [{ ref: archive, value: after.tip, expected: null }]).code !== 0
  )
    return false;
  const { oid } = await store.swap(after, entry, state);
  const now = await store.observe();
  if (now.tip !== oid) {
    // Whoever came first may have made the same archive for the same tip; then it is theirs.
    if (now.state.meta.previous !== after.tip)
      updateRefs(repository, [{ ref: archive, value: null, expected: after.tip }]);
    return false;
  }
  if (links === null || isShared(repository, listed, after.state.meta.rootAt))
    dropLocal(repository.commonDir, `${journal}.old`);
  else clearAway(repository, after, listed, startedMs);
  dropArchives(repository, wallMs);
  tidyLocal(repository.commonDir, '.', /\.\d+-[0-9a-f]{8}$/, startedMs - limits.agentIdleMs);
  for (const folder of ['tally', 'said'])
    tidyLocal(repository.commonDir, folder, /./, startedMs - 2 * limits.agentIdleMs);
  return true;
}

/** The present chain, or null where something of it is missing. */
function historyIfWhole(repository: Repository, after: Observation): readonly LoggedEntry[] | null {
  const whole = runGit(repository.git, [
    `--git-dir=${repository.commonDir}`,
    'rev-list',
    '--objects',
    '--quiet',
    '--end-of-options',
    after.tip ?? '',
  ]);
  return whole.code === 0 ? historySince(repository, after, after.state.meta.rootSeq - 1) : null;
}

function newRoot(
  after: Observation,
  older: readonly string[],
  links: readonly { readonly seq: number; readonly at: number; readonly nonce: string }[],
  wallMs: number,
): { readonly entry: Entry; readonly state: State } {
  const seq = after.seq + 1;
  const recent = [...older, ...links.map((link) => `${link.seq}:${link.at}:${link.nonce}`)]
    .filter((kept) => wallMs - Number(kept.split(':')[1]) < limits.nonceAgeMs)
    .slice(-limits.noncesKept);
  const texts = Object.values(encodeState(after.state)).join('');
  const stateHash = builtin.crypto.createHash('sha256').update(texts).digest('hex');
  const coord = coordItself;
  const nonce = builtin.crypto
    .createHash('sha256')
    .update(`${after.tip ?? ''}:root`)
    .digest('hex')
    .slice(0, 32);
  return {
    state: {
      ...after.state,
      meta: {
        ...after.state.meta,
        rootSeq: seq,
        rootAt: wallMs,
        previous: after.tip,
        stateHash,
        nonces: recent,
      },
    },
    entry: {
      seq,
      at: wallMs,
      agent: coord,
      nonce,
      events: [
        {
          event: 'compacted',
          agent: coord,
          previous: after.tip,
          previousSeq: after.seq,
          stateHash,
        },
      ],
    },
  };
}
