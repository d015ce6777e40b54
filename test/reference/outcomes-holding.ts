/** What the verbs print that take and give up leases, claims and locks. */
import { z } from 'zod';
import {
  done,
  gateFacts,
  no,
  type Outcomes,
  refused,
  refusedByGate,
  type VerbOutcomes,
} from './outcome.ts';
import {
  advisory,
  agentName,
  count,
  id,
  lease,
  next,
  oid,
  refusal,
  request,
  sharer,
  texts,
  time,
} from './shapes.ts';

const leases = { leases: z.array(lease), advisory };
const freed = {
  ...leases,
  notReleased: z
    .array(z.strictObject({ named: z.string(), heldBy: agentName.nullable() }))
    .optional(),
  kept: texts.optional().describe('kept, because it has uncommitted changes'),
};

const granted = (more: z.ZodRawShape = {}, only: z.ZodRawShape = {}): VerbOutcomes => {
  return (verb): Outcomes => ({
    done: [done(verb, 'granted', { ...leases, ...more, ...only })],
    refused: [refused(verb, more)],
  });
};

function released(verb: string): Outcomes {
  return { done: [done(verb, 'released', freed)], refused: [refused(verb)] };
}

function check(verb: string): Outcomes {
  const result = z.enum(['free', 'mine', 'shared', 'held']);
  const path = z.strictObject({ path: z.string(), result });
  const paths = z.array(path).min(1);
  const open = { paths, blockers: z.array(lease).max(0), advisory };
  const sharers = z.array(sharer).min(1).describe('who has lines of it in this work tree');
  return {
    done: [
      done(verb, 'mine', { ...open, sharers: sharers.optional() }),
      done(verb, 'shared', { ...open, sharers, next }),
      done(verb, 'free', { ...open, next }),
    ],
    refused: [no(verb, 'held', { paths, blockers: z.array(lease).min(1), next, advisory })],
    remark: 'An answer of held is no refusal: it has no `refusal`, and its exit code is 1.',
  };
}

const failure = z
  .strictObject({
    bead: z.string(),
    failures: count,
    by: agentName,
    reason: z.string(),
    cause: z.string(),
    tail: z.string().describe('the end of its log'),
    log: z.string(),
    commit: oid.nullable(),
    held: texts,
    next: z.string().describe('what the next one should try'),
  })
  .describe('what the last one left for whoever is next');

function claim(verb: string): Outcomes {
  return {
    done: [
      done(verb, 'granted', {
        ...leases,
        bead: z.string().optional().describe('with --next: the one that was chosen'),
        failed: z.array(failure).optional(),
        followUp: texts.optional().describe('what the gate missed when it was last asked'),
        left: z
          .array(z.strictObject({ agent: agentName, paths: texts }))
          .optional()
          .describe('uncommitted lines of those who had it before, in this work tree'),
      }),
    ],
    refused: [refused(verb)],
  };
}

function unclaim(verb: string): Outcomes {
  return {
    done: [
      done(verb, 'released', freed),
      done(verb, ['failed', 'parked'], {
        bead: z.string(),
        failures: count,
        status: z.enum(['open', 'parked']),
      }),
    ],
    refused: [refused(verb)],
  };
}

function doneVerb(verb: string): Outcomes {
  return {
    done: [
      done(verb, 'done', {
        bead: z.string(),
        commit: oid.nullable(),
        notes: texts.optional().describe('where the tracker could not be told'),
      }),
    ],
    refused: [refused(verb), refusedByGate(verb)],
  };
}

function nextVerb(verb: string): Outcomes {
  const bead = z.strictObject({
    id: z.string(),
    title: z.string(),
    priority: z.number().describe('0 is the most urgent'),
    labels: texts,
    createdAt: z.string().describe("as the tracker says it, which need not be coord's format"),
    status: z.enum(['open', 'in_progress', 'closed', 'other']),
    assignee: z.string().nullable(),
    blockedBy: texts,
  });
  return {
    done: [
      done(verb, ['ready', 'stalled', 'nothing'], {
        tracker: z.enum(['bd', 'file', 'none']),
        beads: z.array(bead),
        more: count.describe('beads beyond the limit'),
        stalled: z.array(z.strictObject({ id: z.string(), title: z.string(), agent: agentName })),
        parked: z.array(z.strictObject({ id: z.string(), failures: count, by: agentName })),
      }),
    ],
    refused: [],
  };
}

