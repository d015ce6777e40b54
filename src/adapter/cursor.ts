/** Cursor. It has one path for a session and knows subagents only by their start and stop. */
import { join } from 'node:path';
import { type Harness, hookCommand, hookSeconds, type Matchers } from './harness.ts';
import {
  type EventNames,
  eventsIn,
  isEditMoment,
  isShellMoment,
  objectOf,
  optionalText,
  type Payload,
  pathAlone,
  textOf,
  toolAt,
} from './hook-event.ts';

const events: EventNames = {
  'session-start': 'sessionStart',
  'before-edit': 'preToolUse',
  'before-shell': 'preToolUse',
  'after-shell': 'postToolUse',
  'subagent-start': 'subagentStart',
  'subagent-stop': 'subagentStop',
  compact: 'preCompact',
  'session-end': 'sessionEnd',
};

const matchers: Matchers = {
  'before-edit': 'Write|Delete',
  'before-shell': 'Shell',
  'after-shell': 'Shell',
};

function rootOf(payload: Payload): string {
  const roots = payload['workspace_roots'];
  return (
    optionalText(payload, 'cwd') ??
    (Array.isArray(roots) && typeof roots[0] === 'string' ? roots[0] : textOf(payload, 'cwd'))
  );
}

export const cursor: Harness = {
  name: 'cursor',
  title: 'Cursor',
  read: (payload, moment, editTools) => {
    const input =
      isEditMoment(moment) || isShellMoment(moment) ? objectOf(payload, 'tool_input') : {};
    const field = editTools.get(optionalText(payload, 'tool_name') ?? '');
    const fields = field === undefined ? ['file_path', 'path'] : [field];
    const tool = toolAt(
      moment,
      // Whether its Write has the whole content is not documented.
      () => pathAlone(textOf(input, ...fields)),
      () => textOf(input, 'command'),
    );
    return {
      session: textOf(payload, 'conversation_id', 'session_id'),
      subagent: moment.startsWith('subagent') ? optionalText(payload, 'subagent_id') : null,
      cwd: optionalText(input, 'working_directory') ?? rootOf(payload),
      tool,
      input,
      call: optionalText(payload, 'tool_use_id'),
      why: optionalText(payload, 'reason', 'source') ?? '',
    };
  },
  write: (answer, moment, told) => {
    switch (answer.kind) {
      case 'quiet':
        return '';
      case 'deny':
        return JSON.stringify({
          permission: 'deny',
          user_message: answer.reason,
          agent_message: answer.reason,
        });
      case 'context':
        return moment === 'session-start' || moment === 'after-shell'
          ? JSON.stringify({ additional_context: answer.text })
          : '';
      // With a permission, `allow`, it would run what its user has not allowed.
      case 'rewrite':
        return JSON.stringify({ updated_input: { ...told?.input, command: answer.command } });
    }
  },
  sessionField: 'conversation_id',
  runsHooksOf: ['claude'],
  runnerVariable: 'CURSOR_VERSION',

  marks: [{ name: 'cursor', variable: 'CURSOR_AGENT' }],
  shellKnows: 'nobody',

  signs: ['.cursor'],
  homeSigns: ['.cursor'],
  instructions: 'AGENTS.md',
  file: ({ top, home, isUser }) => join(isUser ? home : top, '.cursor', 'hooks.json'),
  wanted: (program) => ({
    entries: eventsIn(events).map(([moment, event]) => ({
      list: ['hooks', event],
      value: {
        command: hookCommand('cursor', moment, program, (text) =>
          JSON.stringify({ additional_context: text }),
        ),
        timeout: hookSeconds,
        ...(matchers[moment] === undefined ? {} : { matcher: matchers[moment] }),
        ...(moment === 'before-edit' ? { failClosed: true } : {}),
      },
    })),
    fields: [{ path: ['version'], value: 1 }],
  }),
  sample: (session, cwd, file) => ({
    conversation_id: session,
    workspace_roots: [cwd],
    cwd,
    tool_name: 'Write',
    tool_input: { file_path: file },
  }),
};
