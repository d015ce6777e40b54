/**
 * GitHub Copilot CLI: camelCase events have a payload of their own. The arguments of a tool are an
 * object, or text where the tool takes text: a patch. It runs the hooks that a project has for Claude
 * Code as well, with Claude's names around its own arguments, and takes the same answers there.
 */
import { join } from 'node:path';
import { CoordError } from '../core/errors.ts';
import { changesInPatch, pathsInPatch } from '../core/patch-text.ts';
import { copilotHome, whyNotInForce } from './copilot-trust.ts';
import { type Harness, hookCommand, hookSeconds, type Matchers } from './harness.ts';
import {
  type Edit,
  type EditTools,
  type EventName,
  type EventNames,
  editOf,
  eventsIn,
  isEditMoment,
  isShellMoment,
  optionalText,
  type Payload,
  pathAlone,
  textOf,
  toolAt,
} from './hook-event.ts';

const events: EventNames = {
  'session-start': 'sessionStart',
  prompt: 'userPromptSubmitted',
  'before-edit': 'preToolUse',
  'before-shell': 'preToolUse',
  'before-read': 'preToolUse',
  'after-shell': 'postToolUse',
  'subagent-start': 'subagentStart',
  'subagent-stop': 'subagentStop',
  'session-end': 'sessionEnd',
};

/** Models of OpenAI are given apply_patch, all others edit and create. */
const matchers: Matchers = {
  'before-read': 'view',
  'before-edit': 'edit|create|apply_patch',
  'before-shell': 'bash',
  'after-shell': 'bash',
};

/** Where its model hears what a hook has to say. */
const hears: readonly EventName[] = [
  'session-start',
  'prompt',
  'before-edit',
  'before-shell',
  'after-edit',
  'after-shell',
  'subagent-start',
];

function objectIn(said: unknown): Payload | null {
  if (typeof said === 'string') {
    try {
      return objectIn(JSON.parse(said) ?? null);
    } catch {
      return null;
    }
  }
  return typeof said === 'object' && said !== null && !Array.isArray(said)
    ? (said as Payload)
    : null;
}

/** What a tool is given, and the text where it is no object. */
function argumentsOf(payload: Payload): { readonly input: Payload; readonly text: string | null } {
  const said = payload['toolArgs'] ?? payload['tool_input'];
  const input = objectIn(said);
  if (input === null && typeof said !== 'string')
    throw new CoordError(
      'bad_payload',
      'the harness sent no toolArgs that are an object or a text',
    );
  return input === null ? { input: {}, text: String(said) } : { input, text: null };
}

function edited(payload: Payload, editTools: EditTools): Edit {
  const { input, text } = argumentsOf(payload);
  if (text === null) {
    const field = editTools.get(optionalText(payload, 'toolName', 'tool_name') ?? '');
    return field === undefined
      ? editOf(textOf(input, 'path', 'file_path'), input, true)
      : pathAlone(textOf(input, field));
  }
  const paths = pathsInPatch(text);
  if (paths.length === 0) throw new CoordError('bad_payload', 'the patch names no file');
  return { paths, changes: changesInPatch(text) };
}

/** A subagent tells an id of its own as that of the session, and beside it whose subagent it is. */
function callerOf(payload: Payload): {
  readonly session: string;
  readonly subagent: string | null;
} {
  const agent = optionalText(payload, 'agentId', 'agent_id');
  const session =
    optionalText(payload, 'parentAgentId', 'parent_agent_id') ??
    textOf(payload, 'sessionId', 'session_id');
  return { session, subagent: agent === session ? null : agent };
}

export const copilot: Harness = {
  name: 'copilot',
  title: 'Copilot CLI',
  read: (payload, moment, editTools) => ({
    ...callerOf(payload),
    cwd: textOf(payload, 'cwd'),
    tool: toolAt(
      moment,
      () => edited(payload, editTools),
      () => textOf(argumentsOf(payload).input, 'command'),
    ),
    input: isEditMoment(moment) || isShellMoment(moment) ? argumentsOf(payload).input : {},
    call: null,
    why: optionalText(payload, 'source', 'reason') ?? '',
  }),
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
        return hears.includes(moment) ? JSON.stringify({ additionalContext: answer.text }) : '';
      // With a decision, `allow`, it would run what its user has not allowed.
      case 'rewrite':
        return JSON.stringify({ modifiedArgs: { ...told?.input, command: answer.command } });
    }
  },
  // Its arguments are an object of their own: the shim knows them by their names alone.
  reads: {
    session: 'sessionId',
    child: 'agentId',
    parent: 'parentAgentId',
    path: 'path',
    parts: ['view_range'],
  },
  runsHooksOf: ['claude'],
  isReadThere: true,
  hasInnerSessions: true,

  marks: [{ name: 'copilot', variable: 'COPILOT_CLI' }],
  // In the shells of a subagent it has an id that no hook tells.
  sessionVariable: 'COPILOT_AGENT_SESSION_ID',
  shellKnows: 'nobody',
  hookVariable: 'COPILOT_PROJECT_DIR',

  signs: ['.github/hooks', '.github/copilot-instructions.md'],
  homeSigns: ['.copilot'],
  instructions: 'AGENTS.md',
  file: ({ top, home, env, isUser }) =>
    isUser
      ? join(copilotHome(home, env), 'hooks', 'coord.json')
      : join(top, '.github', 'hooks', 'coord.json'),
  notInForce: whyNotInForce,
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
