/** Subagents share the environment of their session: each command finds out whose it is. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { TestRepository } from '../support/repository.ts';
import { checkout } from '../support/sessions.ts';

const shim = resolve(import.meta.dirname, '../../hooks/agent-hook');

interface Call {
  readonly agent?: string;
  readonly id: string;
  readonly command: string;
}

function payload(repo: TestRepository, { agent, id, command }: Call): string {
  return JSON.stringify({
    session_id: 's1',
    ...(agent === undefined ? {} : { agent_id: agent }),
    cwd: repo.top,
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_use_id: id,
    tool_input: { command },
  });
}

class Hooks {
  readonly repo = checkout();
  readonly file = join(this.repo.top, '../env-file');
  readonly env = {
    ...this.repo.env,
    COORD_NODE: process.execPath,
    CLAUDE_ENV_FILE: this.file,
    CLAUDE_CODE_SESSION_ID: 's1',
  };

  constructor() {
    this.ask('session-start', JSON.stringify({ session_id: 's1', cwd: this.repo.top }));
  }

  ask(moment: string, input: string): string {
    const { stdout } = spawnSync('sh', [shim, 'claude', moment], {
      cwd: this.repo.top,
      env: this.env,
      input,
      encoding: 'utf8',
    });
    return stdout;
  }

  before(call: Call): string {
    return this.ask('before-shell', payload(this.repo, call));
  }

  /** As Claude Code runs a command: with the session's file before it, and quoted. */
  run(command: string, shell = 'bash'): string {
    const quoted = `'${command.replaceAll("'", `'"'"'`)}'`;
    const text = `${readFileSync(this.file, 'utf8')}: && eval ${quoted} < /dev/null && pwd -P >| /dev/null`;
    return spawnSync(shell, ['-c', text], { env: this.env, encoding: 'utf8' }).stdout.trim();
  }
}

const who = 'echo "$COORD_AGENT" # git';

describe.each(['bash', 'zsh'])('in %s', (shell) => {
  test.runIf(spawnSync(shell, ['-c', ':']).status === 0)(
    'a command says whose it is, whatever it looks like',
    () => {
      const hooks = new Hooks();
      const session = hooks.run(who, shell);
      expect(session).toMatch(/^claude-\w+$/);
      for (const command of [
        who,
        `${who} 'it'`,
        `printf '%s\\n' "$COORD_AGENT" < /dev/null # git "it's *"`,
        `git --version > /dev/null &&\n  echo "$COORD_AGENT"`,
      ]) {
        expect(hooks.before({ agent: 'kid', id: 'c1', command })).toBe('');
        expect(hooks.run(command, shell)).toMatch(new RegExp(`^${session}/\\w+$`));
        // Once: the next time nobody has said that it is the subagent's.
        expect(hooks.run(command, shell)).toBe(session);
      }
    },
  );
});

test('a command that contains the one of another call is not taken for it', () => {
  const hooks = new Hooks();
  hooks.before({ agent: 'kid', id: 'c1', command: who });
  expect(hooks.run(`${who}\necho`)).toMatch(/^claude-\w+$/);
  expect(hooks.run(`echo; ${who}`)).toMatch(/^claude-\w+$/);
  expect(hooks.run(who)).toContain('/');
});

test('a call of the same text waits until the other one has begun', async () => {
  const hooks = new Hooks();
  hooks.before({ agent: 'one', id: 'c1', command: who });
  const second = spawn('sh', [shim, 'claude', 'before-shell'], {
    cwd: hooks.repo.top,
    env: hooks.env,
  });
  const said: string[] = [];
  second.stdout.on('data', (bytes: Buffer) => said.push(String(bytes)));
  const ended = new Promise((done) => second.on('close', done));
  second.stdin.end(payload(hooks.repo, { agent: 'two', id: 'c2', command: who }));
  const first = hooks.run(who);
  await ended;
  expect(said.join('')).toBe('');
  const other = hooks.run(who);
  expect([first, other].map((name) => name.includes('/'))).toEqual([true, true]);
  expect(first).not.toBe(other);
});

test('where the other one never begins, the command says itself whose it is', () => {
  const hooks = new Hooks();
  hooks.before({ agent: 'one', id: 'c1', command: who });
  const { hookSpecificOutput } = JSON.parse(hooks.before({ agent: 'two', id: 'c2', command: who }));
  expect(hookSpecificOutput.updatedInput.command).toMatch(/^export COORD_AGENT=\S+\/\w+; /);
  expect(hookSpecificOutput.permissionDecision).toBeUndefined();
});

test('a subagent that ends leaves no note behind', () => {
  const hooks = new Hooks();
  hooks.before({ agent: 'kid', id: 'c1', command: who });
  const folder = join(hooks.repo.top, '.git/coord/callers/claude+s1');
  expect(existsSync(folder)).toBe(true);
  hooks.ask(
    'subagent-stop',
    JSON.stringify({ session_id: 's1', agent_id: 'kid', cwd: hooks.repo.top }),
  );
  expect(existsSync(folder)).toBe(false);
});
