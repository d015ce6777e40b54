/** Printed next commands, followed to the letter: by a shell, as whoever they were said to. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { coordIn } from './gate.ts';
import type { Environment, Ran, Started, TestRepository } from './repository.ts';

/** With the program that is tested as `coord` on the PATH. */
function withCoord(repo: TestRepository, env: Environment): Environment {
  const folder = join(repo.top, '../bin');
  // Not a second time, while it may be started.
  if (!existsSync(join(folder, 'coord'))) coordIn(folder);
  return { ...env, PATH: `${env['PATH'] ?? ''}${delimiter}${folder}` };
}

/** Starts the line and returns at once. */
export function follow(
  repo: TestRepository,
  line: string,
  env: Environment = repo.env,
  cwd = repo.top,
): Started {
  const child = spawn('bash', ['-c', line], {
    cwd,
    env: withCoord(repo, env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill());
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<Ran>((done) =>
    child.on('close', (code) => done({ code: code ?? -1, stdout, stderr, json: {} })),
  );
  return { child, ended };
}

/** The next command that a refusal printed for people. */
export function nextIn(text: string): string {
  const [, line] = /^ {2}next: (.*)$/m.exec(text) ?? [];
  if (line === undefined) throw new Error(`no next command in: ${text}`);
  return line;
}
