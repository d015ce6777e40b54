/** What becomes of a session whose program was killed and said nothing of an end. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { TestRepository } from '../support/repository.ts';
import { checkout } from '../support/sessions.ts';
import { reader } from './readers.ts';

const shim = resolve('hooks/agent-hook');

/** The hooks of these sessions before an edit, all run by one program of this name. */
function edits(repo: TestRepository, program: string, ...sessions: readonly string[]): string {
  const file = join(repo.top, '.git', program);
  copyFileSync(realpathSync('/bin/sh'), file);
  const payload = (session: string): string =>
    JSON.stringify({
      session_id: session,
      cwd: repo.top,
      hook_event_name: 'PreToolUse',
      tool_name: 'apply_patch',
      tool_input: { command: '*** Begin Patch\n*** Update File: src/a\n*** End Patch' },
    });
  const hooks = sessions.map(
    (session, i) => `printf %s "$${i + 1}" | sh '${shim}' codex before-edit # ${session}\n`,
  );
  const { status, stdout } = spawnSync(
    file,
    ['-c', `${hooks.join('')}:`, 'x', ...sessions.map(payload)],
    { cwd: repo.top, env: { ...repo.env, COORD_NODE: process.execPath }, encoding: 'utf8' },
  );
  expect(status).toBe(0);
  return stdout;
}

const holder = (repo: TestRepository): string =>
  repo.coord(null, 'check', 'src/a').json['blockers'][0].agent.name;

test('it holds its files while the program is there, and no longer once somebody wants them', () => {
  const repo = checkout();
  expect(edits(repo, 'codex', 'session-number-one', 'session-number-two')).toMatch(
    /"deny".*held by codex-umberone/,
  );
  expect(holder(repo)).toBe('codex-umberone');
  expect(edits(repo, 'codex', 'session-number-two')).toBe('');
  expect(holder(repo)).toBe('codex-umbertwo');
});

test('where its program is not known by its name, it is not taken for gone', () => {
  const repo = checkout();
  expect(edits(repo, 'other', 'session-number-one')).toBe('');
  expect(edits(repo, 'codex', 'session-number-two')).toMatch(/"deny".*held by codex-umberone/);
});

test('that one has ended meanwhile lets nobody write a file that was not read', () => {
  const repo = checkout();
  expect(edits(repo, 'codex', 'session-number-one')).toBe('');
  const ann = reader(repo, 'ann');
  expect(ann.write('src/b', 'x\n')).toMatch(/you have not read src\/b/);
  expect(ann.write('src/b', 'x\n')).toBeNull();
});
