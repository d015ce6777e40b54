/**
 * A model server on loopback that answers from scripts, in whatever protocol it is asked. All that
 * reaches the model is kept, so that a test can say what a program told it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Conversation, nothingToSay, placeIn, type Turn } from './conversation.ts';
import { protocols, type SentEvent } from './protocols.ts';

/** What is said at each step; the last one is followed by the end. */
export type Script = readonly Step[];
/** A turn, or one that is made when its time has come. */
export type Step = Turn | ((conversation: Conversation) => Promise<Turn>);

export interface ModelServer {
  readonly url: string;
  /** Sets what `SCRIPT:<name>` stands for. */
  set(name: string, script: Script): void;
  /** The newest conversation that a script has had. */
  heard(name: string): Conversation;
  /** Paths that were asked for and are none of the model's. */
  readonly others: readonly string[];
  /** Throws what a step has thrown: a model that fails would only be asked again. */
  check(): void;
  close(): Promise<void>;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function send(response: ServerResponse, events: readonly SentEvent[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const { event, data } of events) {
    if (event !== undefined) response.write(`event: ${event}\n`);
    response.write(`data: ${data === '[DONE]' ? data : JSON.stringify(data)}\n\n`);
  }
  response.end();
}

export async function startModelServer(): Promise<ModelServer> {
  const scripts = new Map<string, Script>();
  const conversations = new Map<string, Conversation>();
  const others: string[] = [];
  const failures: unknown[] = [];
  let count = 0;

  async function turnFor(conversation: Conversation): Promise<Turn> {
    if (conversation.tools.length === 0) return { text: 'A title', calls: [] };
    const { script, step } = placeIn(conversation);
    if (script !== '') conversations.set(script, conversation);
    const next = scripts.get(script)?.[step] ?? nothingToSay;
    if (typeof next !== 'function') return next;
    try {
      return await next(conversation);
    } catch (error) {
      failures.push(error);
      return nothingToSay;
    }
  }

  const server = createServer((request, response) => {
    void (async () => {
      const { pathname } = new URL(request.url ?? '/', 'http://localhost');
      const protocol = protocols.find((known) => known.matches(pathname));
      const body = await bodyOf(request);
      if (request.method !== 'POST' || protocol === undefined) {
        others.push(`${request.method} ${pathname}`);
        response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
        return;
      }
      count += 1;
      const conversation = protocol.read(JSON.parse(body.toString('utf8')));
      send(response, protocol.write(await turnFor(conversation), String(count)));
    })().catch((error: unknown) => {
      others.push(String(error));
      response.writeHead(500).end();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    set: (name, script) => void scripts.set(name, script),
    heard: (name) => conversations.get(name) ?? { items: [], tools: [] },
    others,
    check: () => {
      for (const failure of failures) throw failure;
    },
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}
