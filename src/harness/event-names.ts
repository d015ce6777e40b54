/** What each agent program calls the events of a session. */

import type { EventNames } from './claude-like.ts';

export const geminiEvents: EventNames = {
  'session-start': 'SessionStart',
  prompt: 'BeforeAgent',
  'before-edit': 'BeforeTool',
  'before-shell': 'BeforeTool',
  'after-shell': 'AfterTool',
  compact: 'PreCompress',
  'session-end': 'SessionEnd',
};
export const cursorEvents: EventNames = {
  'session-start': 'sessionStart',
  'before-edit': 'preToolUse',
  'before-shell': 'preToolUse',
  'after-shell': 'postToolUse',
  'subagent-start': 'subagentStart',
  'subagent-stop': 'subagentStop',
  compact: 'preCompact',
  'session-end': 'sessionEnd',
};
export const copilotEvents: EventNames = {
  'session-start': 'sessionStart',
  prompt: 'userPromptSubmitted',
  'before-edit': 'preToolUse',
  'before-shell': 'preToolUse',
  'after-shell': 'postToolUse',
  'session-end': 'sessionEnd',
};
