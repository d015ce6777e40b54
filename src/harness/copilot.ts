/**
 * GitHub Copilot CLI: camelCase events have a payload of their own, with the arguments as text or
 * as an object.
 */
import { CoordError } from '../core/errors.ts';
import {
  type Harness,
  isEditMoment,
  isShellMoment,
  optionalText,
  type Payload,
  type Tool,
  textOf,
} from './hook-event.ts';

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
  read: (payload, moment, editTools) => {
    const input = isEditMoment(moment) || isShellMoment(moment) ? argumentsOf(payload) : {};
    const field = editTools.get(optionalText(payload, 'toolName', 'tool_name') ?? '');
    const tool: Tool = isEditMoment(moment)
      ? {
          kind: 'edit',
          paths: [field === undefined ? textOf(input, 'path', 'file_path') : textOf(input, field)],
        }
      : isShellMoment(moment)
        ? { kind: 'shell', command: textOf(input, 'command') }
        : { kind: 'none' };
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
};
