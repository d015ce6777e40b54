/**
 * Qwen Code: made of Gemini CLI, with hooks as Claude Code has them. Its shells say which session
 * they are of, and which subagent; no hook can give them more, for a rewritten command is not taken.
 */
import { join } from 'node:path';
import {
  claudeMoments,
  editBy,
  editedByField,
  groups,
  messaged,
  readClaudeLike,
  writeClaudeLike,
} from './claude-like.ts';
import { whyQwenDoesNot } from './gemini-trust.ts';
import { type Harness, hookSeconds } from './harness.ts';

export const qwen: Harness = {
  name: 'qwen',
  title: 'Qwen Code',
  read: (payload, moment, editTools) =>
    readClaudeLike(payload, moment, () => editedByField(payload, editTools, true)),
  write: (answer, moment) => writeClaudeLike(answer, moment, () => ({})),
  sessionField: 'session_id',
  reads: {
    session: 'session_id',
    child: 'agent_id',
    path: 'file_path',
    parts: ['offset', 'limit', 'pages'],
  },

  marks: [{ name: 'qwen', variable: 'QWEN_CODE' }],
  sessionVariable: 'QWEN_CODE_SESSION_ID',
  threadVariable: 'QWEN_CODE_AGENT_ID',
  shellKnows: 'nobody',
  takesRewritten: () => false,

  signs: ['.qwen', 'QWEN.md'],
  homeSigns: ['.qwen'],
  instructions: 'QWEN.md',
  file: ({ top, home, isUser }) => join(isUser ? home : top, '.qwen', 'settings.json'),
  notInForce: whyQwenDoesNot,
  wanted: (program) => ({
    entries: groups(
      messaged('qwen', program),
      claudeMoments,
      {
        'before-read': 'read_file',
        'before-edit': 'edit|write_file|notebook_edit',
        'before-shell': 'run_shell_command|monitor',
        'after-shell': 'run_shell_command|monitor',
      },
      () => hookSeconds,
      (moment) => ({ name: `coord-${moment}` }),
    ),
    fields: [],
  }),
  sample: editBy('edit', (file) => ({ file_path: file })),
};
