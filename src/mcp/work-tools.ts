/** Tools for units of work from the next one to its end, and for who is here. */
import { z } from 'zod';
import { parseReason } from '../core/ids.ts';
import { decisionContext } from '../loop/operate.ts';
import { renderGate } from '../render/gate.ts';
import {
  renderClaimed,
  renderFinished,
  renderGivenUp,
  renderLetGo,
  renderReady,
} from '../render/work.ts';
import { statusReport } from '../show/status.ts';
import { claimBead, claimNext } from '../work/claim.ts';
import { finish, giveUp, letGo } from '../work/finish.ts';
import { gate } from '../work/gate.ts';
import { readyBeads } from '../work/ready.ts';
import { trackerOf } from '../work/tracker.ts';
import { adds, bead, ends, reads, reason, type Tool, tool } from './tool.ts';

const next = tool({
  name: 'next',
  title: 'What could be begun?',
  description: 'Beads (units of work, issues) that could be begun now, best first.',
  input: { limit: z.number().int().min(1).max(1_000).default(20) },
  hints: reads,
  run: async ({ limit }, { world, env }) =>
    renderReady(await readyBeads(world, trackerOf(world, env), world.settings.tags), limit),
});

const claim = tool({
  name: 'claim',
  title: 'Claim a bead',
  description: 'Claim a bead; only one agent gets it. Without an id, the first of next.',
  input: {
    bead: bead.optional(),
    take: z.boolean().optional().describe('from an agent that has stalled'),
    reason,
  },
  hints: adds,
  run: async (args, { world, env }) => {
    const tracker = trackerOf(world, env);
    const { reason: why, take = false } = args;
    return renderClaimed(
      args.bead === undefined
        ? await claimNext(world, tracker, world.settings.tags, { reason: why })
        : await claimBead(world, tracker, args.bead, { reason: why, take }),
    );
  },
});

const unclaim = tool({
  name: 'unclaim',
  title: 'Give up a bead',
  description: 'Give up a bead of yours. If failed, the next agent reads your reason and try.',
  input: {
    bead,
    failed: z.boolean().optional(),
    reason,
    try: z.string().optional().describe('with failed: what to try next'),
    reopen: z.boolean().optional().describe('in the tracker too'),
  },
  hints: ends,
  run: async (args, { world, env }) => {
    const tracker = trackerOf(world, env);
    const { reason: why = '', try: advice = '', failed = false, reopen = false } = args;
    const failure = { bead: args.bead, reason: why, cause: '', log: undefined, next: advice };
    return failed
      ? renderGivenUp(await giveUp(world, tracker, failure, reopen))
      : renderLetGo(await letGo(world, tracker, failure, reopen));
  },
});

const judge = tool({
  name: 'gate',
  title: 'Is it finished?',
  description:
    'Is a commit finished work? Lists what is missing: its bead, its claim, or a passing verify of a required command.',
  input: { commit: z.string().default('HEAD') },
  hints: adds,
  run: async ({ commit }, { world }) => renderGate(await gate(world, { commit, rerun: null })),
});

const done = tool({
  name: 'done',
  title: 'Finish a bead',
  description: 'End a bead of yours as done; refused until its commit passes the gate.',
  input: {
    bead,
    commit: z.string().optional().describe('else the last that names the bead'),
    noChange: z.boolean().optional().describe('nothing to commit; give a reason'),
    reason,
  },
  hints: ends,
  run: async (args, { world, env }) =>
    renderFinished(
      await finish(world, trackerOf(world, env), {
        bead: args.bead,
        commit: args.commit,
        noChange: args.noChange === true,
        reason: parseReason(args.reason ?? ''),
      }),
    ),
});

const status = tool({
  name: 'status',
  title: 'Who is here?',
  description: 'Which agents are here, what they hold, who waits.',
  input: { limit: z.number().int().min(1).max(1_000).default(50) },
  hints: reads,
  run: async ({ limit }, { world }) => {
    const at = await world.store.observe();
    return statusReport(at, decisionContext(world, at), limit);
  },
});

export const workTools: readonly Tool[] = [next, claim, unclaim, judge, done, status];
