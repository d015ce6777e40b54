/** Sessions whose hooks are asked before and after their shell commands. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'vitest';
import type { TestRepository } from '../support/repository.ts';
import { checkout } from '../support/sessions.ts';

const shim = resolve(import.meta.dirname, '../../hooks/agent-hook');

export function ask(
  repo: TestRepository,
  session: string,
  moment: string,
  more: Readonly<Record<string, unknown>>,
): string {
  const { status, stdout } = spawnSync('sh', [shim, 'claude', moment], {
    cwd: repo.top,
    env: { ...repo.env, COORD_NODE: process.execPath },
    input: JSON.stringify({ session_id: session, cwd: repo.top, hook_event_name: 'x', ...more }),
    encoding: 'utf8',
  });
  expect(status).toBe(0);
  return stdout;
}

export const edit = (repo: TestRepository, session: string, path: string): string =>
  ask(repo, session, 'before-edit', {
    tool_name: 'Edit',
    tool_input: { file_path: join(repo.top, path) },
  });
export const shell = (
  repo: TestRepository,
  session: string,
  moment: string,
  command: string,
  call?: string,
): string =>
  ask(repo, session, moment, {
    tool_name: 'Bash',
    tool_input: { command },
    ...(call === undefined ? {} : { tool_use_id: call }),
  });

/** `one` holds src/a with unsaved work, src/b as it was committed, and an untracked file. */
export function scene(): TestRepository {
  const repo = checkout();
  for (const path of ['src/a', 'src/b', 'src/new']) edit(repo, 'one', path);
  appendFileSync(join(repo.top, 'src/a'), 'of one\n');
  writeFileSync(join(repo.top, 'src/new'), 'of one\n');
  for (const path of ['src/a', 'src/new'])
    utimesSync(join(repo.top, path), 1_700_000_000, 1_700_000_000);
  return repo;
}
