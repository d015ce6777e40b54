/**
 * Gemini CLI: Claude's payload under other names, a decision at the top, and rewritten fields that
 * are merged.
 */
import { join, resolve } from 'node:path';
import { editBy, editedByField, groups, messaged, readClaudeLike } from './claude-like.ts';
import { whyNotInForce } from './gemini-trust.ts';
import { type Harness, hookSeconds } from './harness.ts';
import { type EventName, type EventNames, optionalText } from './hook-event.ts';

/** Of its PreCompress it is told nothing back, and that comes before each call of the model. */
const events: EventNames = {
  'session-start': 'SessionStart',
  prompt: 'BeforeAgent',
  'before-edit': 'BeforeTool',
  'before-shell': 'BeforeTool',
  'before-read': 'BeforeTool',
  'after-shell': 'AfterTool',
  'session-end': 'SessionEnd',
};

const hears: readonly EventName[] = ['session-start', 'prompt', 'after-edit', 'after-shell'];

/**
 * Its rules look at how a command begins, also at that of a hook. Only where its user has allowed all,
 * and trusts the folder, no rule is asked.
 */
function runsAnything(started: readonly string[]): boolean {
  return started.some(
    (word, i) =>
      /^(-y|--yolo|--approval-?[mM]ode=yolo)$/.test(word) ||
      (word === 'yolo' && /^--approval-?[mM]ode$/.test(started[i - 1] ?? '')),
  );
}

export const gemini: Harness = {
  name: 'gemini',
  title: 'Gemini CLI',
  read: (payload, moment, editTools) => {
    const told = readClaudeLike(payload, moment, () => editedByField(payload, editTools));
    // A command may run in a folder of its own.
    return { ...told, cwd: resolve(told.cwd, optionalText(told.input, 'dir_path') ?? '') };
  },
  write: (answer, moment) => {
    switch (answer.kind) {
      case 'quiet':
        return '';
      case 'deny':
        return JSON.stringify({
          decision: 'deny',
          reason: answer.reason,
          systemMessage: answer.reason,
        });
      case 'context':
        return hears.includes(moment)
          ? JSON.stringify({ hookSpecificOutput: { additionalContext: answer.text } })
          : '';
      case 'rewrite':
        return JSON.stringify({ hookSpecificOutput: { tool_input: { command: answer.command } } });
    }
  },
  sessionField: 'session_id',
  reads: {
    session: 'session_id',
    child: 'agent_id',
    path: 'file_path',
    parts: ['start_line', 'end_line', 'offset', 'limit'],
  },

  marks: [{ name: 'gemini', variable: 'GEMINI_CLI' }],
  shellKnows: 'nobody',
  hookVariable: 'GEMINI_SESSION_ID',
  takesRewritten: (started, places) =>
    runsAnything(started) && whyNotInForce({ ...places, isUser: true }) === null,
  passesBashEnv: true,
  withoutGitHooks: true,

  signs: ['.gemini', 'GEMINI.md'],
  homeSigns: ['.gemini'],
  instructions: 'GEMINI.md',
  file: ({ top, home, isUser }) => join(isUser ? home : top, '.gemini', 'settings.json'),
  notInForce: whyNotInForce,
  wanted: (program) => ({
    entries: groups(
      messaged('gemini', program),
      events,
      {
        'before-read': 'read_file',
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
