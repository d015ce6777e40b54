/** Tools for units of work, and for who is here. */
import { z } from 'zod';
import { decisionContext } from '../loop/operate.ts';
import { renderClaimed } from '../render/work.ts';
import { statusReport } from '../show/status.ts';
import { claimBead, claimNext } from '../work/claim.ts';
import { trackerOf } from '../work/tracker.ts';
import { type AddTools, answer, hints, reason, who } from './tool.ts';

export function workTools(env: NodeJS.ProcessEnv): AddTools {
  return (server, asked) => {
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
  };
}
