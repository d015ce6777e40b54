/** The shim of a harness, asked as Claude Code asks it. */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect } from 'vitest';
import type { TestRepository } from '../support/repository.ts';

export const shim = resolve(import.meta.dirname, '../../hooks/agent-hook');

export interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export function ask(
  repo: TestRepository,
  moment: string,
  input: string | Buffer,
  env: Readonly<Record<string, string>> = {},
  program = shim,
): Said {
  const { status, stdout, stderr } = spawnSync('sh', [program, 'claude', moment], {
    cwd: repo.top,
    env: { ...repo.env, COORD_NODE: process.execPath, ...env },
    input,
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { code: status ?? -1, stdout, stderr };
}

export const edit = (
  repo: TestRepository,
  path: unknown,
  more: Readonly<Record<string, unknown>> = {},
): string =>
  JSON.stringify({
    session_id: 's1',
    cwd: repo.top,
    hook_event_name: 'PreToolUse',
    tool_name: 'Edit',
    tool_input: { file_path: path },
    ...more,
  });

/** The reason of the denial, in Claude Code's own form, which is all that is printed. */
export function denied({ code, stdout }: Said): string {
  expect({ code, lines: stdout.trim().split('\n').length }).toEqual({ code: 0, lines: 1 });
  return String(JSON.parse(stdout).hookSpecificOutput.permissionDecisionReason);
}
