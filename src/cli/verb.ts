/**
 * A verb of the command line as data: its flags, its examples and what it does. One definition
 * serves the quick reader of arguments, yargs, the help and the completion.
 */
import type { RealWorld } from '../agent/world.ts';
import { CoordError } from '../core/errors.ts';
import { formatDuration, parseDuration } from '../core/instant.ts';
import { limits } from '../core/limits.ts';
import type { Report } from '../render/report.ts';

/** What a shell offers for a word; files where nothing is said. */
export type Completes =
  | 'agent'
  | 'bead'
  | 'branch'
  | 'harness'
  | 'lease'
  | 'lock'
  | 'remote'
  | 'request'
  | 'setting'
  | 'shell'
  | 'snapshot';

export interface Flag {
  readonly name: string;
  readonly short?: string;
  /** What a value stands for in the help; without it the flag is a switch. */
  readonly value?: string;
  readonly many?: true;
  readonly choices?: readonly string[];
  readonly completes?: Completes;
  readonly about: string;
  /** What holds where its value is not said: in words, or the setting that says so. */
  readonly usual?: string | { readonly setting: string };
  /** Environment variable that says the same. */
  readonly env?: string;
}

/** Under which title the reference has a verb. */
export type Group =
  | 'setup'
  | 'sessions'
  | 'reservations'
  | 'locks'
  | 'work'
  | 'evidence'
  | 'between'
  | 'seeing'
  | 'commits'
  | 'machines'
  | 'programs';

export interface Verb {
  /** One word, or two: `session start`. */
  readonly words: readonly string[];
  readonly group: Group;
  /** At most 56 characters, for the list of all verbs. */
  readonly about: string;
  /** What else there is to say of it, in sentences. */
  readonly more?: string;
  /** Programs alone call it: the list of all verbs is without it. */
  readonly isForPeople?: false;
  readonly positional?: {
    readonly name: string;
    readonly completes?: Completes;
    readonly least: number;
    readonly most: number;
    readonly about: string;
  };
  /** Everything after `--` is a command to run. */
  readonly command?: true;
  readonly flags: readonly Flag[];
  /** Called by hooks and bars all the time, nobody has asked: a remote is asked now and then. */
  readonly looksByItself?: true;
  /** It says itself that others have moved HEAD, or looks after the stage. */
  readonly isTold?: false;
  /** It may stand in line, and a signal ends that. */
  readonly waits?: true;
  /** What its exit codes mean besides, where that differs from what they mean everywhere. */
  readonly exits?: string;
  readonly examples: readonly (readonly [string, string])[];
  run(call: Call): Report | Promise<Report>;
}

export interface Arguments {
  readonly positionals: readonly string[];
  readonly flags: ReadonlyMap<string, string | true | readonly string[]>;
  readonly command: readonly string[];
}

export interface Parsed extends Arguments {
  readonly verb: Verb;
}

export interface Call extends Parsed {
  /** Flags that were not said but set in the environment. */
  readonly fromEnvironment: ReadonlySet<string>;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly json: boolean;
  /** Aborted by the first SIGINT, SIGTERM or SIGHUP; only those who wait ask for it. */
  signal(): AbortSignal;
  world(): RealWorld;
  /** A line for people while it goes on; silent with --quiet and --json. */
  tell(line: string): void;
  /**
   * How far it is, each in the place of the one before; false where stderr is no terminal, or
   * nobody wants to know.
   */
  progress(line: string): boolean;
  /** Over a stream, where stdout is a terminal. */
  heading(line: string): void;
  /** One line of a stream on stdout: its JSON, or its text; false once nobody reads any more. */
  emit(facts: Readonly<Record<string, unknown>>, text: string): boolean;
}

/** What a switch in the environment may say to stay off. */
const off: readonly string[] = ['', '0', 'false', 'no', 'off'];

export function isSwitchedOn(value: string | undefined): boolean {
  return value !== undefined && !off.includes(value.toLowerCase());
}

/** Verbs of two words, by their first: `session start`, `session end` ... */
export function familiesOf(verbs: readonly Verb[]): ReadonlyMap<string, readonly Verb[]> {
  const families = new Map<string, readonly Verb[]>();
  for (const verb of verbs) {
    const [first = ''] = verb.words;
    if (verb.words.length === 2) families.set(first, [...(families.get(first) ?? []), verb]);
  }
  return families;
}

export const globalFlags: readonly Flag[] = [
  {
    name: 'agent',
    value: 'name',
    completes: 'agent',
    env: 'COORD_AGENT',
    about: 'who acts; a name or a child of one: alice, alice/review',
    usual: 'the session, the login of a person, or the process that asks',
  },
  {
    name: 'directory',
    short: 'C',
    value: 'dir',
    env: 'COORD_DIRECTORY',
    about: 'run as if started there',
    usual: 'the current folder',
  },
  {
    name: 'config',
    short: 'c',
    value: 'key=value',
    many: true,
    env: 'COORD_CONFIG',
    about: 'a setting for this command: -c coord.grace=30s',
  },
  { name: 'json', env: 'COORD_JSON', about: 'print one JSON object' },
  { name: 'quiet', short: 'q', env: 'COORD_QUIET', about: 'suppress messages on stderr' },
  {
    name: 'color',
    value: 'when',
    choices: ['auto', 'always', 'never'],
    env: 'COORD_COLOR',
    about: 'auto, always or never',
    usual: 'auto',
  },
  {
    name: 'wait',
    value: 'time',
    env: 'COORD_WAIT',
    about: 'wait for so long if it is held: --wait 2m',
    usual: 'do not wait',
  },
];

export const ttlFlag: Flag = {
  name: 'ttl',
  value: 'time',
  about: 'how long without a renewal, 5s to 24h',
  usual: { setting: 'coord.ttl' },
};
/** Of a command that is run under the lease. */
export const runTtlFlag: Flag = {
  ...ttlFlag,
  usual: `${formatDuration(limits.runTtlMs)}, renewed while the command runs`,
};
export const reasonFlag: Flag = {
  name: 'reason',
  value: 'text',
  about: 'what for; shown to whoever is in your way',
};
export const limitFlag: Flag = {
  name: 'limit',
  value: 'n',
  about: 'show at most so many',
  usual: 'all',
};

export function text(call: Arguments, name: string): string | undefined {
  const value = call.flags.get(name);
  return typeof value === 'string' ? value : undefined;
}

export function isOn(call: Arguments, name: string): boolean {
  return call.flags.get(name) === true;
}

export function texts(call: Arguments, name: string): readonly string[] {
  const value = call.flags.get(name);
  return Array.isArray(value) ? value : [];
}

export function duration(call: Arguments, name: string): number | undefined {
  const value = text(call, name);
  return value === undefined ? undefined : parseDuration(value, `--${name}`);
}

export function whole(call: Arguments, name: string): number | undefined {
  const value = text(call, name);
  if (value === undefined) return undefined;
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw new CoordError('usage', `--${name} '${value}' is not a whole number`);
}
