/** The log in memory as a checker reads it. */
import type { Stand } from '../core/check-log.ts';
import { decodeState } from '../core/state.ts';
import type { MemoryLog } from '../log/memory-log-store.ts';

export function standsOf(log: MemoryLog, from = 0): readonly Stand[] {
  return log.entries
    .slice(from)
    .map(({ logged, files }) => ({ entry: logged, state: decodeState(files, logged.oid) }));
}
