/**
 * A wire between clients and a server that a test can cut: after a number of bytes, for good, or so
 * that nothing comes through any more.
 */
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { GitServer } from './servers.ts';

export type Direction = 'up' | 'down';

export interface Wire {
  /** The server's URL, by this wire. */
  readonly url: string;
  readonly env: GitServer['env'];
  /** Bytes that went through since the last `reset`. */
  readonly bytes: Readonly<Record<Direction, number>>;
  reset(): void;
  /**
   * Cuts every connection once so many bytes have gone through; later ones pass, unless it `stays`
   * cut.
   */
  cutAfter(direction: Direction, count: number, stays?: boolean): void;
  /** From now on everything takes so much longer, each way. */
  delay(ms: number): void;
  /**
   * `down`: refuses; `mute`: takes what comes and passes nothing on, as a network that has gone.
   */
  set(state: 'up' | 'down' | 'mute'): void;
}

export async function wire(server: GitServer): Promise<Wire> {
  const [, port = ''] = /:(\d+)\//.exec(server.url) ?? [];
  const sockets = new Set<Socket>();
  const bytes = { up: 0, down: 0 };
  let state: 'up' | 'down' | 'mute' = 'up';
  let delayMs = 0;
  const later = (work: () => void): void => {
    if (delayMs === 0) work();
    else setTimeout(work, delayMs);
  };
  let cut: {
    readonly direction: Direction;
    readonly count: number;
    readonly stays: boolean;
  } | null = null;
  const cutAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const pass = (direction: Direction, chunk: Buffer, to: Socket): void => {
    if (state === 'mute') return;
    const left =
      cut?.direction === direction ? cut.count - bytes[direction] : Number.POSITIVE_INFINITY;
    bytes[direction] += Math.min(left, chunk.length);
    if (chunk.length < left) {
      later(() => to.write(chunk));
      return;
    }
    // What is before the cut arrives.
    const stays = cut?.stays === true;
    cut = null;
    if (stays) state = 'down';
    to.end(chunk.subarray(0, Math.max(0, left)), cutAll);
  };
  const listener = createServer((client) => {
    if (state === 'down') return void client.destroy();
    const upstream = connect({ host: '127.0.0.1', port: Number(port) });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket
        .on('error', () => other.destroy())
        .on('close', () => {
          sockets.delete(socket);
          // What it has sent goes out before the other end closes too.
          if (state !== 'mute') later(() => other.end());
        });
    }
    client.on('data', (chunk: Buffer) => pass('up', chunk, upstream));
    upstream.on('data', (chunk: Buffer) => pass('down', chunk, client));
  });
  await new Promise<void>((done) => listener.listen({ host: '127.0.0.1', port: 0 }, done));
  onTestFinished(async () => {
    cutAll();
    await new Promise((done) => listener.close(done));
  });
  const address = listener.address();
  const own = typeof address === 'object' && address !== null ? address.port : 0;
  const ssh = server.env['GIT_SSH_COMMAND'];
  return {
    url: server.url.replace(`:${port}/`, `:${own}/`),
    // The host's key is known by the server's own port.
    env:
      ssh === undefined
        ? server.env
        : {
            ...server.env,
            GIT_SSH_COMMAND: `${ssh.replace(`Port=${port}`, `Port=${own}`)} -o HostKeyAlias=[127.0.0.1]:${port}`,
          },
    bytes,
    reset: () => {
      bytes.up = 0;
      bytes.down = 0;
      cut = null;
      state = 'up';
    },
    cutAfter: (direction, count, stays = false) => {
      cut = { direction, count, stays };
    },
    delay: (ms) => {
      delayMs = ms;
    },
    set: (next) => {
      state = next;
      if (next === 'down') cutAll();
    },
  };
}
