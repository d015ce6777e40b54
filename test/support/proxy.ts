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

/** What goes both ways, with how much of it, until it is cut. */
class Line {
  readonly bytes = { up: 0, down: 0 };
  readonly #sockets = new Set<Socket>();
  #state: 'up' | 'down' | 'mute' = 'up';
  #delayMs = 0;
  #cut: { readonly direction: Direction; readonly count: number; readonly stays: boolean } | null =
    null;

  accept(client: Socket, port: number): void {
    if (this.#state === 'down') return void client.destroy();
    const upstream = connect({ host: '127.0.0.1', port });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.#sockets.add(socket);
      socket
        .on('error', () => other.destroy())
        .on('close', () => {
          this.#sockets.delete(socket);
          // What it has sent goes out before the other end closes too.
          if (this.#state !== 'mute') this.#later(() => other.end());
        });
    }
    client.on('data', (chunk: Buffer) => this.#pass('up', chunk, upstream));
    upstream.on('data', (chunk: Buffer) => this.#pass('down', chunk, client));
  }

  cutAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  reset(): void {
    this.bytes.up = 0;
    this.bytes.down = 0;
    this.#cut = null;
    this.#state = 'up';
  }

  cutAfter(direction: Direction, count: number, stays = false): void {
    this.#cut = { direction, count, stays };
  }

  delay(ms: number): void {
    this.#delayMs = ms;
  }

  set(next: 'up' | 'down' | 'mute'): void {
    this.#state = next;
    if (next === 'down') this.cutAll();
  }

  #later(work: () => void): void {
    if (this.#delayMs === 0) work();
    else setTimeout(work, this.#delayMs);
  }

  #pass(direction: Direction, chunk: Buffer, to: Socket): void {
    if (this.#state === 'mute') return;
    const left =
      this.#cut?.direction === direction
        ? this.#cut.count - this.bytes[direction]
        : Number.POSITIVE_INFINITY;
    this.bytes[direction] += Math.min(left, chunk.length);
    if (chunk.length < left) {
      this.#later(() => to.write(chunk));
      return;
    }
    // What is before the cut arrives.
    const stays = this.#cut?.stays === true;
    this.#cut = null;
    if (stays) this.#state = 'down';
    to.end(chunk.subarray(0, Math.max(0, left)), () => this.cutAll());
  }
}

export async function wire(server: GitServer): Promise<Wire> {
  const [, port = ''] = /:(\d+)\//.exec(server.url) ?? [];
  const line = new Line();
  const listener = createServer((client) => line.accept(client, Number(port)));
  await new Promise<void>((done) => listener.listen({ host: '127.0.0.1', port: 0 }, done));
  onTestFinished(async () => {
    line.cutAll();
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
    bytes: line.bytes,
    reset: () => line.reset(),
    cutAfter: (direction, count, stays) => line.cutAfter(direction, count, stays),
    delay: (ms) => line.delay(ms),
    set: (next) => line.set(next),
  };
}
