/**
 * What each setting means and takes, for people. A module of its own, because `settings.ts` is
 * loaded by every command and these words by few.
 */
import { formatDuration } from './instant.ts';
import { limits } from './limits.ts';
import { type SettingKey, settingLeastMs, settingWords } from './settings.ts';

interface SettingText {
  /** As people write it; git takes any case. */
  readonly name: string;
  readonly means: string;
  /** How its value is read. */
  readonly takes: string;
  /** What bounds it beyond that. */
  readonly caps?: string;
}

function words(key: keyof typeof settingWords): string {
  return settingWords[key].join(', ');
}

function duration(key: keyof typeof settingLeastMs): string {
  return `a duration such as 90s, 15m or 2h, from ${formatDuration(settingLeastMs[key])} to ${formatDuration(limits.ttlMaxMs)}`;
}

function recorded(mostMs: number): string {
  return `a lease records at most ${formatDuration(mostMs)} of it when it is granted; the settings of whoever looks can only lengthen that`;
}

export const settingTexts: Readonly<Record<SettingKey, SettingText>> = {
  'coord.ttl': {
    name: 'coord.ttl',
    means: 'How long a reservation or a lock lives after the last activity of its holder.',
    takes: duration('coord.ttl'),
    caps: `steady work doubles it once, up to ${formatDuration(limits.ttlSteadyMs)}`,
  },
  'coord.claimttl': {
    name: 'coord.claimttl',
    means: 'How long a claim lives after the last activity of its holder.',
    takes: duration('coord.claimttl'),
  },
  'coord.grace': {
    name: 'coord.grace',
    means: 'How long after its TTL a lease may be taken again by its former holder alone.',
    takes: duration('coord.grace'),
    caps: recorded(limits.graceMaxMs),
  },
  'coord.stalledafter': {
    name: 'coord.stalledAfter',
    means:
      'A claim without any file activity for so long is stalled: anybody may take it with coord claim --take.',
    takes: duration('coord.stalledafter'),
    caps: recorded(limits.stalledMaxMs),
  },
  'coord.breakafter': {
    name: 'coord.breakAfter',
    means:
      'A lease may be broken once its holder has not been seen for so long, or has not answered a request for twice that.',
    takes: duration('coord.breakafter'),
    caps: recorded(limits.breakMaxMs),
  },
  'coord.onerror': {
    name: 'coord.onError',
    means: 'What a hook does where coord itself fails: auto blocks agents and warns people.',
    takes: words('coord.onerror'),
  },
  'coord.mode': {
    name: 'coord.mode',
    means: 'sequential lets one claim stand at a time, for when working side by side does not pay.',
    takes: words('coord.mode'),
  },
  'coord.commitrate': {
    name: 'coord.commitRate',
    means: 'Commits of others a minute, above which an agent is told of them as a digest.',
    takes: 'a whole number from 1',
  },
  'coord.aftercommit': {
    name: 'coord.afterCommit',
    means:
      'What becomes of leases on exactly the files that a commit holds: they stay until they are released, or go with it.',
    takes: words('coord.aftercommit'),
  },
  'coord.edit': {
    name: 'coord.edit',
    means:
      'Before an edit in a harness: auto reserves what is free, require wants it reserved already, conflict looks only at what others hold.',
    takes: words('coord.edit'),
  },
  'coord.edittools': {
    name: 'coord.editTools',
    means:
      'Tools of other servers that edit files, each with the field of its input that has the path.',
    takes: 'tool=field, separated by commas or spaces: mcp__fs__write_file=path',
  },
  'coord.statusline': {
    name: 'coord.statusline',
    means:
      'What coord statusline shows of others: live says who, digest how many, auto changes to the digest where much happens.',
    takes: words('coord.statusline'),
  },
  'coord.tracker': {
    name: 'coord.tracker',
    means:
      'Where beads come from: auto asks bd where it is on the PATH, else reads its file; file reads only that; none has no tracker.',
    takes: words('coord.tracker'),
  },
  'coord.tags': {
    name: 'coord.tags',
    means: 'What an agent here is good at; a bead labelled needs:gpu wants the tag gpu.',
    takes: 'words, separated by commas or spaces',
  },
  'coord.presets': {
    name: 'coord.presets',
    means:
      'Locks for commands that are run one at a time: coord run takes the right one. With ! nobody stands in line for it, with @checkout each checkout has its own.',
    takes: 'lock=command, command; lock!=command; lock@checkout=command',
  },
  'coord.agentteams': {
    name: 'coord.agentTeams',
    means:
      'Whether the task list that a harness keeps for a team is looked at; it is never written.',
    takes: words('coord.agentteams'),
  },
  'coord.remote': {
    name: 'coord.remote',
    means:
      'The remote that has the log, as coord remote set and off write it; the log itself says which one holds.',
    takes: 'the name of a remote, or nothing; written by coord',
  },
  'coord.remoteview': {
    name: 'coord.remoteView',
    means: 'Whether what the log shows goes to the server as well, in the push that moves it.',
    takes: words('coord.remoteview'),
  },
  'coord.offline': {
    name: 'coord.offline',
    means:
      'Without the server: refuse grants nothing new, advisory grants to agents of this clone alone and marks it as advice.',
    takes: words('coord.offline'),
  },
  'coord.sign': {
    name: 'coord.sign',
    means:
      "Whether operations on a remote log are signed: ssh signs them with the user's key, require believes only those that are signed.",
    takes: words('coord.sign'),
  },
};
