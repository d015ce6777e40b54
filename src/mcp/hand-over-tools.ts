/** Tools for what agents ask of each other, and tell each other. */
import { z } from 'zod';
import { answer as answerRequest, ask } from '../loop/hand-over.ts';
import { renderAnswered, renderAsked } from '../render/hand-over.ts';
import { inboxReport } from '../show/inbox.ts';
import { adds, ends, reason, type Tool, tool } from './tool.ts';

export const handOverTools: readonly Tool[] = [
  tool({
    name: 'ask',
    title: 'Ask for a lease',
    description:
      'Ask the holder of a lease to give it up. Without an answer it may be broken after 10 minutes, 5 if urgent.',
    input: {
      lease: z.string().describe('its id'),
      reason: z.string(),
      urgent: z.boolean().optional(),
    },
    hints: adds,
    run: async (args, { world }) =>
      renderAsked(await ask(world, args.lease, args.reason, args.urgent === true)),
  }),
  tool({
    name: 'answer',
    title: 'Answer a request',
    description:
      'Answer a request for a lease of yours: accept hands it over, decline keeps it, defer keeps it for etaSeconds more.',
    input: {
      request: z.string().describe('its id'),
      verdict: z.enum(['accept', 'decline', 'defer']),
      etaSeconds: z.number().int().min(1).max(3_600).optional(),
      reason,
    },
    hints: ends,
    run: async (args, { world }) => {
      const etaMs = args.etaSeconds === undefined ? undefined : args.etaSeconds * 1_000;
      const wish = { etaMs, reason: args.reason };
      return renderAnswered(await answerRequest(world, args.request, args.verdict, wish));
    },
  }),
  tool({
    name: 'inbox',
    title: 'What is new?',
    description: 'What others did that concerns you; told once, unless all.',
    input: { all: z.boolean().optional() },
    // What a client asked for twice is not told twice.
    hints: { ...adds, idempotentHint: false },
    run: (args, { world }) => inboxReport(world, args.all === true),
  }),
];
