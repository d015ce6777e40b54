/** A server of opencode, with sessions that are spoken to as its own clients do. */
import { onTestFinished } from 'vitest';
import { type Program, programNamed } from './programs.ts';
import type { Scene } from './scene.ts';
import { killGroup } from './session.ts';

const opencode = programNamed('opencode');

export async function served(here: Scene): Promise<{
  post(path: string, body?: unknown): Promise<Readonly<Record<string, unknown>>>;
  remove(path: string): Promise<void>;
  /** The server ends as at Ctrl-C. */
  stop(): Promise<void>;
}> {
  const server: Program = {
    ...opencode,
    launch: (place) => ({ ...opencode.launch(place, ''), args: ['serve', '--port', '0'] }),
  };
  const session = here.start(server, []);
  const url = await new Promise<string>((done) => {
    let said = '';
    session.child.stdout?.on('data', (bytes: Buffer) => {
      said += bytes.toString('utf8');
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
      if (found !== undefined) done(found);
    });
  });
  const call = async (method: string, path: string, body?: unknown): Promise<string> => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text;
  };
  onTestFinished(() => killGroup(session.child, 'SIGKILL'));
  return {
    post: async (path, body = {}) => JSON.parse((await call('POST', path, body)) || '{}'),
    remove: async (path) => void (await call('DELETE', path)),
    stop: async () => {
      killGroup(session.child, 'SIGINT');
      await session.ended;
    },
  };
}

type Served = Awaited<ReturnType<typeof served>>;

export async function begin({ post }: Served): Promise<string> {
  return String((await post('/session', {}))['id']);
}

export function prompt({ post }: Served, id: string, text: string): ReturnType<Served['post']> {
  return post(`/session/${id}/message`, { parts: [{ type: 'text', text }] });
}

/** The models that patch are known by their names. */
export function withModel({ server }: Scene, model: string): NodeJS.ProcessEnv {
  const config = {
    model: `scripted/${model}`,
    provider: {
      scripted: {
        options: { baseURL: `${server.url}/v1` },
        models: { [model]: { name: model, tool_call: true } },
      },
    },
  };
  return { OPENCODE_CONFIG_CONTENT: JSON.stringify(config) };
}
