/** Somebody looks at a file while a tool has emptied it to write it anew. */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ClaudeSession } from '../support/claude-sessions.ts';
import { addedIn, changedByBoth, sharedFile } from '../support/shared-file.ts';

/** Written in two steps, as most tools do, with a look of somebody in between. */
function writes(session: ClaudeSession, from: string, to: string, look: () => void): void {
  const file = session.path('shared');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.slice(0, text.length / 2));
  look();
  writeFileSync(file, text.replace(from, to));
}

describe('a file that is cut while it is written', () => {
  test.each([
    ['alone in it', sharedFile],
    ['beside others', changedByBoth],
  ])('by an edit of a session %s', (_, scene) => {
    const { repo, ann, ben } = scene();
    expect(ben.wants('shared', 'line 16\n', 'line 16 of ben\n')).toBe('');
    writes(ben, 'line 16\n', 'line 16 of ben\n', () => ann.shell('coord diff --all'));
    expect(ben.bash('git commit -qam ben')).toMatchObject({ code: 0, stderr: '' });
    expect(addedIn(repo, 'HEAD')).toContain('line 16 of ben');
    expect(repo.git('show', '--format=', '--numstat', 'HEAD')).toMatch(/^([12])\t\1\tshared\n$/);
    ann.bash('git commit -qam ann');
    expect(repo.git('status', '--short')).toBe('');
  });

  test('by a command: what is new is of who ran it, what is back of whose it was', () => {
    const { repo, ann, ben } = changedByBoth();
    const command = 'python3 fix.py shared';
    const more = { tool_name: 'Bash', tool_input: { command }, tool_use_id: 'call' };
    ben.ask('before-shell', more);
    writes(ben, 'line 16\n', 'line 16 of ben\n', () => ann.shell('coord diff --all'));
    ben.ask('after-shell', more);
    for (const [session, lines] of [
      [ann, ['line 3 of ann']],
      [ben, ['line 12 of ben', 'line 16 of ben']],
    ] as const) {
      expect(session.bash('git commit -qam own')).toMatchObject({ code: 0, stderr: '' });
      expect(addedIn(repo, 'HEAD')).toEqual(lines);
    }
    expect(repo.git('status', '--short')).toBe('');
  });
});
