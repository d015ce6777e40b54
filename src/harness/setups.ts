/**
 * What each harness wants written where, as its documentation says. Matchers name edit and shell
 * tools alone.
 */
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { shellQuote } from '../core/shell-line.ts';
import type { Repository } from '../git/repository.ts';
import { claudeEvents, type EventNames } from './claude-like.ts';
import { copilotEvents, cursorEvents, geminiEvents } from './event-names.ts';
import type { EventName } from './hook-event.ts';
import type { SettingsEntry, Wanted } from './settings-file.ts';

/** The program that the hooks run. */
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

export function placesOf(
  env: NodeJS.ProcessEnv,
  { top, commonDir }: Repository,
): Omit<Places, 'isUser'> {
  return {
    top,
    mainTop: basename(commonDir) === '.git' ? dirname(commonDir) : top,
    home: env['HOME'] ?? homedir(),
    env,
  };
}

export interface Setup {
  readonly harness: string;
  /** Folders, below the project or below home, that show that it is used. */
  readonly signs: readonly string[];
  readonly homeSigns: readonly string[];
  file(places: Places): string;
  /** Entries in a file that may hold more, or the whole file. */
  wanted(program: Program): Wanted | { readonly whole: string };
  /** What it would send before an edit, to try it. */
  sample(session: string, cwd: string, file: string): Readonly<Record<string, unknown>>;
  /** Where its instructions are read from, below the top of the repository. */
  readonly instructions: string;
}

/** Coord being gone is the one case that lets an edit through, with a line that somebody sees. */
function commandFor(
  harness: string,
  moment: EventName,
  { node, shim }: Program,
  gone: (message: string) => string,
): string {
  return `if [ -x ${shellQuote(shim)} ]; then COORD_NODE=${shellQuote(node)} exec ${shellQuote(shim)} ${harness} ${moment}; else echo ${shellQuote(gone(`coord is gone from ${shim}: nothing is guarded until it is installed again`))}; fi`;
}

const asMessage = (text: string): string => JSON.stringify({ systemMessage: text });

/** Of Claude's shape: lists of groups, each with a matcher and its hooks. */
export function groups(
  commandOf: (moment: EventName) => string,
  events: EventNames,
  matchers: Readonly<Partial<Record<EventName, string>>>,
  seconds: (moment: EventName) => number,
  more: (moment: EventName) => Readonly<Record<string, unknown>> = () => ({}),
): readonly SettingsEntry[] {
  return (Object.entries(events) as readonly (readonly [EventName, string])[]).map(
    ([moment, event]) => ({
      list: ['hooks', event],
      value: {
        ...(matchers[moment] === undefined ? {} : { matcher: matchers[moment] }),
        hooks: [
          {
            ...more(moment),
            type: 'command',
            command: commandOf(moment),
            timeout: seconds(moment),
          },
        ],
      },
    }),
  );
}

const { 'after-edit': _quiet, ...withoutAfterEdit } = claudeEvents;

/** What is told after an edit is told at the next event as well. */
export const claudeMoments: EventNames = withoutAfterEdit;
export const hookSeconds = 60;
export const claudeMatchers: Readonly<Partial<Record<EventName, string>>> = {
  'before-edit': 'Edit|Write|MultiEdit|NotebookEdit',
  'before-shell': 'Bash|PowerShell|Monitor',
  'after-shell': 'Bash|PowerShell|Monitor',
};

function messaged(harness: string, program: Program): (moment: EventName) => string {
  return (moment) => commandFor(harness, moment, program, asMessage);
}

/** An edit as harnesses of Claude's shape tell it. */
function editBy(
  tool: string,
  input: (file: string) => Readonly<Record<string, unknown>>,
): Setup['sample'] {
  return (session, cwd, file) => ({
    session_id: session,
    cwd,
    hook_event_name: 'PreToolUse',
    tool_name: tool,
    tool_input: input(file),
  });
}

