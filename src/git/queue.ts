/**
 * A queue of processes in front of the swap, for fairness and against wasted attempts. A place is a
 * listening socket under the next free number; its successor connects and waits for the connection
 * to end, which the kernel sees to however the process ends. Nothing rests on it: whoever cannot
 * queue, or waits behind somebody who makes no progress, goes on and meets the swap.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { limits } from '../core/limits.ts';
import { builtin } from './builtin.ts';
import { localPath } from './local.ts';

/** A socket's path has to fit into 108 bytes, so a deep repository queues under the temporary folder. */
export function queueFolder(commonDir: string): string {
  const own = localPath(commonDir, 'queue');
  if (Buffer.byteLength(own) <= 90) return own;
  const key = builtin.crypto.createHash('sha256').update(commonDir).digest('hex').slice(0, 16);
  return join(tmpdir(), `coord-${process.getuid?.() ?? 0}-${key}`);
}

function placesIn(folder: string): readonly number[] {
  try {
    return readdirSync(folder).map(Number).filter((place) => Number.isSafeInteger(place) && place > 0).sort((a, b) => a - b);
  } catch {
    return [];
  }
}

/** Waits for its turn and returns how to leave; null where no place was taken: none can be, or nobody queues and none is demanded. */
export async function enterQueue(commonDir: string, demand: boolean): Promise<(() => void) | null> {
  const folder = queueFolder(commonDir);
  if (!demand && placesIn(folder).length === 0) return null;
  return (await takeTurn(folder, limits.queuePatienceMs))?.leave ?? null;
}

export interface Turn {
  readonly leave: () => void;
  /** Nobody was passed by: no other process has the turn. */
  readonly alone: boolean;
}

/** `patienceMs` is how long one that makes no progress is waited for. */
export async function takeTurn(folder: string, patienceMs: number): Promise<Turn | null> {
  const mine = await takePlace(folder);
  if (mine === null) return null;
  const passedBy = new Set<number>();
  for (;;) {
    const before = placesIn(folder).filter((place) => place < mine.place && !passedBy.has(place)).at(-1);
    if (before === undefined) return { leave: mine.leave, alone: passedBy.size === 0 };
    if (await untilGone(folder, before, patienceMs) === 'stuck') passedBy.add(before);
  }
}

interface Place {
  readonly place: number;
  readonly leave: () => void;
}

async function takePlace(folder: string): Promise<Place | null> {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    return null;
  }
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const place = (placesIn(folder).at(-1) ?? 0) + 1;
    const successors = new Set<Socket>();
    const server = builtin.net.createServer((successor) => {
      successors.add(successor.unref().on('error', () => {}).on('close', () => successors.delete(successor)));
    });
    const answer = await listen(server, join(folder, String(place)));
    if (answer === 'failed') return null;
    if (answer === 'taken') continue;
    return {
      place,
      leave: () => {
        server.close();
        for (const successor of successors) successor.destroy();
      },
    };
  }
  return null;
}

function listen(server: Server, file: string): Promise<'listening' | 'taken' | 'failed'> {
  return new Promise((resolve) => {
    server.on('error', (error: Error & { code?: string }) => resolve(error.code === 'EADDRINUSE' ? 'taken' : 'failed'));
    server.listen(file, () => resolve('listening'));
    server.unref();
  });
}

function removed(file: string): boolean {
  try {
    rmSync(file, { force: true });
    return true;
  } catch {
    return false;
  }
}

/** Until the process at this place leaves or ends, or the queue before it has stood still for long. */
function untilGone(folder: string, place: number, patienceMs: number): Promise<'gone' | 'stuck'> {
  const file = join(folder, String(place));
  const head = (): number | undefined => placesIn(folder)[0];
  return new Promise((resolve) => {
    let first = head();
    const socket = builtin.net.connect(file);
    const timer = setInterval(() => {
      const now = head();
      if (now === first) finish('stuck');
      first = now;
    }, patienceMs);
    const finish = (answer: 'gone' | 'stuck'): void => {
      clearInterval(timer);
      socket.destroy();
      resolve(answer);
    };
    socket.on('error', (error: Error & { code?: string }) => {
      // Refused: the file is there and nobody listens, so its process is dead.
      finish(error.code === 'ENOENT' || (error.code === 'ECONNREFUSED' && removed(file)) ? 'gone' : 'stuck');
    });
    socket.on('close', () => finish('gone'));
    socket.resume();
  });
}