const ran = {
  lock: z.string(),
  lease: id,
  token: count,
  exit: z.int().describe("the command's own"),
  signal: z.string().nullable(),
  heldFor: count.describe('seconds'),
  lost: z.boolean().describe('whether the lock was lost while it ran'),
  released: z.boolean(),
  advisory,
};

function run(verb: string): Outcomes {
  return {
    done: [done(verb, 'ran', ran)],
    refused: [refused(verb), no(verb, 'ran', ran), no(verb, 'interrupted', leases)],
    remark:
      'A command that ended with another code than 0 is `ran` with ok false; its exit code is passed on.',
  };
}

const evidence = z.strictObject({
  command: texts.min(1),
  folder: z.string().describe('below the top; empty for the top itself'),
  exit: z.int(),
  durationMs: count,
  tree: oid,
  base: oid.nullable(),
  seq: count,
  at: time,
  agent: agentName,
  bead: z.string().nullable(),
  log: z.string().nullable().describe('below the git directory'),
});

const paths = texts.optional();
const folder = {
  own: paths.describe('with --own: the changed files of the caller'),
  leftOut: z
    .array(z.strictObject({ path: z.string(), agent: agentName.nullable() }))
    .optional()
    .describe('with --own: what else is changed, and by whom where that is known'),
  linked: paths.describe('with --own or --at: ignored folders that are linked'),
  notLinked: z.array(z.strictObject({ path: z.string(), why: z.string() })).optional(),
  copied: paths.describe('ignored files that .worktreeinclude names'),
  submodules: paths.describe('their folders are empty'),
};

function verify(verb: string): Outcomes {
  const since = z
    .enum(['work', 'head'])
    .optional()
    .describe('with --own: what went on while it ran, so that a commit now is another tree');
  const recorded = { ...ran, recorded: z.literal(true), evidence, ...folder, since };
  const changed = { ...ran, recorded: z.literal(false), tree: oid, log: z.string(), ...folder };
  return {
    done: [done(verb, 'ran', recorded), done(verb, 'already', { evidence })],
    refused: [
      refused(verb),
      no(verb, 'ran', recorded),
      no(verb, 'ran', changed),
      no(verb, 'ran', ran).describe('the lock was lost while it ran'),
      no(verb, 'interrupted', leases),
    ],
  };
}

function gate(verb: string): Outcomes {
  return { done: [done(verb, 'passed', gateFacts)], refused: [refusedByGate(verb)] };
}

function ask(verb: string): Outcomes {
  const asked = { request, mayBreakIn: count.describe('seconds'), next };
  return { done: [done(verb, 'asked', asked)], refused: [refused(verb)] };
}

function answer(verb: string): Outcomes {
  const verdict = z.enum(['accept', 'decline', 'defer']);
  return {
    done: [done(verb, 'answered', { ...leases, request, verdict })],
    refused: [refused(verb)],
  };
}

function transfer(verb: string): Outcomes {
  return {
    done: [done(verb, 'transferred', { ...leases, to: agentName })],
    refused: [refused(verb)],
  };
}

function breakVerb(verb: string): Outcomes {
  return { done: [done(verb, 'broken', leases)], refused: [refused(verb)] };
}

function pause(verb: string): Outcomes {
  return { done: [done(verb, 'paused', leases), done(verb, 'ended')], refused: [refused(verb)] };
}

function renew(verb: string): Outcomes {
  return { done: [done(verb, 'renewed', leases)], refused: [refused(verb)] };
}

function push(verb: string): Outcomes {
  const landed = { branch: z.string(), commit: oid, tokens: z.array(count), remote: z.string() };
  return {
    done: [done(verb, ['landed', 'unchanged'], landed)],
    refused: [
      refused(verb),
      no(verb, 'refused', {
        refusal,
        blockers: z.array(lease).max(0),
        branch: z.string(),
        there: oid,
        next,
      }),
    ],
  };
}

export const holding: Readonly<Record<string, VerbOutcomes>> = {
  reserve: granted(
    { notes: texts.optional().describe('patterns that look like a slip') },
    {
      alone: z
        .enum(['place', 'before'])
        .optional()
        .describe(
          'with --lines: held alone, because this work tree has no id, or as it was before',
        ),
    },
  ),
  check,
  renew,
  release: released,
  lock: granted(),
  unlock: released,
  claim,
  unclaim,
  done: doneVerb,
  next: nextVerb,
  run,
  verify,
  gate,
  ask,
  answer,
  transfer,
  break: breakVerb,
  pause,
  push,
};
