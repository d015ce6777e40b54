/** What stands in the log in place of a session's key, and in names in place of long ids. */
import type { AgentName } from './lease.ts';

export function hashKey(key: string): string {
  // Loaded only where it is asked for: it takes longer than most commands do.
  const { createHash } = process.getBuiltinModule('node:crypto');
  return createHash('sha256').update(key).digest('hex').slice(0, 32);
}

/** Whoever is not on record, under an id that its name always has. */
export function unregistered(name: string): AgentName {
  return { id: hashKey(name).slice(0, 8), name };
}
