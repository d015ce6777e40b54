/**
 * The use cases as tools of the Model Context Protocol. What is expected to be refused is a tool
 * error with its code and the next command, not a failure of the protocol.
 */

import { resolve } from 'node:path';
import { type CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type RealWorld, realWorld } from '../agent/world.ts';
import { CoordError } from '../core/errors.ts';
import { toJson } from '../core/harmless.ts';
import { keyOf } from '../git/paths.ts';
import { answer as answerRequest, ask } from '../loop/hand-over.ts';
import { check, release, selectionOf } from '../loop/hold.ts';
import { decisionContext } from '../loop/operate.ts';
import { reserve } from '../loop/take.ts';
import { renderAnswered, renderAsked } from '../render/hand-over.ts';
import { renderChecked, renderReleased, renderTaken } from '../render/leases.ts';
import { errorReport, type Report } from '../render/report.ts';
import { renderClaimed } from '../render/work.ts';
import { eventFacts } from '../show/log-lines.ts';
import { statusReport } from '../show/status.ts';
import { claimBead, claimNext } from '../work/claim.ts';
import { trackerOf } from '../work/tracker.ts';
import { shownEvents } from './resources.ts';

const instructions =
  'coord keeps agents that share this git repository apart. Reserve the files you are going to change before you change them (your edit tools do so by themselves where coord is installed); where a tool says somebody else holds them, do as its "next" says. Release what you are done with.';

const who = {
  agent: z
    .string()
    .optional()
    .describe('who acts, where it is not the session itself: a subagent as parent/child'),
  directory: z
    .string()
    .optional()
    .describe('a folder of the repository; the one the server was started in unless it is said'),
};
const patterns = z
  .array(z.string())
  .min(1)
  .max(64)
  .describe('files, directories or patterns such as src/**/*.ts, from the directory');
const reason = z.string().optional().describe('what for; shown to whoever is in the way');
const waitSeconds = z
  .number()
  .int()
  .min(0)
  .max(600)
  .optional()
  .describe('stand in line for so long if it is held');

/** Every answer has these; the rest is what the command line prints with --json. */
const answer = z.looseObject({ ok: z.boolean(), result: z.string() });

type Common = { readonly agent?: string | undefined; readonly directory?: string | undefined };

interface ClientFolder {
  readonly world: RealWorld;
  readonly keys: (args: readonly string[]) => readonly string[];
}

function resultOf({ ok, result, facts, error, refusal, next }: Report): CallToolResult {
  const why = { code: error ?? refusal ?? result, next: next ?? 'coord status' };
  const structured = { ok, result, ...facts, ...(ok ? {} : why) };
  return {
    content: [{ type: 'text', text: toJson(structured) }],
    structuredContent: JSON.parse(toJson(structured)) as Record<string, unknown>,
    ...(ok ? {} : { isError: true }),
  };
}

/**
 * What a tool does: reads only, or changes what is on record; nothing here reaches beyond the
 * repository.
 */
function hints(
  readOnly: boolean,
  destructive = false,
): {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: true;
  readonly openWorldHint: false;
} {
  return {
    readOnlyHint: readOnly,
    destructiveHint: destructive,
    idempotentHint: true,
    openWorldHint: false,
  };
}

