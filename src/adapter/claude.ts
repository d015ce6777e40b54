/** Claude Code. An input without a decision is a pure rewrite, which approves nothing. */
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
import {
  coordCommand,
  type Harness,
  hookSeconds,
  type Matchers,
  type SettingsEntry,
} from './harness.ts';
import type { EventName } from './hook-event.ts';

const matchers: Matchers = {
  'before-read': 'Read',
  'before-edit': 'Edit|Write|MultiEdit|NotebookEdit',
  'before-shell': 'Bash|PowerShell|Monitor',
  'after-shell': 'Bash|PowerShell|Monitor',
};

function entries(commandOf: (moment: EventName) => string): readonly SettingsEntry[] {
  return groups(commandOf, claudeMoments, matchers, () => hookSeconds);
}

export const claude: Harness = {
  name: 'claude',
  title: 'Claude Code',
  read: (payload, moment, editTools) =>
    readClaudeLike(payload, moment, () => editedByField(payload, editTools, true)),
  write: (answer, moment, told) =>
    writeClaudeLike(answer, moment, (command) => ({ updatedInput: { ...told?.input, command } })),
  sessionField: 'session_id',
  reads: {
    session: 'session_id',
    child: 'agent_id',
    path: 'file_path',
    parts: ['offset', 'limit', 'pages'],
  },

  marks: [{ name: 'claude', variable: 'CLAUDECODE' }],
  sessionVariable: 'CLAUDE_CODE_SESSION_ID',
  shellKnows: 'session',
  fileVariable: 'CLAUDE_ENV_FILE',
  processVariable: 'CLAUDE_PID',
  processName: 'claude',
  projectVariable: 'CLAUDE_PROJECT_DIR',
  // Of Agent Teams, which are an experiment.
  teamTasks: (session, home, env) => {
    const list = env['CLAUDE_CODE_TASK_LIST_ID'] ?? `session-${session.slice(0, 8)}`;
    return /^[A-Za-z0-9_-]{1,100}$/.test(list) ? join(home, '.claude', 'tasks', list) : null;
  },

  signs: ['.claude', 'CLAUDE.md'],
  homeSigns: ['.claude'],
  instructions: 'CLAUDE.md',
  file: ({ top, home, env, isUser }) =>
    join(
      isUser ? (env['CLAUDE_CONFIG_DIR'] ?? join(home, '.claude')) : join(top, '.claude'),
      'settings.json',
    ),
  wanted: (program) => ({
    entries: entries(messaged('claude', program)),
    fields: [
      {
        path: ['statusLine'],
        value: {
          type: 'command',
          command: coordCommand('statusline', program),
          refreshInterval: 5,
        },
      },
    ],
  }),
  sample: editBy('Edit', (file) => ({ file_path: file, old_string: 'a', new_string: 'b' })),
};
