/** A real terminal of a given size, with somebody at its keyboard: a pane of tmux. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { coordIn } from './gate.ts';
import { type Environment, temporaryFolder } from './repository.ts';

export interface Terminal {
  /** Types a line, and Enter. */
  line(text: string): void;
  /** Types it, and no Enter. */
  type(text: string): void;
  /** Presses a key by its name in tmux. */
  key(name: string): void;
  /** What is on the screen, once it matches; throws after half a minute. */
  until(pattern: RegExp): Promise<string>;
  /**
   * Runs it on an empty screen, and returns that as it is painted, once the prompt is back. A line
   * that only the terminal has broken is one.
   */
  run(command: string): Promise<string>;
}

export const prompt = '$ ';

/** A script that starts a shell as a person has it, with coord on its PATH. */
function shellIn(folder: string, cwd: string, env: Environment): string {
  const bin = mkdtempSync(join(folder, 'bin-'));
  coordIn(bin);
  const all = {
    ...env,
    PATH: `${bin}:${env['PATH'] ?? ''}`,
    PS1: prompt,
    ENV: '',
    LC_ALL: 'C.UTF-8',
  };
  const script = join(folder, 'shell');
  const exports = Object.entries(all).map(([name, value]) => `export ${name}='${value}'`);
  writeFileSync(
    script,
    ['unset TMUX TMUX_PANE', ...exports, `cd '${cwd}'`, 'exec sh -i'].join('\n'),
  );
  return script;
}

export function terminal(
  cwd: string,
  env: Environment,
  size: { readonly columns: number; readonly rows: number },
): Terminal {
  const folder = temporaryFolder();
  const script = shellIn(folder, cwd, env);
  const tmux = (...args: readonly string[]): string =>
    execFileSync('tmux', ['-f', '/dev/null', '-S', join(folder, 'socket'), ...args], {
      encoding: 'utf8',
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: folder,
        LC_ALL: 'C.UTF-8',
        TERM: 'xterm-256color',
      },
    });
  const { columns, rows } = size;
  tmux('new-session', '-d', '-x', String(columns), '-y', String(rows), `sh '${script}'`);
  onTestFinished(() => {
    tmux('kill-server');
  });
  const shown = (): string => tmux('capture-pane', '-p').trimEnd();
  let runs = 0;
  const until = async (pattern: RegExp): Promise<string> => {
    for (let looks = 0; looks < 600; looks += 1) {
      const screen = shown();
      if (pattern.test(screen)) return screen;
      await setTimeout(50);
    }
    throw new Error(`${String(pattern)} did not come:\n${shown()}`);
  };
  const type = (text: string): void => {
    tmux('send-keys', '-l', text);
  };
  const line = (text: string): void => {
    type(text);
    tmux('send-keys', 'Enter');
  };
  return {
    line,
    type,
    key: (name) => {
      tmux('send-keys', name);
    },
    until,
    run: async (command) => {
      // Another end each time: the screen of the last command may still be there.
      runs += 1;
      line(`clear; ${command}; echo 'end of' ${runs}`);
      await until(new RegExp(`^end of ${runs}\\n\\$$`, 'm'));
      const painted = tmux('capture-pane', '-p', '-e', '-J').replace(/ +$/gm, '').trimEnd();
      return painted.slice(0, painted.lastIndexOf(`end of ${runs}`)).replace(/\n$/, '');
    },
  };
}
