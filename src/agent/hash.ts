import type { AgentName } from '../core/lease.ts';
import { builtin } from '../git/builtin.ts';

/** What stands in the log in place of a session's key, and in names in place of long ids. */
export function hashKey(key: string): string {
  return builtin.crypto.createHash('sha256').update(key).digest('hex').slice(0, 32);
}

/** Whoever is not on record, under an id that its name always has. */
export function unregistered(name: string): AgentName {
  return { id: hashKey(name).slice(0, 8), name };
}
