/**
 * A session of Claude Code as coord meets it: the commands that `coord install` wrote into its
 * settings, run by a shell with its payloads before and after each tool; the tools themselves; and
 * a shell that begins with the file of the session.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { occurrences } from './edit.ts';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export type Answer =
  /** Done, and what the model is told after it. */
  | { readonly kind: 'done'; readonly ran: Ran; readonly told: string }
  | { readonly kind: 'denied'; readonly reason: string }
  /** The tool itself could not: the text is not there any more, or twice. */
  | { readonly kind: 'failed' };

export type ToolInput = Readonly<Record<string, unknown>>;

interface Handler {
  readonly matcher?: string;
  readonly command?: string;
  readonly hooks?: readonly Handler[];
}

type Hooks = Readonly<Record<string, readonly Handler[]>>;

interface ShellOptions {
  readonly input?: string;
  /** The groups of processes that run, for whoever ends them. */
  readonly running?: Set<number>;
}

export function runShell(
  command: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
  { input = '', running }: ShellOptions = {},
): Promise<Ran> {
  const child = spawn('sh', ['-c', command], {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const { pid } = child;
  if (pid !== undefined) running?.add(pid);
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // It need not read what it is told.
  child.stdin.on('error', () => {}).end(input);
  return new Promise((done, failed) => {
    child.on('error', failed);
    child.on('close', (code) => {
      if (pid !== undefined) running?.delete(pid);
      done({ code: code ?? -1, stdout, stderr });
    });
  });
}

function hooksOf(top: string): Hooks {
  const file = join(top, '.claude', 'settings.json');
  if (!existsSync(file)) return {};
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly hooks?: Hooks }).hooks ?? {};
}

/** Told of each tool call, for whoever wants to see what came to pass. */
export type Trace = (call: Readonly<Record<string, unknown>>) => void;

interface Surroundings {
  readonly top: string;
  readonly env: NodeJS.ProcessEnv;
}

export class Session {
  readonly name: string;
  readonly top: string;
  readonly env: NodeJS.ProcessEnv;
  readonly #hooks: Hooks;
  readonly #envFile: string;
  readonly #trace: Trace;
  readonly #running = new Set<number>();
  /** What the hooks around each tool call took. */
  readonly costsMs: number[] = [];

  constructor(name: string, { top, env }: Surroundings, trace: Trace) {
    this.name = name;
    this.#trace = trace;
    this.top = top;
    this.env = env;
    this.#hooks = hooksOf(top);
    this.#envFile = join(top, '..', `env-${name}`);
    writeFileSync(this.#envFile, '');
  }

  /** Ends whatever waits in its shell. */
  stop(): void {
    for (const pid of this.#running) process.kill(-pid, 'SIGTERM');
  }

  async begin(): Promise<void> {
    await this.#ask('SessionStart', { source: 'startup' });
  }

  async end(): Promise<void> {
    await this.#ask('SessionEnd', { reason: 'other' });
  }

  /** Null where there is no such file. */
  async read(path: string): Promise<string | null> {
    await this.#before('Read', { file_path: join(this.top, path) });
    return this.#content(path);
  }

  edit(path: string, from: string, to: string): Promise<Answer> {
    const input = { file_path: join(this.top, path), old_string: from, new_string: to };
    return this.#tool('Edit', input, async () => {
      const text = this.#content(path);
      if (text === null || occurrences(text, from) !== 1) return null;
      writeFileSync(
        join(this.top, path),
        text.replace(from, () => to),
      );
      return { code: 0, stdout: '', stderr: '' };
    });
  }

  write(path: string, content: string): Promise<Answer> {
    const input = { file_path: join(this.top, path), content };
    return this.#tool('Write', input, async () => {
      mkdirSync(dirname(join(this.top, path)), { recursive: true });
      writeFileSync(join(this.top, path), content);
      return { code: 0, stdout: '', stderr: '' };
    });
  }

  shell(command: string): Promise<Answer> {
    return this.#tool('Bash', { command }, () =>
      runShell(
        `. '${this.#envFile}'; ${command}`,
        this.top,
        { ...this.env, CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: this.name },
        { running: this.#running },
      ),
    );
  }

  #content(path: string): string | null {
    const file = join(this.top, path);
    return existsSync(file) ? readFileSync(file, 'utf8') : null;
  }

  async #tool(tool: string, input: ToolInput, act: () => Promise<Ran | null>): Promise<Answer> {
    const started = performance.now();
    const { reason } = await this.#before(tool, input);
    const asked = performance.now() - started;
    if (reason !== null) return this.#ended(tool, input, asked, { kind: 'denied', reason });
    const ran = await act();
    // Claude Code runs no such hook after a tool that failed.
    if (ran === null) return this.#ended(tool, input, asked, { kind: 'failed' });
    const after = performance.now();
    const { told } = await this.#ask('PostToolUse', { tool_name: tool, tool_input: input }, tool);
    return this.#ended(tool, input, asked + performance.now() - after, { kind: 'done', ran, told });
  }

  #ended(tool: string, input: ToolInput, ms: number, answer: Answer): Answer {
    this.costsMs.push(ms);
    this.#trace({ session: this.name, tool, input, ms: Math.round(ms), answer });
    return answer;
  }

  #before(tool: string, input: ToolInput): Promise<Heard> {
    return this.#ask('PreToolUse', { tool_name: tool, tool_input: input }, tool);
  }

  async #ask(event: string, more: ToolInput, tool?: string): Promise<Heard> {
    const payload = {
      session_id: this.name,
      transcript_path: '/tmp/transcript.jsonl',
      cwd: this.top,
      permission_mode: 'default',
      hook_event_name: event,
      ...more,
      ...(tool === undefined ? {} : { tool_use_id: 'toolu_01' }),
    };
    const env = { ...this.env, CLAUDE_ENV_FILE: this.#envFile, CLAUDE_PROJECT_DIR: this.top };
    const input = JSON.stringify(payload);
    let told = '';
    for (const command of this.#commands(event, tool)) {
      const { code, stdout, stderr } = await runShell(command, this.top, env, { input });
      if (code === 2) return { reason: stderr, told };
      const said = stdout.trim().startsWith('{') ? (JSON.parse(stdout) as Said) : {};
      const { permissionDecision, permissionDecisionReason, additionalContext } =
        said.hookSpecificOutput ?? {};
      if (permissionDecision === 'deny') return { reason: permissionDecisionReason ?? '', told };
      told += additionalContext ?? '';
    }
    return { reason: null, told };
  }

  #commands(event: string, tool: string | undefined): readonly string[] {
    return (this.#hooks[event] ?? [])
      .filter(
        ({ matcher }) =>
          matcher === undefined || tool === undefined || new RegExp(`^(?:${matcher})$`).test(tool),
      )
      .flatMap(({ hooks = [] }) => hooks.map(({ command = ':' }) => command));
  }
}

interface Said {
  readonly hookSpecificOutput?: {
    readonly permissionDecision?: string;
    readonly permissionDecisionReason?: string;
    readonly additionalContext?: string;
  };
}

interface Heard {
  /** Why not; null where nothing stands against it. */
  readonly reason: string | null;
  readonly told: string;
}
