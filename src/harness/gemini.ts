/**
 * Gemini CLI: Claude's payload under other names, a decision at the top, and rewritten fields that
 * are merged.
 */
import { editedByField, readClaudeLike } from './claude-like.ts';
import type { EventName, Harness } from './hook-event.ts';

const hears: readonly EventName[] = ['session-start', 'prompt', 'after-edit', 'after-shell'];

export const gemini: Harness = {
  name: 'gemini',
  read: (payload, moment, editTools) =>
    readClaudeLike(payload, moment, () => editedByField(payload, editTools)),
  write: (answer, moment) => {
    switch (answer.kind) {
      case 'quiet':
        return '';
      case 'deny':
        return JSON.stringify({ decision: 'deny', reason: answer.reason });
      case 'context':
        return hears.includes(moment)
          ? JSON.stringify({ hookSpecificOutput: { additionalContext: answer.text } })
          : '';
      case 'rewrite':
        return JSON.stringify({ hookSpecificOutput: { tool_input: { command: answer.command } } });
    }
  },
};
