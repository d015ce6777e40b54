/** The events of the log, each with the facts that it has: a later coord may add others. */
import { z } from 'zod';
import type { EventName } from '../../src/core/event.ts';
import {
  agentKind,
  agentName,
  count,
  id,
  kind,
  mode,
  oid,
  publish,
  texts,
  time,
} from './shapes.ts';

/** What a lease, a wait or a request is about. */
const what = {
  kind,
  patterns: texts.optional(),
  bead: z.string().optional(),
  name: z.string().optional(),
};
const about = { lease: id.describe('its lease, or its place in the line'), ...what };
const token = count;
const reason = z.string();
const by = agentName.describe('who did it');
const leases = z.array(id);

const refusedByGuard = {
  at: time,
  why: z.string().describe('the kind of the first problem'),
  command: z.string().optional().describe('where a whole command was refused'),
  holders: z.array(agentName).optional(),
  leases: leases.optional(),
  paths: texts.optional(),
  commits: z.array(oid).optional(),
  entries: z.array(z.looseObject({})).optional().describe('of the stack of stashes'),
  workTrees: z
    .array(z.looseObject({ path: z.string() }))
    .optional()
    .describe('that somebody is in'),
  id: id.optional(),
};

export interface EventText {
  /** When it is written, in a sentence. */
  readonly means: string;
  readonly facts: z.ZodRawShape;
}

const ofAgents = {
  started: { means: 'An agent is on record from here on.', facts: { kind: agentKind } },
  adopted: { means: 'A session goes on elsewhere, under a new key.', facts: {} },
  ended: {
    means: 'An agent ended, or was not seen for a day.',
    facts: { by: by.optional(), why: z.string().optional() },
  },
} satisfies Partial<Record<EventName, EventText>>;

const ofLeases = {
  acquired: {
    means: 'A lease was granted.',
    facts: {
      ...about,
      mode,
      token,
      ttl: z.number().describe('seconds'),
      reason,
      waitedMs: z.number().optional(),
    },
  },
  renewed: {
    means: 'Leases go on: several at once, or one that was asked for again.',
    facts: {
      leases: leases.optional(),
      lease: id.optional(),
      ...what,
      kind: kind.optional(),
      mode: mode.optional(),
      token: token.optional(),
      ttl: z.number().optional().describe('seconds'),
    },
  },
  released: {
    means: 'A lease was given up, or a command under a lock has ended.',
    facts: {
      ...about,
      token,
      why: z.string().optional(),
      reason: reason.optional(),
      exit: z.int().optional().describe('of the command that ran under it'),
      command: z.string().optional(),
      tree: oid.optional(),
    },
  },
  expired: {
    means: 'A lease ran out and somebody cleared it away or took what it held.',
    facts: {
      by: by.optional(),
      ...about,
      kind: kind.optional(),
      token: token.optional(),
      why: z.string().optional(),
    },
  },
  transferred: {
    means: 'A lease was handed over.',
    facts: { by, ...about, from: agentName, token, reason: reason.optional() },
  },
  broken: { means: 'A lease was taken away.', facts: { by, ...about, token, reason } },
  taken: { means: 'A stalled claim was taken over.', facts: { by, ...about, token, reason } },
  waiting: { means: 'An agent stands in line.', facts: about },
  'wait-ended': {
    means: 'An agent left the line without a grant.',
    facts: { by: by.optional(), ...about, why: z.string() },
  },
} satisfies Partial<Record<EventName, EventText>>;

const ofNotes = {
  conflict: {
    means: 'A request was refused; it waited for a writer of the log.',
    facts: {
      at: time,
      why: z.string().describe('the kind of the refusal'),
      ...what,
      blockers: z.array(z.strictObject({ id, agent: agentName })),
      id: id.optional(),
    },
  },
  tally: {
    means: 'How often an agent looked, and was refused, beyond what is told one by one.',
    facts: { checks: count, refusals: count },
  },
  committed: {
    means: 'A commit was made in a work tree with the hooks of coord.',
    facts: {
      at: time,
      commit: oid,
      paths: texts,
      more: count.optional().describe('paths that are not listed'),
      id: id.optional(),
    },
  },
  blocked: { means: 'The guard refused a commit or a command.', facts: refusedByGuard },
  overridden: {
    means: 'The guard was overridden, with a reason, or paused.',
    facts: { ...refusedByGuard, reason },
  },
  overwritten: {
    means:
      'A command changed what another holds, took out what it had committed, or left its commit on no branch.',
    facts: {
      by,
      patterns: texts.optional(),
      saved: z.string().nullable().optional().describe('for coord rescue show'),
      commit: oid.optional(),
      undone: oid.optional().describe('the commit whose lines the file lacks'),
    },
  },
} satisfies Partial<Record<EventName, EventText>>;

