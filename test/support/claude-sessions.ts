/**
 * Sessions of Claude Code in one checkout, as the program works: a hook before each tool, the tool
 * itself on the real file, commits in the shell that the session's file prepares.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Environment, Ran, TestRepository } from './repository.ts';

const shim = resolve(import.meta.dirname, '../../hooks/agent-hook');

type Json = Readonly<Record<string, unknown>>;

export class ClaudeSession {
  readonly repo: TestRepository;
  readonly session: string;
  readonly #file: string;
  readonly #shim: string;
  #calls = 0;

  /** With the hooks of this program, or of another one in their place. */
  constructor(repo: TestRepository, session: string, hooks = shim) {
    this.repo = repo;
    this.session = session;
    this.#shim = hooks;
    this.#file = join(repo.top, '..', `env-${session}`);
    this.ask('session-start', { source: 'startup' }, { CLAUDE_ENV_FILE: this.#file });
  }

  /** What the hook printed. */
  ask(moment: string, more: Json, env: Environment = {}): string {
    const { status, stdout, stderr } = spawnSync('sh', [this.#shim, 'claude', moment], {
      cwd: this.repo.top,
      env: { ...this.repo.env, COORD_NODE: process.execPath, ...env },
      input: JSON.stringify({
        session_id: this.session,
        cwd: this.repo.top,
        hook_event_name: 'x',
        ...more,
      }),
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(stderr);
    return stdout;
  }

  before(tool: string, input: Json): string {
    this.#calls += 1;
    return this.ask(tool === 'Bash' ? 'before-shell' : 'before-edit', {
      tool_name: tool,
      tool_input: input,
      tool_use_id: `call-${this.session}-${this.#calls}`,
    });
  }

  path(file: string): string {
    return join(this.repo.top, file);
  }

  /** Only asked; what the tool would do is done by `lands`. */
  wants(file: string, from: string, to: string): string {
    return this.before('Edit', { file_path: this.path(file), old_string: from, new_string: to });
  }

  lands(file: string, from: string, to: string): void {
    const text = readFileSync(this.path(file), 'utf8');
    if (!text.includes(from)) throw new Error(`no '${from}' in ${file}`);
    writeFileSync(
      this.path(file),
      text.replace(from, () => to),
    );
  }

  /** Empty where it was done, else why not. */
  edit(file: string, from: string, to: string): string {
    const said = this.wants(file, from, to);
    if (said.includes('"deny"')) return said;
    this.lands(file, from, to);
    return '';
  }

  read(file: string): string {
    this.ask('before-read', { tool_name: 'Read', tool_input: { file_path: this.path(file) } });
    return existsSync(this.path(file)) ? readFileSync(this.path(file), 'utf8') : '';
  }

  write(file: string, text: string): string {
    const said = this.before('Write', { file_path: this.path(file), content: text });
    if (said.includes('"deny"')) return said;
    writeFileSync(this.path(file), text);
    return '';
  }

  /** A command in the shell of the session, hooks around it. */
  bash(command: string): Ran {
    const said = this.before('Bash', { command });
    if (said.includes('"deny"')) return { code: 126, stdout: '', stderr: said, json: {} };
    const ran = this.shell(command);
    this.ask('after-shell', {
      tool_name: 'Bash',
      tool_input: { command },
      tool_use_id: `call-${this.session}-${this.#calls}`,
      tool_response: { stdout: '' },
    });
    return ran;
  }

  shell(command: string): Ran {
    const { status, stdout, stderr } = spawnSync('bash', ['-c', `. "$0"\n${command}`, this.#file], {
      cwd: this.repo.top,
      env: { ...this.repo.env, CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: this.session },
      encoding: 'utf8',
    });
    return { code: status ?? -1, stdout, stderr, json: {} };
  }
}
