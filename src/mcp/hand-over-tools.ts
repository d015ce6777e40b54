/** Tools for what agents ask of each other. */
import { z } from 'zod';
import { answer as answerRequest, ask } from '../loop/hand-over.ts';
import { renderAnswered, renderAsked } from '../render/hand-over.ts';
import { type AddTools, answer, hints, reason, who } from './tool.ts';

export const addHandOverTools: AddTools = (server, asked) => {
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
};
