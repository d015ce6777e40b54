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

/**
 * A command without a terminal: it reads nothing, its output is only heard, and its processes are
 * a group of their own, which ends with whoever asked for it or with its time.
 */
export interface Apart {
  readonly maxMs: number;
  heard(chunk: Buffer): void;
}

/** Asks a command to end, and where it has a group of its own all that it has started. */
export function endCommand({ pid }: ChildProcess, isGroup: boolean): void {
  if (pid === undefined) return;
  try {
    process.kill(isGroup ? -pid : pid, 'SIGTERM');
  } catch {
    // It is over.
  }
}

/** What ended a command early; what it says of itself then is no success. */
export type EndedBy = 'time' | 'interruption' | null;

/** Ends a command with whoever asked for it, or when it has taken too long. */
export function endInTime(
  child: ChildProcess,
  { maxMs }: Apart,
  interruption: AbortSignal,
): { stop(): EndedBy } {
  let by: EndedBy = null;
  const end = (why: EndedBy): void => {
    by ??= why;
    endCommand(child, true);
  };
  const interrupted = (): void => end('interruption');
  const timer = setTimeout(() => end('time'), maxMs);
  interruption.addEventListener('abort', interrupted, { once: true });
  if (interruption.aborted) interrupted();
  return {
    stop: () => {
      clearTimeout(timer);
      interruption.removeEventListener('abort', interrupted);
      return by;
    },
  };
}

/** A terminal sends its own signals to the whole group, so those are not sent twice. */
export function passSignals(child: ChildProcess): { stop(): EndedBy } {
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
      return null;
    },
  };
}

/** A process that a command left behind may keep its output open. */
export const drainMs = 300;
