/** A coding agent is told when git does not run all hooks of coord any more. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkout } from '../support/sessions.ts';
import { ask } from './asked-hook.ts';

test('at its next prompt, once, and each session at its start', () => {
  const repo = checkout({ env: { PATH: '/usr/bin:/bin' } });
  const told = (session: string, moment: string): string =>
    ask(repo, moment, JSON.stringify({ session_id: session, cwd: repo.top, hook_event_name: 'x' }))
      .stdout;
  const edit = { tool_name: 'Edit', tool_input: { file_path: join(repo.top, 'src/a') } };
  const about = { session_id: 'one', cwd: repo.top, hook_event_name: 'x', ...edit };
  expect(told('one', 'session-start')).not.toContain('in force');
  ask(repo, 'before-edit', JSON.stringify(about));
  rmSync(join(repo.top, '.git/hooks/pre-commit'));
  const says =
    "not all hooks of coord are in force any more: coord's lines are gone from pre-commit in '.git/hooks'; tell your user: coord install";
  expect(told('one', 'prompt')).toContain(says);
  expect(told('one', 'prompt')).toBe('');
  expect(told('two', 'session-start')).toContain(says);
});
