/** What a user may set, as git config keys under `coord.`, with what holds otherwise. */
import { CoordError } from './errors.ts';
import { parseDuration } from './instant.ts';
import { limits } from './limits.ts';
import type { Folding } from './overlap.ts';
import { type Preset, presetsIn } from './presets.ts';

export interface Settings {
  readonly ttlMs: number;
  readonly claimTtlMs: number;
  readonly graceMs: number;
  /** A claim without any file activity for so long is stalled: anybody may take it. */
  readonly stalledMs: number;
  /**
   * A lease may be broken once its holder has not been seen for so long, or has not answered for
   * twice that.
   */
  readonly breakMs: number;
  /** What becomes of leases on exactly the files that a commit holds. */
  readonly afterCommit: 'keep' | 'release';
  /** Commits of others a minute, above which they are told as a digest. */
  readonly commitRate: number;
  /** `sequential` lets one claim stand at a time, for when working side by side does not pay. */
  readonly mode: 'parallel' | 'sequential';
  /** What a hook does when coord itself fails: `auto` blocks agents and warns people. */
  readonly onError: 'auto' | 'block' | 'warn';
  /**
   * Before an edit: reserve what is free, want it reserved already, or look only at what others
   * hold.
   */
  readonly edit: 'auto' | 'require' | 'conflict';
  /** Tools of other servers that edit, with the field of their input that has the path. */
  readonly editTools: ReadonlyMap<string, string>;
  readonly statusLine: 'auto' | 'live' | 'digest';
  /** Where beads come from: `bd` where it is, its file, or nowhere. */
  readonly tracker: 'auto' | 'file' | 'none';
  /** What an agent here is good at; beads labelled `needs:<tag>` want one of them. */
  readonly tags: readonly string[];
  /** Whether the task list that a harness keeps for a team is looked at; it is never written. */
  readonly agentTeams: 'auto' | 'off';
  /** Without the server: nothing is granted, or what is granted is advice. */
  readonly offline: 'refuse' | 'advisory';
  /** The view goes to the server as well, in the push that moves the log. */
  readonly remoteView: boolean;
  /**
   * Operations on a remote log are signed with the user's ssh key; or are only believed with a
   * signature.
   */
  readonly sign: 'off' | 'ssh' | 'require';
  /** Commands that are run one at a time. */
  readonly presets: readonly Preset[];
  readonly folding: Folding;
}

/** As git spells keys: in lower case. What each means stands in `settings-text.ts`. */
export type SettingKey =
  `coord.${'ttl' | 'claimttl' | 'grace' | 'stalledafter' | 'breakafter' | 'onerror' | 'mode' | 'commitrate' | 'aftercommit' | 'edit' | 'edittools' | 'statusline' | 'tracker' | 'tags' | 'presets' | 'agentteams' | 'remote' | 'remoteview' | 'offline' | 'sign'}`;

export const settingDefaults: Readonly<Record<SettingKey, string>> = {
  'coord.ttl': '15m',
  'coord.claimttl': '45m',
  'coord.grace': '2m',
  'coord.stalledafter': '60m',
  'coord.breakafter': '5m',
  'coord.onerror': 'auto',
  'coord.mode': 'parallel',
  'coord.commitrate': '10',
  'coord.aftercommit': 'keep',
  'coord.edit': 'auto',
  'coord.edittools': '',
  'coord.statusline': 'auto',
  'coord.tracker': 'auto',
  'coord.tags': '',
  'coord.presets': '',
  'coord.agentteams': 'auto',
  'coord.remote': '',
  'coord.remoteview': 'false',
  'coord.offline': 'refuse',
  'coord.sign': 'off',
};

/** Those that take one of a few words. */
export const settingWords = {
  'coord.onerror': ['auto', 'block', 'warn'],
  'coord.mode': ['parallel', 'sequential'],
  'coord.aftercommit': ['keep', 'release'],
  'coord.edit': ['auto', 'require', 'conflict'],
  'coord.statusline': ['auto', 'live', 'digest'],
  'coord.tracker': ['auto', 'file', 'none'],
  'coord.agentteams': ['auto', 'off'],
  'coord.remoteview': ['true', 'false'],
  'coord.offline': ['refuse', 'advisory'],
  'coord.sign': ['off', 'ssh', 'require'],
} as const;

