/**
 * What a user may set, as git config keys under `coord.`. A setting is one entry here, its type
 * with it: the reference, the manual, `coord doctor` and what is said of a wrong value follow.
 */
import { formatDuration } from './instant.ts';
import { limits } from './limits.ts';
import type { Folding } from './overlap.ts';
import { type Pool, poolsIn } from './pools.ts';
import { type Preset, presetsIn } from './presets.ts';
import {
  choice,
  count,
  duration,
  insideIn,
  isTrue,
  patternsIn,
  type Setting,
  toolsIn,
  truth,
  wordsIn,
} from './setting.ts';

function recorded(mostMs: number): string {
  return `a lease records at most ${formatDuration(mostMs)} of it when it is granted; the settings of whoever looks can only lengthen that`;
}

/** By the name under which the code finds it. */
class Table {
  readonly ttlMs: Setting<number> = duration(limits.ttlMinMs, {
    name: 'coord.ttl',
    usual: '15m',
    means: 'How long a reservation or a lock lives after the last activity of its holder.',
    caps: `steady work doubles it once, up to ${formatDuration(limits.ttlSteadyMs)}`,
  });
  readonly claimTtlMs: Setting<number> = duration(limits.ttlMinMs, {
    name: 'coord.claimttl',
    usual: '45m',
    means: 'How long a claim lives after the last activity of its holder.',
  });
  readonly graceMs: Setting<number> = duration(0, {
    name: 'coord.grace',
    usual: '2m',
    means: 'How long after its TTL a lease may be taken again by its former holder alone.',
    caps: recorded(limits.graceMaxMs),
  });
  readonly stalledMs: Setting<number> = duration(0, {
    name: 'coord.stalledAfter',
    usual: '60m',
    means:
      'A claim without any file activity for so long is stalled: anybody may take it with coord claim --take.',
    caps: recorded(limits.stalledMaxMs),
  });
  readonly breakMs: Setting<number> = duration(0, {
    name: 'coord.breakAfter',
    usual: '5m',
    means:
      'A lease may be broken once its holder has not been seen for so long, or has not answered a request for twice that.',
    caps: recorded(limits.breakMaxMs),
  });
  readonly onError: Setting<'auto' | 'block' | 'warn'> = choice(['auto', 'block', 'warn'], {
    name: 'coord.onError',
    isOwn: true,
    usual: 'auto',
    means: 'What a hook does where coord itself fails: auto blocks agents and warns people.',
  });
  readonly mode: Setting<'parallel' | 'sequential'> = choice(['parallel', 'sequential'], {
    name: 'coord.mode',
    usual: 'parallel',
    means: 'sequential lets one claim stand at a time, for when working side by side does not pay.',
  });
  readonly commitRate: Setting<number> = count('commits a minute', {
    name: 'coord.commitRate',
    usual: '10',
    means: 'Commits of others a minute, above which an agent is told of them as a digest.',
  });
  readonly afterCommit: Setting<'keep' | 'release'> = choice(['keep', 'release'], {
    name: 'coord.afterCommit',
    usual: 'keep',
    means:
      'What becomes of leases on exactly the files that a commit holds: they stay until they are released, or go with it.',
  });
  readonly edit: Setting<'auto' | 'require' | 'conflict'> = choice(
    ['auto', 'require', 'conflict'],
    {
      name: 'coord.edit',
      usual: 'auto',
      means:
        'Before an edit in a harness: auto reserves what is free, require wants it reserved already, conflict looks only at what others hold.',
    },
  );
  readonly editMode: Setting<'exclusive' | 'lines'> = choice(['exclusive', 'lines'], {
    name: 'coord.editMode',
    usual: 'lines',
    means:
      'How a harness reserves what is edited: exclusive is the file for one agent, lines lets several in one work tree edit it, each their own lines.',
  });
  readonly unionPaths: Setting<readonly string[]> = {
    name: 'coord.union',
    usual: '',
    means:
      'Files in which what several agents add at one place is all kept, beside those with merge=union in .gitattributes.',
    takes: 'patterns of files, separated by spaces, or set several times; together not every file',
    isMany: true,
    read: (said: string) => patternsIn('coord.union', said),
  };
  readonly regenerate: Setting<readonly string[]> = {
    name: 'coord.regenerate',
    usual:
      '**/package-lock.json **/npm-shrinkwrap.json **/yarn.lock **/pnpm-lock.yaml **/bun.lock **/Cargo.lock **/go.sum **/poetry.lock **/uv.lock **/Gemfile.lock **/composer.lock',
    means:
      'Files that a program makes anew, such as lock files: where only these conflict, nobody is told.',
    takes: 'patterns of files, separated by spaces, or set several times',
    isMany: true,
    read: insideIn('coord.regenerate'),
  };
  readonly oneWriter: Setting<readonly string[]> = {
    name: 'coord.oneWriter',
    usual: '.beads/**',
    means: 'Files of state that one program writes: where only these conflict, nobody is told.',
    takes: 'patterns of files, separated by spaces, or set several times',
    isMany: true,
    read: insideIn('coord.oneWriter'),
  };
  readonly editTools: Setting<ReadonlyMap<string, string>> = {
    name: 'coord.editTools',
    usual: '',
    means:
      'Tools of other servers that edit files, each with the field of its input that has the path.',
    takes: 'tool=field, separated by commas or spaces: mcp__fs__write_file=path',
    read: toolsIn,
  };
  readonly statusLine: Setting<'auto' | 'live' | 'digest'> = choice(['auto', 'live', 'digest'], {
    name: 'coord.statusline',
    isOwn: true,
    usual: 'auto',
    means:
      'What coord statusline shows of others: live says who, digest how many, auto changes to the digest where much happens.',
  });
  readonly tracker: Setting<'auto' | 'file' | 'none'> = choice(['auto', 'file', 'none'], {
    name: 'coord.tracker',
    isOwn: true,
    usual: 'auto',
    means:
      'Where beads come from: auto asks bd where it is on the PATH, else reads its file; file reads only that; none has no tracker.',
  });
  readonly tags: Setting<readonly string[]> = {
    name: 'coord.tags',
    usual: '',
    means: 'What an agent here is good at; a bead labelled needs:gpu wants the tag gpu.',
    takes: 'words, separated by commas or spaces',
    read: wordsIn,
  };
  readonly presets: Setting<readonly Preset[]> = {
    name: 'coord.presets',
    between: '; ',
    usual: '',
    means:
      'Locks for commands that are run one at a time: coord run takes the right one. With ! nobody stands in line for it, with @checkout each checkout has its own.',
    takes: 'lock=command, command; lock!=command; lock@checkout=command',
    read: presetsIn,
  };
  readonly verifyLinks: Setting<readonly string[]> = {
    name: 'coord.verifyLink',
    usual: '**/node_modules',
    means:
      'Folders that git ignores and commands need: linked into the folder of coord verify --own and --at.',
    takes: 'patterns of folders, separated by spaces, or set several times',
    isMany: true,
    read: (said: string) => said.split(/\s+/).filter((word) => word !== ''),
  };
  readonly workRoot: Setting<string> = {
    name: 'coord.workRoot',
    isOwn: true,
    usual: '',
    means:
      'Folder in which coord work start makes work trees; unless it is set, one beside the repository with .work behind its name.',
    takes: 'a path, from the top of the main work tree unless it is absolute',
    read: (said: string) => said,
  };
  readonly workLink: Setting<readonly string[]> = {
    name: 'coord.workLink',
    usual: '**/node_modules',
    means:
      'Folders that git ignores and that a new work tree needs: their entries are linked, so that it takes no time and no space.',
    takes: 'patterns of folders, separated by spaces, or set several times',
    isMany: true,
    read: insideIn('coord.workLink'),
  };
  readonly workCopy: Setting<readonly string[]> = {
    name: 'coord.workCopy',
    usual: '',
    means:
      'Files and folders that git ignores and that a new work tree gets copies of, beside those that .worktreeinclude names; they are kept when a work tree goes.',
    takes: 'patterns, separated by spaces, or set several times',
    isMany: true,
    read: insideIn('coord.workCopy'),
  };
  readonly workPools: Setting<readonly Pool[]> = {
    name: 'coord.workPools',
    between: '; ',
    usual: '',
    means:
      'Numbers and names of which each work tree gets its own, such as ports and databases, as variables of its session.',
    takes: 'NAME=first-last; NAME=word,word',
    read: poolsIn,
  };
  readonly workRun: Setting<string> = {
    name: 'coord.workRun',
    usual: '',
    means:
      'A command that makes a new work tree ready; it is run only where coord.allow has this very command.',
    takes: 'a command line of sh',
    read: (said: string) => said.trim(),
  };
  readonly allow: Setting<readonly string[]> = {
    name: 'coord.allow',
    isOwn: true,
    between: '\n',
    usual: '',
    means: 'Commands of the team settings that may be run here, each as it stands there.',
    takes: 'a command line of sh; set several times for several',
    isMany: true,
    read: (said: string) => said.split('\n').filter((line) => line !== ''),
  };
  readonly agentTeams: Setting<'auto' | 'off'> = choice(['auto', 'off'], {
    name: 'coord.agentTeams',
    isOwn: true,
    usual: 'auto',
    means:
      'Whether the task list that a harness keeps for a team is looked at; it is never written.',
  });
  readonly remote: Setting<string> = {
    name: 'coord.remote',
    isOwn: true,
    usual: '',
    means:
      'The remote that has the log, as coord remote set and off write it; the log itself says which one holds.',
    takes: 'the name of a remote, or nothing; written by coord',
    read: (said: string) => said,
  };
  readonly remoteView: Setting<boolean> = truth({
    name: 'coord.remoteView',
    usual: 'false',
    means: 'Whether what the log shows goes to the server as well, in the push that moves it.',
  });
  readonly offline: Setting<'refuse' | 'advisory'> = choice(['refuse', 'advisory'], {
    name: 'coord.offline',
    isOwn: true,
    usual: 'refuse',
    means:
      'Without the server: refuse grants nothing new, advisory grants to agents of this clone alone and marks it as advice.',
  });
  readonly sign: Setting<'off' | 'ssh' | 'require'> = choice(['off', 'ssh', 'require'], {
    name: 'coord.sign',
    isOwn: true,
    usual: 'off',
    means:
      "Whether operations on a remote log are signed: ssh signs them with the user's key, require believes only those that are signed.",
  });
}

const table = new Table();

type Values = {
  readonly [Name in keyof Table]: Table[Name] extends Setting<infer Value> ? Value : never;
};

export interface Settings extends Values {
  /** git's own, of this file system. */
  readonly folding: Folding;
}

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
