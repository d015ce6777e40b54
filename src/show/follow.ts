/**
 * The log as it grows. A follower lives long and reads little at a time, so new commits are read in
 * this process by isomorphic-git, which keeps its packs open, instead of by one git for each look.
 */
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rmdir,
  stat,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import type { RealWorld } from '../agent/world.ts';
import { parseEntry } from '../core/entry.ts';
import type { LoggedEntry, Observation } from '../log/log-store.ts';

const pollMs = 150;

export async function followLog(
  world: RealWorld,
  from: Observation,
  show: (entries: readonly LoggedEntry[], at: Observation) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const read = await reader(world);
  for (let last = from; !signal.aborted; ) {
    await world.clock.sleep(pollMs);
    const now = await world.store.peek();
    const fresh =
      now.tip === last.tip
        ? []
        : await (now.remote === undefined ? read(now, last) : world.store.history(now, last.seq));
    if (!show(fresh, now)) return;
    last = now;
  }
}

type Reader = (now: Observation, last: Observation) => Promise<readonly LoggedEntry[]>;

/** isomorphic-git knows neither SHA-256 nor what stands on a new root; the store reads those. */
async function reader({ repository, store }: RealWorld): Promise<Reader> {
  const throughStore: Reader = (now, last) => store.history(now, last.seq);
  if (repository.hash !== 'sha1') return throughStore;
  const { default: git } = await import('isomorphic-git');
  const fs = {
    promises: {
      readFile,
      lstat,
      mkdir,
      readdir,
      readlink,
      rmdir,
      stat,
      symlink,
      unlink,
      writeFile,
      chmod,
    },
  };
  const cache = {};
  return async (now, last) => {
    const fresh: LoggedEntry[] = [];
    for (let at = now.tip; at !== null && at !== last.tip; ) {
      const { oid, commit } = await git.readCommit({
        fs,
        gitdir: repository.commonDir,
        oid: at,
        cache,
      });
      fresh.push({ ...parseEntry(commit.message, oid), oid });
      at = commit.parent[0] ?? null;
      if (at === null) return throughStore(now, last);
    }
    return fresh.toReversed();
  };
}
