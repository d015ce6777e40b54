/**
 * GitHub Copilot CLI: camelCase events have a payload of their own, with the arguments as text or
 * as an object.
 */
import { join } from 'node:path';
import { CoordError } from '../core/errors.ts';
import { type Harness, hookCommand, hookSeconds, type Matchers } from './harness.ts';
import {
  type EventNames,
  eventsIn,
  isEditMoment,
  isShellMoment,
  optionalText,
  type Payload,
  textOf,
  toolAt,
} from './hook-event.ts';

const events: EventNames = {
  'session-start': 'sessionStart',
  prompt: 'userPromptSubmitted',
  'before-edit': 'preToolUse',
  'before-shell': 'preToolUse',
  'after-shell': 'postToolUse',
  'session-end': 'sessionEnd',
};

const matchers: Matchers = {
  'before-edit': 'edit|create',
  'before-shell': 'bash',
  'after-shell': 'bash',
};

function argumentsOf(payload: Payload): Payload {
  const said = payload['toolArgs'] ?? payload['tool_input'];
  try {
    const value: unknown = typeof said === 'string' ? JSON.parse(said) : said;
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Payload;
  } catch {
    // Said below.
  }
  throw new CoordError('bad_payload', 'the harness sent no toolArgs that is an object');
}

export const copilot: Harness = {
  name: 'copilot',
  title: 'Copilot CLI',
  read: (payload, moment, editTools) => {
    const input = isEditMoment(moment) || isShellMoment(moment) ? argumentsOf(payload) : {};
    const field = editTools.get(optionalText(payload, 'toolName', 'tool_name') ?? '');
    const fields = field === undefined ? ['path', 'file_path'] : [field];
    const tool = toolAt(
      moment,
      () => [textOf(input, ...fields)],
      () => textOf(input, 'command'),
    );
    return {
      session: textOf(payload, 'sessionId', 'session_id'),
      subagent: null,
      cwd: textOf(payload, 'cwd'),
      tool,
      input,
      call: optionalText(payload, 'tool_use_id'),
      why: optionalText(payload, 'source', 'reason') ?? '',
    };
  },
  write: (answer, moment, told) => {
    switch (answer.kind) {
      case 'quiet':
        return '';
      case 'deny':
        return JSON.stringify({
          permissionDecision: 'deny',
          permissionDecisionReason: answer.reason,
        });
      case 'context':
        return moment === 'session-start' || moment === 'after-shell'
          ? JSON.stringify({ additionalContext: answer.text })
          : '';
      case 'rewrite':
        return JSON.stringify({
          permissionDecision: 'allow',
          modifiedArgs: { ...told?.input, command: answer.command },
        });
    }
  },

  marks: [{ name: 'copilot', variable: 'COPILOT_CLI' }],
  shellKnows: 'nobody',

  signs: ['.github/hooks', '.github/copilot-instructions.md'],
  homeSigns: ['.copilot'],
  instructions: 'AGENTS.md',
  file: ({ top, home, isUser }) =>
    isUser
      ? join(home, '.copilot', 'hooks', 'coord.json')
      : join(top, '.github', 'hooks', 'coord.json'),
  wanted: (program) => {
    const hooks: Record<string, unknown[]> = {};
    for (const [moment, event] of eventsIn(events)) {
      (hooks[event] ??= []).push({
        type: 'command',
        bash: hookCommand('copilot', moment, program, (text) =>
          JSON.stringify({ additionalContext: text }),
        ),
        timeoutSec: hookSeconds,
        ...(matchers[moment] === undefined ? {} : { matcher: matchers[moment] }),
      });
    }
    return { whole: `${JSON.stringify({ version: 1, hooks }, null, 2)}\n` };
  },
  sample: (session, cwd, file) => ({
    sessionId: session,
    cwd,
    toolName: 'edit',
    toolArgs: JSON.stringify({ path: file }),
  }),
};
