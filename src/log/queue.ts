/**
 * A queue of processes, for fairness and against wasted attempts; and where one voice speaks for
 * all, only one at a time. A place is a listening socket with a number behind all that are there;
 * its successor connects and waits for the connection to end, which the kernel sees to however the
 * process ends. While it chooses its number a process says so, and whoever has one waits for that
 * (Lamport's bakery): so no two are ever first. Whoever cannot queue, or waits behind somebody who
 * makes no progress, goes on, and knows that it is not alone.
 */
import { constants, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { limits } from '../core/limits.ts';
import { builtin } from '../git/builtin.ts';
import { localPath, ownMark } from '../git/local.ts';

const shortcuts = new Map<string, string>();

/**
 * A socket's path has to fit into 108 bytes with a name of up to 40: a deep repository's folder is
 * reached by a shortcut, or is under the temporary folder where there is none.
 */
export function queueFolder(commonDir: string): string {
  const own = localPath(commonDir, 'queue');
  if (Buffer.byteLength(own) <= 64) return own;
  const known = shortcuts.get(own) ?? shortcutTo(own);
  if (known !== null) {
    shortcuts.set(own, known);
    return known;
  }
  const key = builtin.crypto.createHash('sha256').update(commonDir).digest('hex').slice(0, 16);
  return join(tmpdir(), `coord-${process.getuid?.() ?? 0}-${key}`);
}

function shortcutTo(folder: string): string | null {
  if (process.platform !== 'linux') return null;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return `/proc/self/fd/${openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY)}`;
  } catch {
    return null;
  }
}

const choosing = 'choosing.';

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const numberOf = (place: string): number => Number(place.slice(0, place.indexOf('.')));

/** In their order: by number, and of equal ones by what tells their processes apart. */
function placesIn(folder: string): readonly string[] {
  return namesIn(folder)
    .filter((name) => /^\d+\./.test(name))
    .sort((a, b) => numberOf(a) - numberOf(b) || (a < b ? -1 : 1));
}

/** Nobody stands in line. */
export function isEmpty(folder: string): boolean {
  return placesIn(folder).length === 0;
}

/**
 * Waits for its turn and returns how to leave; null where no place was taken: none can be, or
 * nobody queues and none is demanded.
 */
export async function enterQueue(commonDir: string, demand: boolean): Promise<(() => void) | null> {
  const folder = queueFolder(commonDir);
  if (!demand && isEmpty(folder)) return null;
  return (await takeTurn(folder, limits.queueStuckAfterMs))?.leave ?? null;
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
  const passedBy = new Set<string>();
  const untilPast = async (name: string): Promise<void> => {
    if ((await untilGone(folder, name, patienceMs)) === 'stuck') passedBy.add(name);
  };
  // Who is choosing now may get a number before this one; whoever begins later will see it.
  for (const name of namesIn(folder).filter((other) => other.startsWith(choosing)))
    await untilPast(name);
  for (;;) {
    const places = placesIn(folder);
    const at = places.indexOf(mine.name);
    const before = (at < 0 ? places : places.slice(0, at))
      .filter((place) => !passedBy.has(place))
      .at(-1);
    if (before === undefined)
      return { leave: mine.leave, alone: passedBy.size === 0 && places.includes(mine.name) };
    await untilPast(before);
  }
}

interface QueuePlace {
  readonly name: string;
  readonly leave: () => void;
}

let taken = 0;

async function takePlace(folder: string): Promise<QueuePlace | null> {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    return null;
  }
  // Names are used once, so that what a dead process left may be taken away by anybody.
  const mark = `${ownMark}-${((taken += 1)).toString(36)}`;
  const door = await listen(join(folder, `${choosing}${mark}`));
  if (door === null) return null;
  try {
    const last = placesIn(folder).at(-1);
    const name = `${(last === undefined ? 0 : numberOf(last)) + 1}.${mark}`;
    const leave = await listen(join(folder, name));
    return leave === null ? null : { name, leave };
  } finally {
    door();
  }
}

/** Returns how to stop, which whoever has connected will notice; null where it cannot be. */
function listen(file: string): Promise<(() => void) | null> {
  const successors = new Set<Socket>();
  const server = builtin.net.createServer((successor) => {
    successors.add(
      successor
        .unref()
        .on('error', () => {})
        .on('close', () => successors.delete(successor)),
    );
  });
  return new Promise((resolve) => {
    server.on('error', () => resolve(null));
    server.listen(file, () =>
      resolve(() => {
        server.close();
        for (const successor of successors) successor.destroy();
      }),
    );
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

/**
 * Until the process at this place leaves or ends, or the queue before it has stood still for long.
 */
function untilGone(folder: string, place: string, patienceMs: number): Promise<'gone' | 'stuck'> {
  const file = join(folder, place);
  const head = (): string | undefined => placesIn(folder)[0];
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
      finish(
        error.code === 'ENOENT' || (error.code === 'ECONNREFUSED' && removed(file))
          ? 'gone'
          : 'stuck',
      );
    });
    socket.on('close', () => finish('gone'));
    socket.resume();
  });
}
