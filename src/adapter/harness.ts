/**
 * What coord has to know of one coding agent's program, its harness: how it tells of what happens
 * and wants to be answered, what it puts into the environment of the commands that it runs, and
 * where its hooks are installed. A harness is one record of this kind, in a file of its own.
 */
import { shellQuote } from '../core/shell-line.ts';
import type { EditTools, EventName, HookAnswer, HookEvent, Payload } from './hook-event.ts';

/** Any of these in the environment says that this program runs the command. */
export interface Mark {
  readonly name: string;
  readonly variable: string;
  /** Where several programs share a variable. */
  readonly value?: string;
}

/** The program that hooks run which are for this machine alone. */
export interface Program {
  readonly node: string;
  readonly shim: string;
}

export interface Places {
  readonly top: string;
  /** Of the main checkout, where this is a linked work tree. */
  readonly mainTop: string;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly isUser: boolean;
}

/** One entry in a list of a settings file: where the list is, and what is added to it. */
export interface SettingsEntry {
  readonly list: readonly string[];
  readonly value: Readonly<Record<string, unknown>>;
}

/** A field that is set only where nothing stands. */
interface Field {
  readonly path: readonly string[];
  readonly value: unknown;
}

export interface Wanted {
  readonly entries: readonly SettingsEntry[];
  readonly fields: readonly Field[];
}

/** TOML between comments, unless its user has settings of the same name. */
export interface ShellSettings {
  readonly file: string;
  readonly lines: string;
  readonly name: string;
}

export interface Harness extends Hooks, Environment, Setup {
  /** In configurations, names of agents and notes: small letters alone. */
  readonly name: string;
  /** What people call it. */
  readonly title: string;
}

/** Names of fields; where one of `parts` is there, only a part of the file is read. */
interface ReadFields {
  readonly session: string;
  readonly child?: string;
  /** Where a child tells an id of its own as that of the session: whose child it is. */
  readonly parent?: string;
  readonly path: string;
  readonly parts: readonly string[];
}

interface Hooks {
  read(payload: Payload, moment: EventName, editTools: EditTools): HookEvent;
  /** What is printed for this answer: one JSON object or nothing. */
  write(answer: HookAnswer, moment: EventName, told: HookEvent | null): string;
  /**
   * The field of its payloads that names the session. With it, and with `agent_id`, `cwd`,
   * `file_path` and `command` where Claude Code has them, the shim may answer without coord.
   */
  readonly sessionField?: string;
  /** How the shim finds in the payload of a read whose it is and what is read. */
  readonly reads?: ReadFields;
  /** Harnesses whose hooks it runs beside its own. */
  readonly runsHooksOf?: readonly string[];
  /** Those it tells what it tells its own, and takes the same answers. */
  readonly isReadThere?: true;
  /** Variable that says in a hook that it runs it, where none of its marks does. */
  readonly runnerVariable?: string;
  /** A subagent of a subagent tells of that one as its session. */
  readonly hasInnerSessions?: true;
}

interface Environment {
  /** How its commands are known where it does not say which session they are of. */
  readonly marks: readonly Mark[];
  /** Variables with the ids of the session, and of a thread of it that may be a subagent. */
  readonly sessionVariable?: string;
  readonly threadVariable?: string;
  /** Whose shells coord has told who they are: nobody's, the session's, or its subagents' too. */
  readonly shellKnows: 'nobody' | 'session' | 'file' | 'all';
  /**
   * Does it run a command that is not as its model wrote it, in a session that was started with these
   * words? Where it may refuse it for that, nothing is given to its shells, and its agents commit from
   * the repository's own index. Without this it does.
   */
  takesRewritten?(started: readonly string[], places: Omit<Places, 'isUser'>): boolean;
  /** Its shells and its hooks have BASH_ENV of the environment that it was started in. */
  readonly passesBashEnv?: true;
  /** In its shells git runs no hooks. */
  readonly withoutGitHooks?: true;
  /** Variable with a file that it runs before each command of the session. */
  readonly fileVariable?: string;
  /** Variable with its process, which outlives a session that is cleared. */
  readonly processVariable?: string;
  /** Variable that it sets for its hooks alone: its process is the one above them without it. */
  readonly hookVariable?: string;
  /** What its process is called, where no variable tells it. */
  readonly processName?: string;
  /** What it puts beside a call of an MCP server's tool: an object with ids as its hooks have them. */
  readonly callField?: string;
  /** How its user lets the commands in its sandbox write to this folder of git's. */
  opensSandbox?(gitFolder: string): string;
  /** Variable with the folder of the project that its MCP servers are for. */
  readonly projectVariable?: string;
  /** The folder of the task list that a team of its agents shares. */
  teamTasks?(session: string, home: string, env: NodeJS.ProcessEnv): string | null;
}

interface Setup {
  /** Files and folders, below the project or below home, that show that it is used. */
  readonly signs: readonly string[];
  readonly homeSigns: readonly string[];
  file(places: Places): string;
  /** Why it does not run the hooks in that file, as far as its own files tell. */
  notInForce?(places: Places): string | null;
  /** Lines of its settings by which its shells begin with the file of src/git/launcher.ts. */
  shellSettings?(places: Places): ShellSettings;
  /**
   * Entries in a file that may hold more, or the whole file, which may be one beside the shims.
   * Without a program they have to be equal on all machines, and short, because people read them in
   * their repository.
   */
  wanted(
    program: Program | null,
  ): Wanted | { readonly shipped: string } | { readonly whole: string };
  /** What it would send before an edit, to try it. */
  sample(session: string, cwd: string, file: string): Readonly<Record<string, unknown>>;
  /** Where its instructions are read from, below the top of the repository. */
  readonly instructions: string;
}

/** By what its tools are called: those that edit, and those that run commands. */
export type Matchers = Readonly<Partial<Record<EventName, string>>>;

export const hookSeconds = 60;

/** Where install puts the launcher (src/git/launcher.ts), from the top of the main checkout. */
const launcher = '.git/coord/hook';

/** Coord where it is known to be, in place of the shell: what it takes from stdin nobody else needs. */
function inPlace(words: string, program: Program | null): string {
  return program === null
    ? `[ -x ${launcher} ] && exec ${launcher} ${words}; `
    : `[ -x ${shellQuote(program.shim)} ] && COORD_NODE=${shellQuote(program.node)} exec ${shellQuote(program.shim)} ${words}; `;
}

/**
 * Runs coord with these words: the repository's own, also from its subfolders and linked work trees,
 * else that on the PATH. Where there is none, or no git, nothing happens and nothing is said: some
 * harnesses show even what a hook that went well has said on stderr.
 */
export function coordCommand(words: string, program: Program | null): string {
  return `${inPlace(words, program)}git coord-hook ${words} 2>&- || :`;
}

/**
 * The command that a harness runs as its hook. No coord being there is the one case that lets an
 * edit through, and in a repository the beginning of a session shows it, by `visible`.
 */
export function hookCommand(
  harness: string,
  moment: EventName,
  program: Program | null,
  visible: (message: string) => string,
): string {
  const words = `${harness} ${moment}`;
  if (moment !== 'session-start') return coordCommand(words, program);
  const said = shellQuote(visible('coord is not installed here'));
  const first = program === null ? '' : inPlace(words, program);
  return `${first}git coord-hook ${words} || ! git rev-parse || echo ${said}`;
}
