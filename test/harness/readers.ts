/** Sessions of agent programs that read and write whole files, as each program tells its hooks of it. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { TestRepository } from '../support/repository.ts';
import { shim } from './asked-hook.ts';

type Json = Readonly<Record<string, unknown>>;
export type ProgramName = 'claude' | 'codex' | 'gemini' | 'qwen' | 'kilo' | 'opencode' | 'copilot';

export interface Reader {
  readonly top: string;
  readonly folder: string;
  /** The hook alone; what it prints. */
  ask(moment: string, tool: Json): string;
  read(path: string, part?: Json): void;
  /** Why not, or null; the file is not touched yet. */
  mayWrite(path: string, text: string): string | null;
  mayEdit(path: string, from: string, to: string): string | null;
  /** As the program does it: asks, and writes if it may. */
  write(path: string, text: string): string | null;
  edit(path: string, from: string, to: string): string | null;
}

const named = (name: string, input: Json): Json => ({ tool_name: name, tool_input: input });

interface Tools {
  readonly read: ((file: string, part: Json) => Json) | null;
  write(file: string, content: string): Json;
  edit(file: string, from: string, to: string): Json;
}

const claude: Tools = {
  read: (file, part) => named('Read', { file_path: file, ...part }),
  write: (file, content) => named('Write', { file_path: file, content }),
  edit: (file, from, to) =>
    named('Edit', { file_path: file, old_string: from, new_string: to, replace_all: false }),
};
const gemini: Tools = {
  read: (file, part) => named('read_file', { file_path: file, ...part }),
  write: (file, content) => named('write_file', { file_path: file, content }),
  edit: (file, from, to) =>
    named('replace', { file_path: file, instruction: 'do', old_string: from, new_string: to }),
};
const opencode: Tools = {
  read: (file) => ({ tool_input: { file_path: file } }),
  write: (file, content) => ({ tool_input: { file_path: file, content } }),
  edit: (file, from, to) => ({
    tool_input: { file_path: file, old_string: from, new_string: to, replace_all: false },
  }),
};
const patch = (...lines: readonly string[]): string =>
  ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
const signed = (sign: string, text: string): readonly string[] =>
  text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => `${sign}${line}`);

const tools: Readonly<Record<ProgramName, Tools>> = {
  claude,
  gemini,
  qwen: { ...gemini, edit: claude.edit },
  kilo: opencode,
  opencode,
  codex: {
    read: null,
    write: (file, content) =>
      named('apply_patch', { command: patch(`*** Add File: ${file}`, ...signed('+', content)) }),
    edit: (file, from, to) =>
      named('apply_patch', {
        command: patch(`*** Update File: ${file}`, '@@', ...signed('-', from), ...signed('+', to)),
      }),
  },
  copilot: {
    read: (file, part) => ({ toolName: 'view', toolArgs: { path: file, ...part } }),
    write: (file, content) => ({
      toolName: 'create',
      toolArgs: { path: file, file_text: content },
    }),
    edit: (file, from, to) => ({
      toolName: 'edit',
      toolArgs: { path: file, old_str: from, new_str: to },
    }),
  },
};

function whose(program: ProgramName, session: string, subagent: string | undefined): Json {
  if (program !== 'copilot')
    return { session_id: session, ...(subagent === undefined ? {} : { agent_id: subagent }) };
  return subagent === undefined
    ? { sessionId: session }
    : { sessionId: subagent, agentId: subagent, parentAgentId: session };
}

/** The reason in a program's own form of a denial. */
function reasonIn(said: string): string | null {
  if (said === '') return null;
  const json = JSON.parse(said) as Record<string, any>;
  const inner = json['hookSpecificOutput'] ?? json;
  const isDenied = [inner.permissionDecision, inner.decision, inner.kind].includes('deny');
  return isDenied ? String(inner.permissionDecisionReason ?? inner.reason) : null;
}

export function reader(
  { top, env }: TestRepository,
  session: string,
  { program = 'claude', subagent }: { program?: ProgramName; subagent?: string } = {},
): Reader {
  const its = tools[program];
  const folder = join(
    top,
    '.git/coord/reads',
    [program, session, ...(subagent === undefined ? [] : [subagent])].join('+'),
  );
  const ask = (moment: string, tool: Json): string => {
    const payload = { ...whose(program, session, subagent), cwd: top, hook_event_name: 'x' };
    const { status, stdout, stderr } = spawnSync('sh', [shim, program, moment], {
      cwd: top,
      env: { ...env, COORD_NODE: process.execPath },
      input: JSON.stringify({ ...payload, ...tool }),
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return stdout;
  };
  const may = (tool: Json): string | null => reasonIn(ask('before-edit', tool));
  const here: Reader = {
    top,
    folder,
    ask,
    read: (path, part = {}) => {
      if (its.read !== null) expect(ask('before-read', its.read(join(top, path), part))).toBe('');
    },
    mayWrite: (path, text) => may(its.write(join(top, path), text)),
    mayEdit: (path, from, to) => may(its.edit(join(top, path), from, to)),
    write: (path, text) => {
      const why = here.mayWrite(path, text);
      if (why === null) writeFileSync(join(top, path), text);
      return why;
    },
    edit: (path, from, to) => {
      const why = here.mayEdit(path, from, to);
      const file = join(top, path);
      if (why === null)
        writeFileSync(
          file,
          readFileSync(file, 'utf8').replace(from, () => to),
        );
      return why;
    },
  };
  return here;
}
