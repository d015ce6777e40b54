/** What may be read without asking a tool: the status and the log. */
import type { McpServer } from '@modelcontextprotocol/server';
import { realWorld } from '../agent/world.ts';
import { toJson } from '../core/harmless.ts';
import { decisionContext } from '../loop/operate.ts';
import { eventFacts } from '../show/log-lines.ts';
import { statusReport } from '../show/status.ts';

const shownEvents = 100;

export function addResources(server: McpServer, cwd: string, env: NodeJS.ProcessEnv): void {
  const json = 'application/json';
  server.registerResource(
    'status',
    'coord://status',
    { title: 'Who is here, who holds what', mimeType: json },
    async (uri) => {
      const world = realWorld({ cwd, env });
      const at = await world.store.observe();
      return {
        contents: [
          {
            uri: uri.href,
            mimeType: json,
            text: toJson(statusReport(at, decisionContext(world, at), undefined).facts),
          },
        ],
      };
    },
  );
  server.registerResource(
    'log',
    'coord://log',
    { title: 'What happened last', mimeType: json },
    async (uri) => {
      const world = realWorld({ cwd, env });
      const at = await world.store.observe();
      const entries = await world.store.history(at, Math.max(0, at.seq - shownEvents));
      return {
        contents: [
          {
            uri: uri.href,
            mimeType: json,
            text: toJson(
              entries.flatMap((entry) => entry.events.map((event) => eventFacts(entry, event))),
            ),
          },
        ],
      };
    },
  );
}
