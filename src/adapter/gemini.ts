/**
 * Gemini CLI: Claude's payload under other names, a decision at the top, and rewritten fields that
 * are merged.
 */
import { join } from 'node:path';
import { editBy, editedByField, groups, messaged, readClaudeLike } from './claude-like.ts';
import { type Harness, hookSeconds } from './harness.ts';
import type { EventName, EventNames } from './hook-event.ts';

const events: EventNames = {
  'session-start': 'SessionStart',
  prompt: 'BeforeAgent',
  'before-edit': 'BeforeTool',
  'before-shell': 'BeforeTool',
  'after-shell': 'AfterTool',
  compact: 'PreCompress',
  'session-end': 'SessionEnd',
};

const hears: readonly EventName[] = ['session-start', 'prompt', 'after-edit', 'after-shell'];

export const gemini: Harness = {
  name: 'gemini',
  title: 'Gemini CLI',
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
  sessionField: 'session_id',

  marks: [{ name: 'gemini', variable: 'GEMINI_CLI' }],
  shellKnows: 'nobody',

  signs: ['.gemini', 'GEMINI.md'],
  homeSigns: ['.gemini'],
  instructions: 'GEMINI.md',
  file: ({ top, home, isUser }) => join(isUser ? home : top, '.gemini', 'settings.json'),
  wanted: (program) => ({
    entries: groups(
      messaged('gemini', program),
      events,
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
  sample: editBy('replace', (file) => ({ file_path: file })),
};
