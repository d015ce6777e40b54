/**
 * A log that cannot be read, was rewound or was erased, made good again without losing a live
 * lease. The newest operation that is whole is taken as the base, whether the ref still reaches it,
 * this clone remembers it or an archive holds it; leases that only a later view or another branch
 * of the log shows are put back, because holding too much is safe and granting twice is not.
 */

import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { coordItself } from '../core/agent.ts';
import type { DecisionContext } from '../core/decide/decision.ts';
import { unite, type Witness } from '../core/decide/mend.ts';
import type { Entry } from '../core/entry.ts';
import { CoordError } from '../core/errors.ts';
import type { Oid } from '../core/ids.ts';
import type { Lease } from '../core/lease.ts';
import { readLease } from '../core/lease-record.ts';
import { readAgent } from '../core/record.ts';
import { emptyState } from '../core/state.ts';
import { wallAge } from '../git/local.ts';
import { parseCommit } from '../git/object-text.ts';
import { askObjects } from '../git/read-objects.ts';
import { listRefs, readRef, updateRefs, zeroOid } from '../git/refs.ts';
import type { Repository } from '../git/repository.ts';
import { noteTip, rememberedTip } from './continuity.ts';
import type { GitLogStore } from './git-log-store.ts';
import type { Observation } from './log-store.ts';
import { logRef } from './view.ts';

interface Repaired {
  readonly seq: number;
  readonly base: Oid | null;
  readonly restored: readonly Lease[];
}

/** How far back a whole operation is looked for. */
const searched = 4_096;

export async function repairLog(
  store: GitLogStore,
  repository: Repository,
  c: Omit<DecisionContext, 'seq'>,
  nonce: string,
): Promise<Repaired> {
  const raw = rawTip(repository);
  const remembered = rememberedTip(repository);
  const archived = [...listSafely(repository, 'refs/coord/archive/').values()];
  const found = [raw, remembered?.tip ?? null, ...archived.slice(-1)]
    .map((tip) => newestWhole(store, repository, tip))
    .filter((seen) => seen !== null);
  const [base] = found.toSorted((a, b) => b.seq - a.seq);
  const shown = shownByView(repository);
  const known = [...found.flatMap(({ state }) => [...state.leases.values()]), ...shown.leases];
  const seq =
    Math.max(
      remembered?.seq ?? 0,
      ...found.map((seen) => seen.seq),
      ...known.map(({ token }) => token),
    ) + 1;
  const circumstances: DecisionContext = { ...c, seq };
  const start = base?.state ?? {
    ...emptyState(c.now.at),
    meta: { ...emptyState(c.now.at).meta, rootSeq: seq },
  };
  const { state, restored } = unite(
    start,
    base?.seq ?? 0,
    {
      leases: known,
      agents: [...found.flatMap((seen) => [...seen.state.agents.values()]), ...shown.agents],
    },
    circumstances,
  );
  const coord = coordItself;
  const entry: Entry = {
    seq,
    at: c.now.at,
    agent: coord,
    nonce,
    events: [
      {
        event: 'repaired',
        agent: coord,
        base: base?.tip ?? null,
        leases: restored.map(({ id }) => id),
      },
    ],
  };
  const oid = await store.writeAlone(
    { tip: base?.tip ?? null, seq: seq - 1, state: start },
    entry,
    state,
  );
  pointAt(repository, oid, raw);
  noteTip(repository, { tip: oid, seq, state });
  return { seq, base: base?.tip ?? null, restored };
}

function listSafely(repository: Repository, prefix: string): ReadonlyMap<string, Oid> {
  try {
    return listRefs(repository, prefix);
  } catch {
    return new Map();
  }
}

function rawTip(repository: Repository): Oid | null {
  try {
    return readRef(repository, logRef);
  } catch {
    return null;
  }
}

/** From this commit back to the first operation whose state can be read whole. */
function newestWhole(
  store: GitLogStore,
  repository: Repository,
  tip: Oid | null,
): Observation | null {
  for (let at = tip, steps = 0; at !== null && steps < searched; steps += 1) {
    try {
      return store.read(at);
    } catch {
      at = parentOf(repository, at);
    }
  }
  return null;
}

function parentOf(repository: Repository, oid: Oid): Oid | null {
  try {
    const [object] = askObjects(repository, [oid]);
    return object?.kind === 'commit' ? (parseCommit(object.body).parents[0] ?? null) : null;
  } catch {
    // Larger than anything of ours, or not to be read at all.
    return null;
  }
}

/** What the view shows is not the truth, but where the truth is damaged it is a witness. */
function shownByView(repository: Repository): Witness {
  const tips = ['reservations', 'claims', 'locks', 'agents'].flatMap((folder) => [
    ...listSafely(repository, `refs/coord/${folder}/`).values(),
  ]);
  const records = (tips.length === 0 ? [] : askObjects(repository, tips)).flatMap(
    (object): unknown[] => {
      const [, json] =
        /^Record: (.*)$/m.exec(object === null ? '' : parseCommit(object.body).message) ?? [];
      try {
        return json === undefined ? [] : [JSON.parse(json)];
      } catch {
        return [];
      }
    },
  );
  return {
    leases: records.flatMap((value) => readLease(value) ?? []),
    agents: records.flatMap((value) => (readLease(value) === null ? (readAgent(value) ?? []) : [])),
  };
}

/** git will not move a ref whose file holds nonsense, so such a file is put aside first. */
function pointAt(repository: Repository, oid: Oid, raw: Oid | null): void {
  if (
    updateRefs(repository, [{ ref: logRef, value: oid, expected: raw ?? zeroOid(repository) }])
      .code === 0
  )
    return;
  if (raw === null && repository.refs === 'files') {
    renameSync(
      join(repository.commonDir, logRef),
      join(repository.commonDir, 'coord', `damaged-log-${wallAge(0)}`),
    );
    if (
      updateRefs(repository, [{ ref: logRef, value: oid, expected: zeroOid(repository) }]).code ===
      0
    )
      return;
  }
  throw new CoordError(
    'busy',
    'the log could not be repaired: git could not move its ref',
    'try again; coord doctor says what is in the way',
  );
}
