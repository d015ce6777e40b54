/** The first place of a local queue, held for as long as a test likes, and never taken for stuck. */
import { mkdirSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

export interface HeldTurn {
  leave(): void;
}

/** Others pass by who stands still: so it is a new place before all others every moment. */
const everyMs = 200;

function listen(file: string): Promise<() => void> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
  });
  return new Promise((resolve) => {
    server.listen(file, () =>
      resolve(() => {
        server.close();
        for (const socket of sockets) socket.destroy();
      }),
    );
  });
}

export async function holdTurn(folder: string): Promise<HeldTurn> {
  mkdirSync(folder, { recursive: true });
  let count = 0;
  const next = (): Promise<() => void> => listen(join(folder, `0.held${(count += 1)}`));
  let leave = await next();
  let isOver = false;
  const timer = setInterval(async () => {
    const later = await next();
    leave();
    leave = later;
    if (isOver) leave();
  }, everyMs);
  return {
    leave: () => {
      isOver = true;
      clearInterval(timer);
      leave();
    },
  };
}
