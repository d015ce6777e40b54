/** The log on a server, judged by the checker that its own guard uses: entry by entry, state by state. */
import { checkLog } from '../../src/core/check-log.ts';
import { trespasses } from '../../src/core/rights.ts';
import { emptyState } from '../../src/core/state.ts';
import { commitsSince } from '../../src/git/commits.ts';
import { Operations } from '../../src/git/operations.ts';
import { readRef } from '../../src/git/refs.ts';
import { openBare } from '../../src/git/repository.ts';
import type { TestRepository } from './repository.ts';

export function servedFaults(there: TestRepository, ref = 'refs/coord/log'): readonly string[] {
  const repository = openBare(there.top, there.env);
  const tip = readRef(repository, ref);
  const chain = tip === null ? [] : commitsSince(repository, null, tip);
  if (chain === null) return ['it is no chain'];
  const operations = new Operations(repository);
  const stands = chain.map((oid) => operations.stand(oid));
  return [...checkLog(stands), ...stands.flatMap(({ entry, state }, i) => trespasses(entry, stands[i - 1]?.state ?? emptyState(0), state))];
}