const ofWork = {
  done: { means: 'A bead is done.', facts: { ...about, token, commit: oid.nullable() } },
  failed: {
    means: 'The work on a bead failed.',
    facts: {
      ...about,
      token,
      failed: z.literal(true),
      cause: z.string().optional(),
      reason,
      failures: count,
      parked: z.boolean(),
    },
  },
  reopened: { means: 'A bead that was over was claimed again.', facts: { bead: z.string() } },
  gated: {
    means: 'The gate was asked, and what it misses of a bead has changed.',
    facts: {
      bead: z.string().nullable(),
      commit: oid,
      verdict: z.enum(['passed', 'failed']),
      missing: texts,
    },
  },
  asked: {
    means: 'A holder was asked for its lease.',
    facts: { by, ...about, token, request: id, reason, urgent: z.boolean() },
  },
  answered: {
    means: 'A holder answered.',
    facts: {
      by,
      ...about,
      token,
      request: id,
      verdict: z.enum(['accept', 'decline', 'defer']),
      reason,
      eta: z.number().optional().describe('seconds'),
    },
  },
  'request-closed': {
    means: 'A request is over without an answer.',
    facts: { by, ...about, request: id },
  },
} satisfies Partial<Record<EventName, EventText>>;

const ofTheLog = {
  compacted: {
    means: 'The log has a new root.',
    facts: { previous: oid.nullable(), previousSeq: count, stateHash: z.string().nullable() },
  },
  repaired: { means: 'A damaged log goes on.', facts: { base: oid.nullable(), leases } },
  raised: { means: 'The log has a newer format.', facts: { from: count, to: count } },
  moved: {
    means: 'The log is elsewhere from here on: on a remote, back here, or here while offline.',
    facts: {
      remote: z.string().nullable().optional(),
      ref: z.string().optional(),
      from: z.string().optional(),
      why: z.string().optional(),
      leases: leases.optional(),
      tip: oid.nullable().optional(),
    },
  },
  landed: {
    means: 'coord push moved a branch in the same step.',
    facts: {
      branch: z.string(),
      commit: oid,
      from: oid.nullable(),
      tokens: z.array(token),
      leases,
    },
  },
} satisfies Partial<Record<EventName, EventText>>;

/** A name that is missing here is a type error. */
export const eventTexts: Readonly<Record<EventName, EventText>> = {
  ...ofAgents,
  ...ofLeases,
  ...ofNotes,
  ...ofWork,
  ...ofTheLog,
};

const names = Object.keys(eventTexts);

const line = {
  schema: z.literal('coord.log/1'),
  seq: z.int().min(1).nullable().describe('the operation; null while it waits for a writer'),
  at: time,
  agent: agentName.describe('whom it is about'),
};

const known = names.map((name) =>
  z.looseObject({ ...line, event: z.literal(name), ...eventTexts[name as EventName].facts }),
);

/** Of a newer coord: its name is all that is known of it. */
const later = z.looseObject({
  ...line,
  event: z.string().regex(new RegExp(`^(?!(?:${names.join('|')})$)[a-z][a-z-]{0,40}$`)),
  by: agentName.optional(),
});

export const eventLine = z
  .union([...known, later])
  .describe('Other facts than those named are of a newer coord.');

publish('event', 'A line of coord log --json: one event', eventLine);

/** Facts that an event of this coord is not known to have. */
export function unknownFacts(event: Readonly<Record<string, unknown>>): readonly string[] {
  const name = String(event['event']);
  if (!Object.hasOwn(eventTexts, name)) return [];
  const { facts } = eventTexts[name as EventName];
  return Object.keys(event).filter(
    (fact) => !(fact in facts) && fact !== 'event' && !(fact in line),
  );
}
