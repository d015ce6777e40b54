/** What holds where a flag with a value is not said: no definition of a flag has that by itself. */
import type { Flag } from '../../src/cli/verb.ts';
import { formatDuration } from '../../src/core/instant.ts';
import { limits } from '../../src/core/limits.ts';
import { settingByKey } from '../../src/core/settings.ts';
import { remoteDefaults } from '../../src/study/remote-options.ts';

const ttl = `coord.ttl (${settingByKey.get('coord.ttl')?.usual})`;

const defaults: Readonly<Record<string, string>> = {
  agent: 'the session, the login of a person, or the process that asks',
  directory: 'the current folder',
  color: 'auto',
  wait: 'do not wait',
  'reserve --ttl': ttl,
  'lock --ttl': ttl,
  'claim --ttl': `coord.claimttl (${settingByKey.get('coord.claimttl')?.usual})`,
  'run --ttl': `${formatDuration(limits.runTtlMs)}, renewed while the command runs`,
  'verify --ttl': `${formatDuration(limits.runTtlMs)}, renewed while the command runs`,
  'renew --ttl': "each lease's own",
  'run --lock': 'as coord.presets has it',
  'verify --lock': 'test',
  'verify --at': 'the work tree',
  'run --wait': '24h',
  'verify --wait': '24h',
  'log --since': '0',
  'log --limit': '100; all with --json or --since',
  'next --limit': '20',
  'stats --since': '24h',
  'sweep --older-than': '0s',
  'done --commit': 'the last one that names the bead since its claim',
  'rescue restore --to': 'a new temporary folder',
  'remote set --ref': 'refs/coord/log',
  'remote probe --ref': 'where the log is, or refs/coord/log',
  'push --as': 'the same name',
  'install --harness': 'those that are found',
  'install --hook': 'pre-receive',
  'simulate --machines': String(remoteDefaults.machines),
  'simulate --agents': String(remoteDefaults.agents),
  'simulate --rate': String(remoteDefaults.ratePerHour),
  'simulate --latency': `${remoteDefaults.latencyMs}ms`,
  'simulate --failures': String(remoteDefaults.failures),
  'simulate --files': String(remoteDefaults.files),
  'simulate --hours': String(remoteDefaults.hours),
  'simulate --seed': String(remoteDefaults.seed),
};

/** Of a switch it is always off. */
export function defaultOf(words: string | null, { name, value }: Flag): string {
  if (value === undefined) return 'off';
  const key = words === null ? name : `${words} --${name}`;
  const said = Object.hasOwn(defaults, key) ? defaults[key] : undefined;
  return said ?? (name === 'limit' ? 'all' : 'none');
}

/** Keys that name no flag any more. */
export function staleDefaults(known: ReadonlySet<string>): readonly string[] {
  return Object.keys(defaults).filter((key) => !known.has(key));
}
