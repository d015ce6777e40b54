/**
 * The shape of Claude Code's hooks, which several harnesses share: what differs are names and what
 * they put up with.
 */
import {
  type EditTools,
  type EventName,
  type HookAnswer,
  type HookEvent,
  isEditMoment,
  isShellMoment,
  objectOf,
  optionalText,
  type Payload,
  type Tool,
  textOf,
} from './hook-event.ts';

/** The names that its events have; what is not there the harness does not tell. */
export type EventNames = Readonly<Partial<Record<EventName, string>>>;

export const claudeEvents: EventNames = {
  'session-start': 'SessionStart',
  prompt: 'UserPromptSubmit',
  'before-edit': 'PreToolUse',
  'before-shell': 'PreToolUse',
  'after-edit': 'PostToolUse',
  'after-shell': 'PostToolUse',
  'subagent-start': 'SubagentStart',
  'subagent-stop': 'SubagentStop',
  compact: 'PreCompact',
  'session-end': 'SessionEnd',
};

/** Which field of an edit tool's input has the path. */
const pathField: Readonly<Record<string, string>> = { NotebookEdit: 'notebook_path' };

export function editedByField(payload: Payload, editTools: EditTools): Tool {
  const name = textOf(payload, 'tool_name');
  return {
    kind: 'edit',
    paths: [
      textOf(
        objectOf(payload, 'tool_input'),
        editTools.get(name) ?? pathField[name] ?? 'file_path',
      ),
    ],
  };
}

export function readClaudeLike(payload: Payload, moment: EventName, edited: () => Tool): HookEvent {
  const tool: Tool = isEditMoment(moment)
    ? edited()
    : isShellMoment(moment)
      ? { kind: 'shell', command: textOf(objectOf(payload, 'tool_input'), 'command') }
      : { kind: 'none' };
  return {
    session: textOf(payload, 'session_id'),
    subagent: optionalText(payload, 'agent_id'),
    cwd: textOf(payload, 'cwd'),
    tool,
    input: tool.kind === 'none' ? {} : objectOf(payload, 'tool_input'),
    call: optionalText(payload, 'tool_use_id'),
    why: optionalText(payload, 'source', 'reason') ?? '',
  };
}

/** `rewritten` is how the harness takes another input; what it does not know has to be left out. */
export function writeClaudeLike(
  answer: HookAnswer,
  hookEventName: string | undefined,
  rewritten: (command: string) => Payload,
): string {
  if (hookEventName === undefined) return '';
  const said = (fields: Payload): string =>
    JSON.stringify({ hookSpecificOutput: { hookEventName, ...fields } });
  switch (answer.kind) {
    case 'quiet':
      return '';
    case 'deny':
      return said({ permissionDecision: 'deny', permissionDecisionReason: answer.reason });
    case 'context':
      return said({ additionalContext: answer.text });
    case 'rewrite':
      return said(rewritten(answer.command));
  }
}
