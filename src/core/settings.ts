/** What a user may set, as git config keys under `coord.`, with what holds otherwise. */
import { CoordError } from './errors.ts';
import { parseDuration } from './instant.ts';
import { limits } from './limits.ts';
import type { Folding } from './overlap.ts';

export interface Settings {
  readonly ttlMs: number;
  readonly claimTtlMs: number;
  readonly graceMs: number;
  /** Commits of others a minute, above which they are told as a digest. */
  readonly commitRate: number;
  /** `sequential` lets one claim stand at a time, for when working side by side does not pay. */
  readonly mode: 'parallel' | 'sequential';
  /** What a hook does when coord itself fails: `auto` blocks agents and warns people. */
  readonly onError: 'auto' | 'block' | 'warn';
  readonly folding: Folding;
}

export const settingDefaults: Readonly<Record<'coord.ttl' | 'coord.claimttl' | 'coord.grace' | 'coord.onerror' | 'coord.mode' | 'coord.commitrate', string>> = {
  'coord.ttl': '15m',
  'coord.claimttl': '45m',
  'coord.grace': '2m',
  'coord.onerror': 'auto',
  'coord.mode': 'parallel',
  'coord.commitrate': '10',
};

/** `config` holds git's answers by lower-case key. */
export function settingsFrom(config: ReadonlyMap<string, string>): Settings {
  const onError = config.get('coord.onerror') ?? settingDefaults['coord.onerror'];
  if (onError !== 'auto' && onError !== 'block' && onError !== 'warn') throw new CoordError('bad_setting', `setting coord.onError '${onError}' is not one`, 'choose from auto, block, warn');
  const mode = config.get('coord.mode') ?? settingDefaults['coord.mode'];
  if (mode !== 'parallel' && mode !== 'sequential') throw new CoordError('bad_setting', `setting coord.mode '${mode}' is not one`, 'choose from parallel, sequential');
  const commitRate = Number(config.get('coord.commitrate') ?? settingDefaults['coord.commitrate']);
  if (!Number.isSafeInteger(commitRate) || commitRate < 1) throw new CoordError('bad_setting', 'setting coord.commitRate is not a whole number of commits a minute', 'git config coord.commitRate 10');
  const duration = (key: keyof typeof settingDefaults, least: number): number => {
    const ms = parseDuration(config.get(key) ?? settingDefaults[key], `setting ${key}`);
    if (ms >= least && ms <= limits.ttlMaxMs) return ms;
    throw new CoordError('bad_setting', `setting ${key} is out of range`, `choose from ${least / 1_000}s to 24h`);
  };
  return {
    ttlMs: duration('coord.ttl', limits.ttlMinMs),
    claimTtlMs: duration('coord.claimttl', limits.ttlMinMs),
    graceMs: duration('coord.grace', 0),
    onError, mode, commitRate,
    folding: { ignoreCase: config.get('core.ignorecase') === 'true', composeUnicode: config.get('core.precomposeunicode') === 'true' },
  };
}
