/** Tools that take, free and look at files. */
import { z } from 'zod';
import { CoordError } from '../core/errors.ts';
import { check, release, selectionOf } from '../loop/hold.ts';
import { type AcquireRequest, modeFrom, reserve } from '../loop/take.ts';
import { renderChecked, renderReleased, renderTaken } from '../render/leases.ts';
import { waitingWords } from '../render/wording.ts';
import {
  adds,
  ends,
  patterns,
  reads,
  reason,
  seconds,
  type Tool,
  type ToolCall,
  tool,
} from './tool.ts';

/** A wait ends when its client has cancelled it: nobody would know of what it is granted. */
export function wishOf(
  { signal, tell }: ToolCall,
  { reason: why, waitSeconds }: { reason?: string | undefined; waitSeconds: number },
): AcquireRequest {
  return {
    reason: why,
    waitMs: waitSeconds * 1_000,
    signal,
    onWaiting: (refusal) => tell(waitingWords(refusal)),
  };
}

export const leaseTools: readonly Tool[] = [
  tool({
    name: 'reserve',
    title: 'Reserve files',
    description:
      'Reserve files before you change them: all or none, for 15 minutes from your last activity. A refusal says who holds them, until when, and what to do.',
    input: {
      patterns,
      reason: reason.describe('shown to others'),
      shared: z.boolean().optional().describe('to read only'),
      lines: z
        .boolean()
        .optional()
        .describe('to edit a file that others in this work tree edit too'),
      waitSeconds: seconds(0, 0, 600),
    },
    hints: adds,
    run: async (args, call) => {
      const mode = modeFrom(args);
      return renderTaken(
        await reserve(call.world, call.keys(args.patterns), { ...wishOf(call, args), mode }),
      );
    },
  }),
  tool({
    name: 'wait',
    title: 'Wait for files',
    description: 'Stand in line until files are free, then reserve them.',
    input: { patterns, reason, waitSeconds: seconds(60, 0, 600) },
    hints: adds,
    run: async (args, call) =>
      renderTaken(await reserve(call.world, call.keys(args.patterns), wishOf(call, args))),
  }),
  tool({
    name: 'release',
    title: 'Release files',
    description: 'Give up reservations, by pattern or lease id, or all of them.',
    input: { what: z.array(z.string()).optional(), all: z.boolean().optional() },
    hints: ends,
    run: async ({ what = [], all = false }, { world, keys }) => {
      if (!all && what.length === 0)
        throw new CoordError('usage', 'nothing is named', 'name patterns or ids, or say all: true');
      const selection = all
        ? ({ by: 'all' } as const)
        : selectionOf(what, (arg) => keys([arg])[0] ?? arg);
      return renderReleased(await release(world, selection));
    },
  }),
  tool({
    name: 'check',
    title: 'Who holds files?',
    description: 'Are files free, yours, or held, and by whom? Takes nothing.',
    input: { patterns },
    hints: reads,
    run: async (args, { world, keys }) => ({
      ...renderChecked(await check(world, keys(args.patterns))),
      ok: true,
    }),
  }),
];
