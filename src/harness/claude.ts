/** Claude Code. An input without a decision is a pure rewrite, which approves nothing. */
import { claudeEvents, editedByField, readClaudeLike, writeClaudeLike } from './claude-like.ts';
import type { Harness } from './hook-event.ts';

/** Events whose output may carry context for the model; elsewhere it would be an error. */
const hears = [
  'session-start',
  'prompt',
  'before-edit',
  'before-shell',
  'after-edit',
  'after-shell',
  'subagent-start',
];

export const claude: Harness = {
  name: 'claude',
  read: (payload, moment, editTools) =>
    readClaudeLike(payload, moment, () => editedByField(payload, editTools)),
  write: (answer, moment, told) =>
    answer.kind === 'context' && !hears.includes(moment)
      ? ''
      : writeClaudeLike(answer, claudeEvents[moment], (command) => ({
          updatedInput: { ...told?.input, command },
        })),
};
