/** The command itself: started, signalled, and how it ended. */

import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { isatty } from 'node:tty';
import { CoordError } from '../core/errors.ts';
import { exits } from '../core/exits.ts';

export interface End {
  readonly code: number;
  readonly signal: string | null;
  readonly failure: CoordError | null;
}

export function endOf(child: ChildProcess): Promise<End> {
  return new Promise((resolve) => {
    child.on('error', (error: Error & { code?: string }) => {
      resolve({
        code: error.code === 'ENOENT' ? 127 : 126,
        signal: null,
        failure: new CoordError(
          'cannot_run',
          `'${child.spawnfile}' could not be started: ${error.code ?? error.message}`,
          'the lock is free again',
          error,
        ),
      });
    });
    child.on('close', (code, signal) =>
      resolve({
        code: signal === null ? (code ?? exits.bug) : 128 + constants.signals[signal],
        signal,
        failure: null,
      }),
    );
  });
}

/** A terminal sends its own signals to the whole group, so those are not sent twice. */
export function passSignals(child: ChildProcess): { stop(): void } {
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;
  const handlers = names.map((name) => {
    const handler = (): void => {
      if (!(isatty(0) && (name === 'SIGINT' || name === 'SIGQUIT'))) child.kill(name);
    };
    process.on(name, handler);
    return [name, handler] as const;
  });
  return {
    stop: () => {
      for (const [name, handler] of handlers) process.off(name, handler);
    },
  };
}

/** A process that a command left behind may keep its output open. */
export const drainMs = 300;
