/**
 * A harness as coord meets it: commands read back from the configuration that install wrote, run by
 * a shell with the payloads that its documentation shows.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment, TestRepository } from './repository.ts';

export type HarnessName = 'claude' | 'codex' | 'gemini' | 'qwen' | 'cursor' | 'copilot';

export interface HookRan {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly json: Record<string, any>;
}

/** One session of a harness, or one subagent in it. */
export interface Caller {
  readonly session: string;
  readonly subagent?: string;
}

type Json = Readonly<Record<string, unknown>>;

interface Shape {
  readonly file: string;
  readonly events: Readonly<
    Record<
      'start' | 'before' | 'after' | 'end' | 'compact' | 'prompt' | 'childStart' | 'childStop',
      string | null
    >
  >;
  readonly edits: string;
  readonly shell: string;
  common(repo: TestRepository, event: string, caller: Caller): Json;
  tool(name: string, input: Json): Json;
  editInput(path: string): Json;
  /** What a refusal has to be, to the letter, and where its reason stands. */
  denial(reason: string): Json;
  reasonOf(json: Record<string, any>): unknown;
  contextOf(json: Record<string, any>): unknown;
}

const claudeCommon = (
  repo: TestRepository,
  event: string,
  { session, subagent }: Caller,
): Json => ({
  session_id: session,
  transcript_path: '/tmp/transcript.jsonl',
  cwd: repo.top,
  permission_mode: 'default',
  hook_event_name: event,
  ...(subagent === undefined ? {} : { agent_id: subagent, agent_type: 'general-purpose' }),
});
const claudeEvents = {
  start: 'SessionStart',
  before: 'PreToolUse',
  after: 'PostToolUse',
  end: 'SessionEnd',
  compact: 'PreCompact',
  prompt: 'UserPromptSubmit',
  childStart: 'SubagentStart',
  childStop: 'SubagentStop',
} as const;
const claudeLike = {
  common: claudeCommon,
  tool: (name: string, input: Json): Json => ({
    tool_name: name,
    tool_input: input,
    tool_use_id: 'toolu_01',
  }),
  denial: (reason: string): Json => ({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: reason,
    },
  }),
  reasonOf: (json: Record<string, any>): unknown =>
    json['hookSpecificOutput']?.permissionDecisionReason,
  contextOf: (json: Record<string, any>): unknown => json['hookSpecificOutput']?.additionalContext,
};

export const shapes: Readonly<Record<HarnessName, Shape>> = {
  claude: {
    ...claudeLike,
    file: '.claude/settings.json',
    events: claudeEvents,
    edits: 'Edit',
    shell: 'Bash',
    editInput: (path) => ({ file_path: path, old_string: 'a 0\na 1', new_string: '"zero"\na 1' }),
  },
  codex: {
    ...claudeLike,
    file: '.codex/hooks.json',
    events: claudeEvents,
    edits: 'apply_patch',
    shell: 'Bash',
    common: (repo, event, caller) => ({
      ...claudeCommon(repo, event, caller),
      model: 'gpt',
      turn_id: 't1',
    }),
    editInput: (path) => ({
      command: `*** Begin Patch\n*** Update File: ${path}\n@@\n-a\n+b\n*** End Patch`,
    }),
  },
  gemini: {
    ...claudeLike,
    file: '.gemini/settings.json',
    edits: 'replace',
    shell: 'run_shell_command',
    events: {
      start: 'SessionStart',
      before: 'BeforeTool',
      after: 'AfterTool',
      end: 'SessionEnd',
      compact: null,
      prompt: 'BeforeAgent',
      childStart: null,
      childStop: null,
    },
    common: (repo, event, { session }) => ({
      session_id: session,
      transcript_path: '/tmp/t',
      cwd: repo.top,
      hook_event_name: event,
      timestamp: '2026-11-18T10:00:00Z',
    }),
    tool: (name, input) => ({ tool_name: name, tool_input: input }),
    editInput: (path) => ({ file_path: path, old_string: 'a', new_string: 'b' }),
    denial: (reason) => ({ decision: 'deny', reason, systemMessage: reason }),
    reasonOf: (json) => json['reason'],
  },
  qwen: {
    ...claudeLike,
    file: '.qwen/settings.json',
    events: claudeEvents,
    edits: 'edit',
    shell: 'run_shell_command',
    editInput: (path) => ({ file_path: path, old_string: 'a', new_string: 'b' }),
  },
  cursor: {
    file: '.cursor/hooks.json',
    edits: 'Write',
    shell: 'Shell',
    events: {
      start: 'sessionStart',
      before: 'preToolUse',
      after: 'postToolUse',
      end: 'sessionEnd',
      compact: 'preCompact',
      prompt: null,
      childStart: 'subagentStart',
      childStop: 'subagentStop',
    },
    common: (repo, event, { session, subagent }) => ({
      conversation_id: session,
      generation_id: 'g',
      model: 'm',
      hook_event_name: event,
      cursor_version: '3',
      workspace_roots: [repo.top],
      user_email: null,
      transcript_path: null,
      ...(subagent === undefined ? {} : { subagent_id: subagent }),
    }),
    tool: (name, input) => ({ tool_name: name, tool_input: input, tool_use_id: 'x' }),
    editInput: (path) => ({ file_path: path, content: 'x' }),
    denial: (reason) => ({ permission: 'deny', user_message: reason, agent_message: reason }),
    reasonOf: (json) => json['agent_message'],
    contextOf: (json) => json['additional_context'],
  },
  copilot: {
    file: '.github/hooks/coord.json',
    edits: 'edit',
    shell: 'bash',
    events: {
      start: 'sessionStart',
      before: 'preToolUse',
      after: 'postToolUse',
      end: 'sessionEnd',
      compact: null,
      prompt: 'userPromptSubmitted',
      childStart: 'subagentStart',
      childStop: 'subagentStop',
    },
    common: (repo, event, { session, subagent }) => ({
      // The tools of a subagent are told of as of a session of its own.
      sessionId: subagent === undefined || event.startsWith('subagent') ? session : subagent,
      timestamp: 1_700_000_000_000,
      cwd: repo.top,
      ...(subagent === undefined
        ? {}
        : { agentId: subagent, agentType: 'general-purpose', parentAgentId: session }),
    }),
    tool: (name, input) => ({ toolName: name, toolArgs: input }),
    editInput: (path) => ({ path, old_str: 'a', new_str: 'b' }),
    denial: (reason) => ({ permissionDecision: 'deny', permissionDecisionReason: reason }),
    reasonOf: (json) => json['permissionDecisionReason'],
    contextOf: (json) => json['additionalContext'],
  },
};

