/**
 * What is granted while the server is silent, where a user has chosen that
 * (`coord.offline=advisory`): a log beside the copy, begun with what was last seen, so that the
 * agents of this clone do not get into each other's way. Nobody else knows of it. It ends with the
 * server's next word.
 */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { coordItself, showAgent } from '../core/agent.ts';
import type { Entry } from '../core/entry.ts';
import { describe } from '../core/lease.ts';
import { builtin } from '../git/builtin.ts';
import { readLocal, takeLocal, writeLocal } from '../git/local.ts';
import type { Repository } from '../git/repository.ts';
import { GitLogStore } from '../log/git-log-store.ts';
import type { Observation, StoreWorld } from '../log/log-store.ts';
import { makeCopy, remoteCopyFolder } from './copy-repository.ts';

const since = 'since';
const over = 'advice-over';

function folderOf(repository: Repository): string {
  return join(remoteCopyFolder(repository), 'offline.git');
}

export class OfflineLog {
  readonly #repository: Repository;
  readonly #world: StoreWorld;

  constructor(repository: Repository, world: StoreWorld) {
    this.#repository = repository;
    this.#world = world;
  }

  isBegun(): boolean {
    return existsSync(folderOf(this.#repository));
  }

  /** Begins it, if nobody has, with what was last `known` of the server's. */
  async observe(known: Observation): Promise<Observation> {
    const folder = folderOf(this.#repository);
    if (!this.isBegun()) makeCopy(this.#repository, folder);
    const store = this.store();
    let at = await store.observe();
    if (at.tip === null) {
      const by = coordItself;
      const entry: Entry = {
        seq: known.seq + 1,
        at: this.#world.wallMs(),
        agent: by,
        nonce: builtin.crypto.randomBytes(16).toString('hex'),
        events: [
          {
            event: 'moved',
            agent: by,
            why: 'the server is silent: from here on all is advice',
            tip: known.tip,
          },
        ],
      };
      writeLocal(folder, since, `${entry.seq}\n`);
      await store.swap(at, entry, {
        ...known.state,
        meta: { ...known.state.meta, previous: null },
      });
      at = await store.observe();
    }
    return { ...at, remote: known.remote ?? '', advisorySince: sinceIn(folder) };
  }

  /** The server has spoken: what was advice is over, and is told of once. */
  async end(): Promise<void> {
    const folder = folderOf(this.#repository);
    const { state } = await this.store().observe();
    const advisorySince = sinceIn(folder);
    const advice = [...state.leases.values()]
      .filter(({ token }) => token > advisorySince)
      .map((lease) => `${describe(lease)} of ${showAgent(lease.agent)}`);
    const ended = `${folder}.${process.pid}`;
    try {
      renameSync(folder, ended);
    } catch {
      // Another process has heard it too.
      return;
    }
    rmSync(ended, { recursive: true, force: true });
    if (advice.length > 0) writeLocal(this.#repository.commonDir, over, advice.join('\n'));
  }

  store(): GitLogStore {
    const folder = folderOf(this.#repository);
    return new GitLogStore(
      { ...this.#repository, gitDir: folder, commonDir: folder, top: folder, refs: 'files' },
      this.#world,
    );
  }
}

/** Where nobody can tell any more, all of it is advice. */
function sinceIn(folder: string): number {
  return Number(readLocal(folder, since) ?? '0') || 0;
}

/** What was advice and is over, for whoever asks first. */
export function adviceOver(repository: Repository): readonly string[] {
  return (takeLocal(repository.commonDir, over) ?? '').split('\n').filter((line) => line !== '');
}
