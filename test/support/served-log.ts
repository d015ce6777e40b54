/**
 * The log on a server, judged by the checker that its own guard uses: entry by entry, state by
 * state.
 */
import { checkLog } from '../../src/core/check-log.ts';
import type { Entry } from '../../src/core/entry.ts';
import { unauthorizedChanges } from '../../src/core/rights.ts';
import { commitsSince } from '../../src/git/commits.ts';
import { hashObject, storeObjects } from '../../src/git/objects.ts';
import { readRef } from '../../src/git/refs.ts';
import { openBare } from '../../src/git/repository.ts';
import { Operations } from '../../src/log/operations.ts';
import type { TestRepository } from './repository.ts';

export function servedFaults(there: TestRepository, ref = 'refs/coord/log'): readonly string[] {
  const repository = openBare(there.top, there.env);
  const tip = readRef(repository, ref);
  const chain = tip === null ? [] : commitsSince(repository, null, tip);
  if (chain === null) return ['it is no chain'];
  const operations = new Operations(repository);
  const stands = chain.map((oid) => operations.stand(oid));
  return [
    ...checkLog(stands),
    ...stands.flatMap(({ entry, state }, i) =>
      unauthorizedChanges(entry, stands[i - 1]?.state ?? null, state),
    ),
  ];
}

/** So many operations more on the server, in which nothing changes. */
export async function lengthen(there: TestRepository, count: number): Promise<void> {
  const repository = openBare(there.top, there.env);
  const operations = new Operations(repository);
  const objects = new Map<string, Buffer>();
  let seen = operations.read(readRef(repository, 'refs/coord/log') ?? '');
  for (let i = 0; i < count; i += 1) {
    const agent = { id: '0000abcd', name: 'zoe' };
    const entry: Entry = {
      seq: seen.seq + 1,
      at: Date.UTC(2026, 0, 1),
      agent,
      nonce: i.toString(16).padStart(32, 'a'),
      events: [{ event: 'tally', agent }],
    };
    const tip = operations.write(
      {
        write: (kind, body) => {
          const hashed = hashObject(repository, kind, body);
          objects.set(hashed.oid, hashed.store);
          return hashed.oid;
        },
      },
      seen,
      entry,
      seen.state,
    );
    seen = { ...seen, tip, seq: entry.seq };
  }
  await storeObjects(repository, [...objects], false);
  there.git('update-ref', 'refs/coord/log', seen.tip ?? '');
}
