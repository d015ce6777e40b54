/** Tools that take, free and look at files. */
import { z } from 'zod';
import { CoordError } from '../core/errors.ts';
import { check, release, selectionOf } from '../loop/hold.ts';
import { reserve } from '../loop/take.ts';
import { renderChecked, renderReleased, renderTaken } from '../render/leases.ts';
import { type AddTools, answer, hints, patterns, reason, waitSeconds, who } from './tool.ts';

export const addLeaseTools: AddTools = (server, asked) => {
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
};
