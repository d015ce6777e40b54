/** Servers that are no use: they lead elsewhere, speak rubbish or say nothing. */
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { loopback, nginxCommand } from './nginx.ts';
import { hermetic, temporaryFolder } from './repository.ts';
import { claimedPort, family } from './server-process.ts';

/** A server that is no git server. It is stopped when the test ends. */
export interface UselessServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Sends everyone on to the same path below another URL. */
export function redirecting(url: string): Promise<UselessServer> {
  return saying(`return 302 "${url}$request_uri";`);
}

/**
 * Says yes to everything, in words that mean nothing to git. Git 2.39 takes words without a newline
 * for an empty repository: it lists no refs, and is content.
 */
export function speakingRubbish(
  words = '<html>\nPlease log in to this network.\n</html>\n',
): Promise<UselessServer> {
  return saying(`return 200 ${JSON.stringify(words)};`);
}

/** By nginx and not by this process, which cannot answer a git that it waits for. */
async function saying(answer: string): Promise<UselessServer> {
  const home = temporaryFolder();
  const port = await claimedPort();
  const server = family(home, hermetic(home), join(home, 'log'), [
    nginxCommand(home, port, `location / {\ndefault_type text/html;\n${answer}\n}`),
  ]);
  onTestFinished(() => server.end());
  await server.start();
  return { url: `http://${loopback}:${port}`, stop: () => server.end() };
}

/** Accepts, which the kernel does, and that is all. */
export async function neverAnswering(): Promise<UselessServer> {
  const port = await claimedPort();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
  });
  await new Promise<void>((done, failed) =>
    server.once('error', failed).listen({ host: loopback, port, backlog: 511 }, done),
  );
  const stop = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    if (server.listening) await new Promise((done) => server.close(done));
  };
  onTestFinished(stop);
  return { url: `http://${loopback}:${port}`, stop };
}
