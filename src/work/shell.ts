/** Programs that are not git: what a user or a configuration wants run. */
import { spawn } from 'node:child_process';
import { builtin } from '../git/builtin.ts';

interface ShellCall {
  readonly input: string;
  readonly env: NodeJS.ProcessEnv;
  readonly maxMs: number;
  readonly cwd?: string;
}

/** What a line of the shell says on its standard output, however it ends. */
export function shellOutput(line: string, { input, env, maxMs, cwd }: ShellCall): string {
  const { stdout } = builtin.childProcess.spawnSync('/bin/sh', ['-c', line], {
    input,
    env,
    encoding: 'utf8',
    timeout: maxMs,
    stdio: ['pipe', 'pipe', 'ignore'],
    ...(cwd === undefined ? {} : { cwd }),
  });
  return stdout ?? '';
}

export interface ProgramEnd {
  readonly code: number;
  /** All that it said, on either stream. */
  readonly text: string;
}

export function runProgram(
  [file = '', ...args]: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<ProgramEnd> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? -1, text: text.trimEnd() }));
  });
}
