/**
 * Four agents, real processes that behave as a harness does, sixty tasks over forty files in one
 * checkout. Whenever two want one file, both have read it before either writes: so without coord
 * work is lost, and with it each refusal is acted on by doing something else first. One is killed,
 * one sleeps past its TTL.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { afterEach, describe, expect, test } from 'vitest';
import { commandsFor, shapes } from '../support/harness.ts';
import { coordProgram, run, type TestRepository } from '../support/repository.ts';
import { checkout } from '../support/sessions.ts';

const files = Array.from({ length: 40 }, (_, i) => `lib/f${i}`);
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

interface Said {
  readonly ok: boolean;
  readonly said?: string;
}

class Agent {
  readonly child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(repo: TestRepository, name: string, guarded: boolean) {
    const command = (event: string, tool?: string): string =>
      commandsFor(repo, shapes.claude, event, tool)[0] ?? '';
    const hooks = guarded
      ? {
          'session-start': command('SessionStart'),
          'before-edit': command('PreToolUse', 'Edit'),
          'before-shell': command('PreToolUse', 'Bash'),
          'after-shell': command('PostToolUse', 'Bash'),
          'session-end': command('SessionEnd'),
          program: coordProgram,
        }
      : {};
    const setup = JSON.stringify({
      session: `session-${name}`,
      top: repo.top,
      hooks,
      envFile: join(repo.top, '..', `env-${name}`),
    });
    this.child = spawn(
      process.execPath,
      [resolve(import.meta.dirname, '../../fixtures/scripted-agent.mjs'), setup],
      { env: repo.env, stdio: ['pipe', 'pipe', 'inherit'] },
    );
    children.push(this.child);
    const lines: Interface = createInterface({ input: this.child.stdout as NodeJS.ReadableStream });
    this.#lines = lines[Symbol.asyncIterator]();
  }

  async tell(order: Readonly<Record<string, unknown>>): Promise<Said> {
    this.child.stdin?.write(`${JSON.stringify(order)}\n`);
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error('the agent has ended');
    return JSON.parse(value) as Said;
  }
}

interface Task {
  readonly file: string;
  readonly line: string;
  readonly by: 'edit' | 'shell';
}

/** Neighbours in the list, which two agents get at once, want one file every third time. */
const tasks: readonly Task[] = Array.from({ length: 60 }, (_, i) => ({
  file: files[(i % 6 < 2 ? Math.floor(i / 6) : i) % files.length] ?? '',
  line: `task ${i}`,
  by: i % 3 === 2 ? 'shell' : 'edit',
}));

interface Outcome {
  readonly lost: number;
  readonly refused: number;
  readonly committed: number;
}

async function work(guarded: boolean): Promise<Outcome> {
  const repo = checkout({ guarded });
  for (const file of files) repo.write(file, `${file}\n`);
  if (guarded) expect(run(repo.top, repo.env, ['install', '--harness', 'claude']).code).toBe(0);
  repo.git('add', '.');
  repo.git('commit', '-q', '-m', 'forty files');
  if (guarded)
    for (const [key, value] of [
      ['coord.ttl', '5s'],
      ['coord.grace', '0s'],
    ] as const)
      repo.git('config', key, value);
  const agents = ['one', 'two', 'three', 'four'].map((name) => new Agent(repo, name, guarded));
  for (const agent of agents) await agent.tell({ do: 'start' });
  let refused = 0;
  const waiting = [...tasks];
  const takers = [...agents];
  for (let round = 0; waiting.length > 0; round += 1) {
    if (round === 200) throw new Error('it never ends');
    const team = takers.length === 4 && round % 2 === 1 ? takers.slice(2) : takers.slice(0, 2);
    const pairs = team
      .map((agent) => ({ agent, task: waiting.shift() }))
      .filter((pair): pair is { agent: Agent; task: Task } => pair.task !== undefined);
    // Both read before either writes.
    const begun: typeof pairs = [];
    for (const pair of pairs) {
      if ((await pair.agent.tell({ do: 'read', ...pair.task })).ok) begun.push(pair);
      else {
        refused += 1;
        waiting.push(pair.task);
      }
    }
    for (const { agent, task } of begun) await agent.tell({ do: 'write', ...task });
    for (const { agent, task } of begun) {
      const { ok, said } = await agent.tell({ do: 'commit', file: task.file, message: task.line });
      if (guarded) expect({ ok, said }).toEqual({ ok: true, said: '' });
      await agent.tell({ do: 'release', file: task.file });
    }
    if (guarded && round === 5) await loseTwo(repo, takers);
  }
  for (const agent of takers) await agent.tell({ do: 'end' });
  const text = files.map((file) => repo.git('show', `HEAD:${file}`)).join('');
  return {
    lost: tasks.filter(({ line }) => !text.includes(`${line}\n`)).length,
    refused,
    committed: Number(repo.git('rev-list', '--count', 'HEAD')),
  };
}

/**
 * One is killed holding a file and one sleeps past its TTL; what they held is another's after that.
 */
async function loseTwo(repo: TestRepository, takers: Agent[]): Promise<void> {
  const [killed, paused] = takers.splice(2) as [Agent, Agent];
  for (const [i, agent] of [killed, paused].entries())
    expect((await agent.tell({ do: 'read', file: files[38 + i], by: 'edit' })).ok).toBe(true);
  killed.child.kill('SIGKILL');
  paused.child.kill('SIGSTOP');
  for (const file of files.slice(38)) {
    const waited = run(repo.top, { ...repo.env, COORD_AGENT: 'heir' }, [
      'reserve',
      '--wait',
      '60s',
      file,
    ]);
    expect(waited.code, waited.stderr).toBe(0);
  }
  paused.child.kill('SIGCONT');
  expect((await paused.tell({ do: 'read', file: files[39], by: 'edit' })).ok).toBe(false);
  expect(run(repo.top, { ...repo.env, COORD_AGENT: 'heir' }, ['release', '--all']).code).toBe(0);
  await paused.tell({ do: 'end' });
}

describe('four agents, sixty tasks, forty files', () => {
  test(
    'with coord nothing is lost, and every refusal is acted on',
    { timeout: 240_000 },
    async () => {
      const { lost, refused, committed } = await work(true);
      process.stdout.write(
        `with coord: ${lost} of 60 tasks lost, ${refused} refusals, ${committed} commits\n`,
      );
      expect(lost).toBe(0);
      expect(refused).toBeGreaterThan(5);
    },
  );

  test(
    'planted bug: without coord the same work is lost in part',
    { timeout: 240_000 },
    async () => {
      const { lost, committed } = await work(false);
      process.stdout.write(`without coord: ${lost} of 60 tasks lost, ${committed} commits\n`);
      expect(lost).toBeGreaterThan(5);
    },
  );
});