/** Those that take a duration, each with the least that it may be; the most is 24h for all. */
export const settingLeastMs: Readonly<
  Record<`coord.${'ttl' | 'claimttl' | 'grace' | 'stalledafter' | 'breakafter'}`, number>
> = {
  'coord.ttl': limits.ttlMinMs,
  'coord.claimttl': limits.ttlMinMs,
  'coord.grace': 0,
  'coord.stalledafter': 0,
  'coord.breakafter': 0,
};

type Words = typeof settingWords;

function choice<K extends keyof Words>(
  config: ReadonlyMap<string, string>,
  key: K,
): Words[K][number] {
  const words: readonly Words[K][number][] = settingWords[key];
  const said = config.get(key) ?? settingDefaults[key];
  const word = words.find((candidate) => candidate === said);
  if (word === undefined)
    throw new CoordError(
      'bad_setting',
      `invalid value '${said}' for ${key}`,
      `choose from ${words.join(', ')}`,
    );
  return word;
}

/**
 * `mcp__fs__write_file=path, mcp__fs__move=source`: tools that edit, each with the field that has
 * the path.
 */
function toolsIn(said: string): ReadonlyMap<string, string> {
  return new Map(
    said
      .split(/[\s,]+/)
      .filter((word) => word !== '')
      .map((word) => {
        const [, tool, field] = /^([A-Za-z0-9_.-]+)=([A-Za-z0-9_]+)$/.exec(word) ?? [];
        if (tool !== undefined && field !== undefined) return [tool, field] as const;
        throw new CoordError(
          'bad_setting',
          `invalid value '${word}' for coord.editTools`,
          'git config coord.editTools "mcp__fs__write_file=path"',
        );
      }),
  );
}

/** `config` holds git's answers by lower-case key. */
export function settingsFrom(config: ReadonlyMap<string, string>): Settings {
  const onError = choice(config, 'coord.onerror');
  const mode = choice(config, 'coord.mode');
  const afterCommit = choice(config, 'coord.aftercommit');
  const edit = choice(config, 'coord.edit');
  const statusLine = choice(config, 'coord.statusline');
  const commitRate = Number(config.get('coord.commitrate') ?? settingDefaults['coord.commitrate']);
  if (!Number.isSafeInteger(commitRate) || commitRate < 1)
    throw new CoordError(
      'bad_setting',
      'setting coord.commitRate is not a whole number of commits a minute',
      'git config coord.commitRate 10',
    );
  const duration = (key: keyof typeof settingLeastMs): number => {
    const least = settingLeastMs[key];
    const ms = parseDuration(config.get(key) ?? settingDefaults[key], `setting ${key}`);
    if (ms >= least && ms <= limits.ttlMaxMs) return ms;
    throw new CoordError(
      'bad_setting',
      `setting ${key} is out of range`,
      `choose from ${least / 1_000}s to 24h`,
    );
  };
  return {
    ttlMs: duration('coord.ttl'),
    claimTtlMs: duration('coord.claimttl'),
    graceMs: duration('coord.grace'),
    stalledMs: duration('coord.stalledafter'),
    breakMs: duration('coord.breakafter'),
    tracker: choice(config, 'coord.tracker'),
    tags: (config.get('coord.tags') ?? '').split(/[\s,]+/).filter((tag) => tag !== ''),
    remoteView: choice(config, 'coord.remoteview') === 'true',
    offline: choice(config, 'coord.offline'),
    sign: choice(config, 'coord.sign'),
    agentTeams: choice(config, 'coord.agentteams'),
    presets: presetsIn(config.get('coord.presets') ?? ''),
    onError,
    mode,
    commitRate,
    afterCommit,
    edit,
    statusLine,
    editTools: toolsIn(config.get('coord.edittools') ?? ''),
    folding: {
      ignoreCase: config.get('core.ignorecase') === 'true',
      composeUnicode: config.get('core.precomposeunicode') === 'true',
    },
  };
}
