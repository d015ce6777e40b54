/**
 * The shape of Claude Code's hooks, which several harnesses share: what differs are names and what
 * they put up with.
 */
import {
  type Harness,
  hookCommand,
  type Matchers,
  type Program,
  type SettingsEntry,
} from './harness.ts';
import {
  type Edit,
  type EditTools,
  type EventName,
  type EventNames,
  editOf,
  eventsIn,
  type HookAnswer,
  type HookEvent,
  objectOf,
  optionalText,
  type Payload,
  pathAlone,
  textOf,
  toolAt,
} from './hook-event.ts';

const claudeEvents: EventNames = {
  'session-start': 'SessionStart',
  prompt: 'UserPromptSubmit',
  'before-edit': 'PreToolUse',
  'before-shell': 'PreToolUse',
  'before-read': 'PreToolUse',
  'after-edit': 'PostToolUse',
  'after-shell': 'PostToolUse',
  'subagent-start': 'SubagentStart',
  'subagent-stop': 'SubagentStop',
  compact: 'PreCompact',
  'session-end': 'SessionEnd',
};

/** Events whose output may carry context for the model; elsewhere it would be an error. */
const hears: readonly EventName[] = [
  'session-start',
  'prompt',
  'before-edit',
  'before-shell',
  'after-edit',
  'after-shell',
  'subagent-start',
];

const { 'after-edit': _quiet, ...withoutAfterEdit } = claudeEvents;

/** What is hooked: what is told after an edit is told at the next event as well. */
export const claudeMoments: EventNames = withoutAfterEdit;

/** Which field of an edit tool's input has the path. */
const pathField: Readonly<Record<string, string>> = {
  NotebookEdit: 'notebook_path',
  notebook_edit: 'notebook_path',
};

export function editedByField(payload: Payload, editTools: EditTools, takesLineEnd = false): Edit {
  const name = textOf(payload, 'tool_name');
  const input = objectOf(payload, 'tool_input');
  const field = editTools.get(name);
  return field === undefined
    ? editOf(textOf(input, pathField[name] ?? 'file_path'), input, takesLineEnd)
    : pathAlone(textOf(input, field));
}

export function readClaudeLike(payload: Payload, moment: EventName, edited: () => Edit): HookEvent {
  const tool = toolAt(moment, edited, () => textOf(objectOf(payload, 'tool_input'), 'command'));
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
  moment: EventName,
  rewritten: (command: string) => Payload,
): string {
  const hookEventName = claudeEvents[moment];
  if (hookEventName === undefined) return '';
  if (answer.kind === 'context' && !hears.includes(moment)) return '';
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

/** The commands of its hooks, where a line for the user is a `systemMessage`. */
export function messaged(harness: string, program: Program | null): (moment: EventName) => string {
  const asMessage = (text: string): string => JSON.stringify({ systemMessage: text });
  return (moment) => hookCommand(harness, moment, program, asMessage);
}

/** Lists of groups, each with a matcher and its hooks. */
export function groups(
  commandOf: (moment: EventName) => string,
  events: EventNames,
  matchers: Matchers,
  seconds: (moment: EventName) => number,
  more: (moment: EventName) => Readonly<Record<string, unknown>> = () => ({}),
): readonly SettingsEntry[] {
  return eventsIn(events).map(([moment, event]) => ({
    list: ['hooks', event],
    value: {
      ...(matchers[moment] === undefined ? {} : { matcher: matchers[moment] }),
      hooks: [
        { ...more(moment), type: 'command', command: commandOf(moment), timeout: seconds(moment) },
      ],
    },
  }));
}

/** An edit as they tell it. */
export function editBy(
  tool: string,
  input: (file: string) => Readonly<Record<string, unknown>>,
): Harness['sample'] {
  return (session, cwd, file) => ({
    session_id: session,
    cwd,
    hook_event_name: 'PreToolUse',
    tool_name: tool,
    tool_input: input(file),
  });
}