export const setups: readonly Setup[] = [
  {
    harness: 'claude',
    sample: editBy('Edit', (file) => ({ file_path: file, old_string: 'a', new_string: 'b' })),
    signs: ['.claude', 'CLAUDE.md'],
    homeSigns: ['.claude'],
    instructions: 'CLAUDE.md',
    file: ({ top, home, env, isUser }) =>
      join(
        isUser ? (env['CLAUDE_CONFIG_DIR'] ?? join(home, '.claude')) : join(top, '.claude'),
        'settings.json',
      ),
    wanted: (program) => ({
      entries: groups(
        messaged('claude', program),
        claudeMoments,
        claudeMatchers,
        () => hookSeconds,
      ),
      fields: [
        {
          path: ['statusLine'],
          value: {
            type: 'command',
            command: `${shellQuote(program.node)} ${shellQuote(join(program.shim, '..', '..', 'dist', 'coord.cjs'))} statusline`,
            refreshInterval: 5,
          },
        },
      ],
    }),
  },
  {
    harness: 'codex',
    sample: editBy('apply_patch', (file) => ({
      command: `*** Begin Patch\n*** Update File: ${file}\n*** End Patch`,
    })),
    signs: ['.codex'],
    homeSigns: ['.codex'],
    instructions: 'AGENTS.md',
    // In a linked work tree it reads the hooks of the main checkout.
    file: ({ mainTop, home, env, isUser }) =>
      join(
        isUser ? (env['CODEX_HOME'] ?? join(home, '.codex')) : join(mainTop, '.codex'),
        'hooks.json',
      ),
    // It gives a session's end three seconds at most.
    wanted: (program) => ({
      entries: groups(
        messaged('codex', program),
        claudeMoments,
        { 'before-edit': 'apply_patch', 'before-shell': 'Bash', 'after-shell': 'Bash' },
        (moment) => (moment === 'session-end' ? 3 : hookSeconds),
      ),
      fields: [],
    }),
  },
  {
    harness: 'gemini',
    sample: editBy('replace', (file) => ({ file_path: file })),
    signs: ['.gemini', 'GEMINI.md'],
    homeSigns: ['.gemini'],
    instructions: 'GEMINI.md',
    file: ({ top, home, isUser }) => join(isUser ? home : top, '.gemini', 'settings.json'),
    wanted: (program) => ({
      entries: groups(
        messaged('gemini', program),
        geminiEvents,
        {
          'before-edit': 'write_file|replace',
          'before-shell': 'run_shell_command',
          'after-shell': 'run_shell_command',
        },
        () => hookSeconds * 1_000,
        (moment) => ({ name: `coord-${moment}` }),
      ),
      fields: [],
    }),
  },
  {
    harness: 'cursor',
    sample: (session, cwd, file) => ({
      conversation_id: session,
      workspace_roots: [cwd],
      cwd,
      tool_name: 'Write',
      tool_input: { file_path: file },
    }),
    signs: ['.cursor'],
    homeSigns: ['.cursor'],
    instructions: 'AGENTS.md',
    file: ({ top, home, isUser }) => join(isUser ? home : top, '.cursor', 'hooks.json'),
    wanted: (program) => {
      const matchers: Readonly<Partial<Record<EventName, string>>> = {
        'before-edit': 'Write|Delete',
        'before-shell': 'Shell',
        'after-shell': 'Shell',
      };
      const entries = (
        Object.entries(cursorEvents) as readonly (readonly [EventName, string])[]
      ).map(
        ([moment, event]): SettingsEntry => ({
          list: ['hooks', event],
          value: {
            command: commandFor('cursor', moment, program, (text) =>
              JSON.stringify({ permission: 'allow', user_message: text }),
            ),
            timeout: hookSeconds,
            ...(matchers[moment] === undefined ? {} : { matcher: matchers[moment] }),
            ...(moment === 'before-edit' ? { failClosed: true } : {}),
          },
        }),
      );
      return { entries, fields: [{ path: ['version'], value: 1 }] };
    },
  },
  {
    harness: 'opencode',
    sample: (session, cwd, file) => ({ session, cwd, paths: [file] }),
    signs: ['.opencode', 'opencode.json'],
    homeSigns: ['.config/opencode'],
    instructions: 'AGENTS.md',
    file: ({ top, home, isUser }) =>
      isUser
        ? join(home, '.config', 'opencode', 'plugins', 'coord.js')
        : join(top, '.opencode', 'plugins', 'coord.js'),
    wanted: ({ node, shim }) => ({
      whole: `// Made by coord install; coord uninstall takes it away.\nimport { plugin } from ${JSON.stringify(join(shim, '..', 'opencode.js'))};\nexport const Coord = plugin(${JSON.stringify({ node, shim })});\n`,
    }),
  },
  {
    harness: 'copilot',
    sample: (session, cwd, file) => ({
      sessionId: session,
      cwd,
      toolName: 'edit',
      toolArgs: JSON.stringify({ path: file }),
    }),
    signs: ['.github/hooks', '.github/copilot-instructions.md'],
    homeSigns: ['.copilot'],
    instructions: 'AGENTS.md',
    file: ({ top, home, isUser }) =>
      isUser
        ? join(home, '.copilot', 'hooks', 'coord.json')
        : join(top, '.github', 'hooks', 'coord.json'),
    wanted: (program) => {
      const matchers: Readonly<Partial<Record<EventName, string>>> = {
        'before-edit': 'edit|create',
        'before-shell': 'bash',
        'after-shell': 'bash',
      };
      const hooks: Record<string, unknown[]> = {};
      for (const [moment, event] of Object.entries(copilotEvents) as readonly (readonly [
        EventName,
        string,
      ])[]) {
        (hooks[event] ??= []).push({
          type: 'command',
          bash: commandFor('copilot', moment, program, (text) => text),
          timeoutSec: hookSeconds,
          ...(matchers[moment] === undefined ? {} : { matcher: matchers[moment] }),
        });
      }
      return { whole: `${JSON.stringify({ version: 1, hooks }, null, 2)}\n` };
    },
  },
];