export function createServer(version: string, cwd: string, env: NodeJS.ProcessEnv): McpServer {
  const server = new McpServer({ name: 'coord', version }, { instructions });
  const asked = async (
    common: Common,
    work: (place: ClientFolder) => Promise<Report>,
  ): Promise<CallToolResult> => {
    try {
      const directory = resolve(cwd, common.directory ?? '.');
      const world = realWorld({
        cwd: directory,
        env,
        ...(common.agent === undefined ? {} : { agent: common.agent }),
      });
      return resultOf(
        await work({
          world,
          keys: (args) =>
            args.map((arg) => keyOf({ repository: world.repository, cwd: directory }, arg, false)),
        }),
      );
    } catch (error) {
      return resultOf(
        errorReport(
          error instanceof CoordError
            ? error
            : new CoordError('bug', error instanceof Error ? error.message : String(error)),
        ),
      );
    }
  };
  server.registerTool(
    'reserve',
    {
      title: 'Reserve files',
      description:
        'Reserve files, directories or patterns, all of them or none, for 15 minutes from your last activity. Refused where somebody else holds part of it: the answer says who, until when, and what to do next.',
      inputSchema: z.object({
        patterns,
        reason,
        shared: z.boolean().optional().describe('for readers: others may share it'),
        waitSeconds,
        ...who,
      }),
      outputSchema: answer,
      annotations: hints(false),
    },
    (args) =>
      asked(args, async ({ world, keys }) => {
        const mode = args.shared === true ? 'shared' : 'exclusive';
        const waitMs = (args.waitSeconds ?? 0) * 1_000;
        const wish = { mode, reason: args.reason, waitMs } as const;
        return renderTaken(await reserve(world, keys(args.patterns), wish));
      }),
  );
  server.registerTool(
    'wait',
    {
      title: 'Wait for files',
      description:
        'Stand in line, first come first served, until the files are free, and reserve them then. Ends after waitSeconds (60 unless it is said).',
      inputSchema: z.object({ patterns, reason, waitSeconds, ...who }),
      outputSchema: answer,
      annotations: hints(false),
    },
    (args) =>
      asked(args, async ({ world, keys }) => {
        const wish = { reason: args.reason, waitMs: (args.waitSeconds ?? 60) * 1_000 };
        return renderTaken(await reserve(world, keys(args.patterns), wish));
      }),
  );
  server.registerTool(
    'release',
    {
      title: 'Release what is held',
      description:
        'Give up reservations by their patterns or ids, or with all: true everything you hold.',
      inputSchema: z.object({
        what: z.array(z.string()).max(64).optional().describe('patterns or ids of leases'),
        all: z.boolean().optional(),
        ...who,
      }),
      outputSchema: answer,
      annotations: hints(false, true),
    },
    (args) =>
      asked(args, async ({ world, keys }) => {
        if (args.all !== true && (args.what ?? []).length === 0)
          throw new CoordError(
            'usage',
            'nothing is named',
            'name patterns or ids, or say all: true',
          );
        const selection =
          args.all === true
            ? ({ by: 'all' } as const)
            : selectionOf(args.what ?? [], (arg) => keys([arg])[0] ?? arg);
        return renderReleased(await release(world, selection));
      }),
  );
  server.registerTool(
    'check',
    {
      title: 'Who holds this?',
      description:
        'Says whether files are free, yours, or held by another, and by whom. Changes nothing; what is free may be taken a moment later, so reserve rather than check first.',
      inputSchema: z.object({ patterns, ...who }),
      outputSchema: answer,
      annotations: hints(true),
    },
    (args) =>
      asked(args, async ({ world, keys }) => ({
        ...renderChecked(await check(world, keys(args.patterns))),
        ok: true,
      })),
  );
  server.registerTool(
    'claim',
    {
      title: 'Claim a bead',
      description: 'Claim a bead (an issue) by its id: exactly one agent gets it.',
      inputSchema: z.object({
        bead: z
          .string()
          .optional()
          .describe('its id; without it the first that is ready and suits you'),
        take: z.boolean().optional().describe('from an agent that has stalled'),
        reason,
        ...who,
      }),
      outputSchema: answer,
      annotations: hints(false),
    },
    (args) =>
      asked(args, async ({ world }) => {
        const tracker = trackerOf(world, env);
        const { bead, reason: why, take } = args;
        return renderClaimed(
          bead === undefined
            ? await claimNext(world, tracker, world.settings.tags, { reason: why })
            : await claimBead(world, tracker, bead, { reason: why, take: take === true }),
        );
      }),
  );
  server.registerTool(
    'ask',
    {
      title: 'Ask for a lease',
      description:
        'Ask the holder of a lease to give it up; the holder sees it at its next command. Without an answer it may be broken after 10 minutes, 5 if urgent.',
      inputSchema: z.object({
        lease: z.string().describe('the id of the lease, as a refusal or status shows it'),
        reason: z.string(),
        urgent: z.boolean().optional(),
        ...who,
      }),
      outputSchema: answer,
      annotations: hints(false),
    },
    (args) =>
      asked(args, async ({ world }) =>
        renderAsked(await ask(world, args.lease, args.reason, args.urgent === true)),
      ),
  );
  server.registerTool(
    'answer',
    {
      title: 'Answer a request',
      description:
        'Answer who has asked for a lease of yours: accept gives it to them in the same step, defer says until when you need it, decline keeps it.',
      inputSchema: z.object({
        request: z.string(),
        verdict: z.enum(['accept', 'decline', 'defer']),
        etaSeconds: z.number().int().min(1).max(3_600).optional(),
        reason,
        ...who,
      }),
      outputSchema: answer,
      annotations: hints(false, true),
    },
    (args) =>
      asked(args, async ({ world }) => {
        const etaMs = args.etaSeconds === undefined ? undefined : args.etaSeconds * 1_000;
        const wish = { etaMs, reason: args.reason };
        return renderAnswered(await answerRequest(world, args.request, args.verdict, wish));
      }),
  );
  server.registerTool(
    'status',
    {
      title: 'Who is here?',
      description: 'Agents, what they hold, and who waits.',
      inputSchema: z.object({ limit: z.number().int().min(1).max(1_000).optional(), ...who }),
      outputSchema: answer,
      annotations: hints(true),
    },
    (args) =>
      asked(args, async ({ world }) => {
        const at = await world.store.observe();
        return statusReport(at, decisionContext(world, at), args.limit ?? 50);
      }),
  );
  addResources(server, cwd, env);
  return server;
}

function addResources(server: McpServer, cwd: string, env: NodeJS.ProcessEnv): void {
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
