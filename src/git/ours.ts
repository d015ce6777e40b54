/** Which agents of a shared log work from this clone: a note, so that `remote off` knows whose leases to take along. */
import { appendLocal, readLocal } from './local.ts';

const file = 'remote/ours';
const mostBytes = 262_144;

export function noteOurs(commonDir: string, agent: string): void {
  if (!oursAmong(commonDir).has(agent)) appendLocal(commonDir, file, `${agent}\n`, mostBytes);
}

export function oursAmong(commonDir: string): ReadonlySet<string> {
  return new Set((readLocal(commonDir, file) ?? '').split('\n').filter((line) => line !== ''));
}
