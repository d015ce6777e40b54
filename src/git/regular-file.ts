/**
 * Reading a file that somebody else has put where coord looks: the issues of a tracker, settings of
 * a harness, hooks in the work tree. A repository can carry a symbolic link to a device, and a work
 * tree can hold a FIFO, so only a regular file is read, opened so that it cannot block, and only so
 * much of it.
 */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';

type Content =
  | { readonly kind: 'absent' }
  | { readonly kind: 'file'; readonly bytes: Buffer }
  /** There is something, and it is not read: `why` says it in words, beginning with "it". */
  | { readonly kind: 'unread'; readonly why: string };

/** Symbolic links are followed as far as they lead to a regular file. */
export function readRegular(file: string, mostBytes: number): Content {
  return read(file, ({ size }) =>
    size <= mostBytes ? [0, size] : `it has ${size} bytes, and at most ${mostBytes} are read`,
  );
}

/** Its last bytes, however long it is. */
export function readRegularEnd(file: string, bytes: number): Content {
  return read(file, ({ size }) => [Math.max(0, size - bytes), Math.min(size, bytes)]);
}

/** What it holds, or null where nothing can be read there. */
export function regularText(
  file: string,
  mostBytes: number,
  encoding: BufferEncoding = 'utf8',
): string | null {
  const content = readRegular(file, mostBytes);
  return content.kind === 'file' ? content.bytes.toString(encoding) : null;
}

/** From where and how many bytes, or why none. */
type Part = (stat: Stats) => readonly [from: number, count: number] | string;

function read(file: string, part: Part): Content {
  try {
    // Looked at before it is opened: opening a device can already do something.
    const stat = statSync(file);
    const seen = whyNot(stat) ?? part(stat);
    if (typeof seen === 'string') return { kind: 'unread', why: seen };
    const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
    return readOpened(openSync(file, flags), part);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return code === 'ENOENT' || code === 'ENOTDIR'
      ? { kind: 'absent' }
      : { kind: 'unread', why: `it cannot be read (${code})` };
  }
}

/** It may have become something else since it was looked at. */
function readOpened(descriptor: number, part: Part): Content {
  try {
    const stat = fstatSync(descriptor);
    const range = whyNot(stat) ?? part(stat);
    if (typeof range === 'string') return { kind: 'unread', why: range };
    // No more than it says it has: some files below /proc say nothing and never end.
    const [from, most] = range;
    const bytes = Buffer.alloc(most);
    let length = 0;
    while (length < most) {
      const count = readSync(descriptor, bytes, length, most - length, from + length);
      if (count === 0) break;
      length += count;
    }
    return { kind: 'file', bytes: bytes.subarray(0, length) };
  } finally {
    closeSync(descriptor);
  }
}

function whyNot(stat: Stats): string | null {
  if (stat.isFile()) return null;
  if (stat.isDirectory()) return 'it is a directory';
  if (stat.isFIFO()) return 'it is a FIFO';
  return stat.isSocket() ? 'it is a socket' : 'it is a device';
}
