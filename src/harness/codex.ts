/**
 * Codex CLI: Claude's shape, but one unknown key or an empty reason makes it ignore the whole
 * answer.
 */
import { claudeEvents, readClaudeLike, writeClaudeLike } from './claude-like.ts';
import { type Harness, objectOf, textOf } from './hook-event.ts';
import { pathsInPatch } from './patch.ts';

const hears = [
  'session-start',
  'prompt',
  'before-edit',
  'before-shell',
  'after-edit',
  'after-shell',
  'subagent-start',
];

export const codex: Harness = {
  name: 'codex',
  read: (payload, moment, editTools) =>
    readClaudeLike(payload, moment, () => {
      const input = objectOf(payload, 'tool_input');
      const field = editTools.get(textOf(payload, 'tool_name'));
      return {
        kind: 'edit',
        paths:
          field === undefined ? pathsInPatch(textOf(input, 'command')) : [textOf(input, field)],
      };
    }),
  write: (answer, moment, told) =>
    answer.kind === 'context' && !hears.includes(moment)
      ? ''
      : writeClaudeLike(answer, claudeEvents[moment], (command) => ({
          permissionDecision: 'allow',
          updatedInput: { ...told?.input, command },
        })),
};
