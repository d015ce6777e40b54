/**
 * What a user may set, as git config keys under `coord.`. A setting is its type and its entry here:
 * the reference, the manual, `coord doctor` and what is said of a wrong value follow from them.
 */
import { formatDuration } from './instant.ts';
import { limits } from './limits.ts';
import type { Folding } from './overlap.ts';
import { type Preset, presetsIn } from './presets.ts';
import {
  choice,
  count,
  duration,
  isTrue,
  type Setting,
  toolsIn,
  truth,
  wordsIn,
} from './setting.ts';

export interface Settings {
  readonly ttlMs: number;
  readonly claimTtlMs: number;
  readonly graceMs: number;
  readonly stalledMs: number;
  readonly breakMs: number;
  readonly onError: 'auto' | 'block' | 'warn';
  readonly mode: 'parallel' | 'sequential';
  readonly commitRate: number;
  readonly afterCommit: 'keep' | 'release';
  readonly edit: 'auto' | 'require' | 'conflict';
  readonly editTools: ReadonlyMap<string, string>;
  readonly statusLine: 'auto' | 'live' | 'digest';
  readonly tracker: 'auto' | 'file' | 'none';
  readonly tags: readonly string[];
  readonly presets: readonly Preset[];
  readonly agentTeams: 'auto' | 'off';
  readonly remote: string;
  readonly remoteView: boolean;
  readonly offline: 'refuse' | 'advisory';
  readonly sign: 'off' | 'ssh' | 'require';
  /** git's own, of this file system. */
  readonly folding: Folding;
}

type Table = {
  readonly [Name in Exclude<keyof Settings, 'folding'>]: Setting<Settings[Name]>;
};

function recorded(mostMs: number): string {
  return `a lease records at most ${formatDuration(mostMs)} of it when it is granted; the settings of whoever looks can only lengthen that`;
}

/** By the name under which the code finds it. */
const table: Table = {
  ttlMs: duration(limits.ttlMinMs, {
    name: 'coord.ttl',
    usual: '15m',
    means: 'How long a reservation or a lock lives after the last activity of its holder.',
    caps: `steady work doubles it once, up to ${formatDuration(limits.ttlSteadyMs)}`,
  }),
  claimTtlMs: duration(limits.ttlMinMs, {
    name: 'coord.claimttl',
    usual: '45m',
    means: 'How long a claim lives after the last activity of its holder.',
  }),
  graceMs: duration(0, {
    name: 'coord.grace',
    usual: '2m',
    means: 'How long after its TTL a lease may be taken again by its former holder alone.',
    caps: recorded(limits.graceMaxMs),
  }),
  stalledMs: duration(0, {
    name: 'coord.stalledAfter',
    usual: '60m',
    means:
      'A claim without any file activity for so long is stalled: anybody may take it with coord claim --take.',
    caps: recorded(limits.stalledMaxMs),
  }),
  breakMs: duration(0, {
    name: 'coord.breakAfter',
    usual: '5m',
    means:
      'A lease may be broken once its holder has not been seen for so long, or has not answered a request for twice that.',
    caps: recorded(limits.breakMaxMs),
  }),
  onError: choice(['auto', 'block', 'warn'], {
    name: 'coord.onError',
    usual: 'auto',
    means: 'What a hook does where coord itself fails: auto blocks agents and warns people.',
  }),
  mode: choice(['parallel', 'sequential'], {
    name: 'coord.mode',
    usual: 'parallel',
    means: 'sequential lets one claim stand at a time, for when working side by side does not pay.',
  }),
  commitRate: count('commits a minute', {
    name: 'coord.commitRate',
    usual: '10',
    means: 'Commits of others a minute, above which an agent is told of them as a digest.',
  }),
  afterCommit: choice(['keep', 'release'], {
    name: 'coord.afterCommit',
    usual: 'keep',
    means:
      'What becomes of leases on exactly the files that a commit holds: they stay until they are released, or go with it.',
  }),
  edit: choice(['auto', 'require', 'conflict'], {
    name: 'coord.edit',
    usual: 'auto',
    means:
      'Before an edit in a harness: auto reserves what is free, require wants it reserved already, conflict looks only at what others hold.',
  }),
  editTools: {
    name: 'coord.editTools',
    usual: '',
    means:
      'Tools of other servers that edit files, each with the field of its input that has the path.',
    takes: 'tool=field, separated by commas or spaces: mcp__fs__write_file=path',
    read: toolsIn,
  },
  statusLine: choice(['auto', 'live', 'digest'], {
    name: 'coord.statusline',
    usual: 'auto',
    means:
      'What coord statusline shows of others: live says who, digest how many, auto changes to the digest where much happens.',
  }),
  tracker: choice(['auto', 'file', 'none'], {
    name: 'coord.tracker',
    usual: 'auto',
    means:
      'Where beads come from: auto asks bd where it is on the PATH, else reads its file; file reads only that; none has no tracker.',
  }),
  tags: {
    name: 'coord.tags',
    usual: '',
    means: 'What an agent here is good at; a bead labelled needs:gpu wants the tag gpu.',
    takes: 'words, separated by commas or spaces',
    read: wordsIn,
  },
  presets: {
    name: 'coord.presets',
    usual: '',
    means:
      'Locks for commands that are run one at a time: coord run takes the right one. With ! nobody stands in line for it, with @checkout each checkout has its own.',
    takes: 'lock=command, command; lock!=command; lock@checkout=command',
    read: presetsIn,
  },
  agentTeams: choice(['auto', 'off'], {
    name: 'coord.agentTeams',
    usual: 'auto',
    means:
      'Whether the task list that a harness keeps for a team is looked at; it is never written.',
  }),
  remote: {
    name: 'coord.remote',
    usual: '',
    means:
      'The remote that has the log, as coord remote set and off write it; the log itself says which one holds.',
    takes: 'the name of a remote, or nothing; written by coord',
    read: (said: string) => said,
  },
  remoteView: truth({
    name: 'coord.remoteView',
    usual: 'false',
    means: 'Whether what the log shows goes to the server as well, in the push that moves it.',
  }),
  offline: choice(['refuse', 'advisory'], {
    name: 'coord.offline',
    usual: 'refuse',
    means:
      'Without the server: refuse grants nothing new, advisory grants to agents of this clone alone and marks it as advice.',
  }),
  sign: choice(['off', 'ssh', 'require'], {
    name: 'coord.sign',
    usual: 'off',
    means:
      "Whether operations on a remote log are signed: ssh signs them with the user's key, require believes only those that are signed.",
  }),
};

/** By key, as git spells it: in lower case. */
export const settingByKey: ReadonlyMap<string, Setting<unknown>> = new Map(
  Object.values(table).map((setting) => [setting.name.toLowerCase(), setting]),
);

/** `config` holds git's answers by lower-case key. */
export function settingsFrom(config: ReadonlyMap<string, string>): Settings {
  const values = Object.entries(table).map(([field, setting]) => [
    field,
    setting.read(config.get(setting.name.toLowerCase()) ?? setting.usual),
  ]);
  return {
    ...Object.fromEntries(values),
    folding: {
      ignoreCase: isTrue(config.get('core.ignorecase') ?? '') === true,
      composeUnicode: isTrue(config.get('core.precomposeunicode') ?? '') === true,
    },
  } as Settings;
}
