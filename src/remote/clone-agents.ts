/**
 * Which agents of a shared log work from this clone, and when each was last at work here: notes, so
 * that one entry can renew what all of them hold, and `remote off` knows whose leases to take
 * along.
 */
import { listLocal, readLocal, writeLocal } from '../git/local.ts';

const folder = 'remote/ours';

interface Activity {
  readonly domain: string;
  readonly uptimeMs: number;
}

export function noteOurs(commonDir: string, agent: string, { domain, uptimeMs }: Activity): void {
  writeLocal(commonDir, `${folder}/${agent}`, `${domain} ${uptimeMs}\n`);
}

export function oursAmong(commonDir: string): ReadonlyMap<string, Activity> {
  return new Map(
    listLocal(commonDir, folder)
      .filter((name) => /^[0-9a-z]{8}$/.test(name))
      .map((agent) => {
        const [domain = '', uptime] = (readLocal(commonDir, `${folder}/${agent}`) ?? '')
          .trim()
          .split(' ');
        return [agent, { domain, uptimeMs: Number(uptime) || 0 }] as const;
      }),
  );
}