interface Handler {
  readonly matcher?: string;
  readonly command?: string;
  readonly bash?: string;
  readonly hooks?: readonly Handler[];
}

export interface Driver {
  readonly shape: Shape;
  start(caller: Caller, why?: string, env?: Environment): HookRan;
  beforeEdit(caller: Caller, path: string): HookRan;
  beforeShell(caller: Caller, command: string): HookRan;
  afterShell(caller: Caller, command: string): HookRan;
  moment(event: string, caller: Caller, more?: Json, env?: Environment): HookRan;
  end(caller: Caller, why?: string, env?: Environment): HookRan;
}

/** What the harness would run for this event and tool. */
export function commandsFor(
  repo: TestRepository,
  { file }: Shape,
  event: string,
  tool?: string,
): readonly string[] {
  const { hooks } = JSON.parse(readFileSync(join(repo.top, file), 'utf8')) as {
    readonly hooks: Readonly<Record<string, readonly Handler[]>>;
  };
  const matching = (hooks[event] ?? []).filter(
    ({ matcher }) =>
      tool === undefined || matcher === undefined || new RegExp(`^(?:${matcher})$`).test(tool),
  );
  return matching.flatMap((handler) =>
    (handler.hooks ?? [handler]).map(({ command, bash }) => command ?? bash ?? ''),
  );
}

export function driver(repo: TestRepository, name: HarnessName): Driver {
  const shape = shapes[name];
  const run = (event: string, payload: Json, tool?: string, env: Environment = {}): HookRan => {
    const commands = commandsFor(repo, shape, event, tool);
    if (commands.length !== 1)
      throw new Error(`${commands.length} commands for ${event} ${tool ?? ''}`);
    const { status, stdout, stderr } = spawnSync('sh', ['-c', commands[0] ?? ''], {
      cwd: repo.top,
      env: { ...repo.env, ...env },
      input: JSON.stringify(payload),
      encoding: 'utf8',
      timeout: 60_000,
    });
    return {
      code: status ?? -1,
      stdout,
      stderr,
      json: stdout.trim() === '' ? {} : (JSON.parse(stdout) as Record<string, any>),
    };
  };
  const moment = (event: string, caller: Caller, more: Json = {}, env: Environment = {}): HookRan =>
    run(event, { ...shape.common(repo, event, caller), ...more }, undefined, env);
  const tool = (
    event: string,
    caller: Caller,
    toolName: string,
    input: Json,
    more: Json = {},
  ): HookRan =>
    run(
      event,
      { ...shape.common(repo, event, caller), ...shape.tool(toolName, input), ...more },
      toolName,
    );
  return {
    shape,
    moment,
    start: (caller, why = 'startup', env = {}) =>
      moment(shape.events.start ?? '', caller, { source: why }, env),
    beforeEdit: (caller, path) =>
      tool(shape.events.before ?? '', caller, shape.edits, shape.editInput(path)),
    beforeShell: (caller, command) =>
      tool(shape.events.before ?? '', caller, shape.shell, { command }),
    afterShell: (caller, command) =>
      tool(
        shape.events.after ?? '',
        caller,
        shape.shell,
        { command },
        { tool_response: { stdout: '' } },
      ),
    end: (caller, why = 'other', env = {}) =>
      moment(shape.events.end ?? '', caller, { reason: why }, env),
  };
}
