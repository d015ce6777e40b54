/** What the verbs print that begin and end sessions, show, and clear away. */
import { z } from 'zod';
import {
  errorMeanings,
  guardMeanings,
  refusalMeanings,
  verbMeanings,
} from '../../src/show/codes.ts';
import { done, type Outcomes, refused, type VerbOutcomes } from './outcome.ts';
import {
  advisory,
  agent,
  agentKind,
  agentName,
  count,
  id,
  keysOf,
  lease,
  request,
  texts,
  time,
  wait,
} from './shapes.ts';

const total = count.optional().describe('how many there are, where --limit cut the list');

const begun = {
  agent: agentName.extend({ kind: agentKind }),
  token: z.string().nullable().describe('the session key; null where the name needs none'),
  env: z
    .strictObject({
      COORD_AGENT: z.string(),
      COORD_SESSION: z.string().optional(),
      COORD_STAGE: z.string().optional(),
      PATH: z.string().optional(),
    })
    .describe('what every command of the session is to have'),
};

function sessionEnd(verb: string): Outcomes {
  return {
    done: [
      done(verb, 'ended', { leases: z.array(lease), agent: agentName, advisory }),
      done(verb, 'gone').describe('with --shell: it has ended before'),
    ],
    refused: [refused(verb)],
  };
}

function sessionList(verb: string): Outcomes {
  return { done: [done(verb, 'listed', { agents: z.array(agent), total })], refused: [] };
}

const lines = z
  .array(
    z.strictObject({
      path: z.string(),
      agent: agentName.nullable().describe('null for nobody that is known'),
      added: count,
      removed: count,
    }),
  )
  .optional()
  .describe('uncommitted lines in files that several change in this work tree');

function status(verb: string): Outcomes {
  const results = ['quiet', 'busy'] as const;
  return {
    done: [
      done(verb, results, {
        seq: count.describe('the operation of the log that this is'),
        remote: z.string().optional(),
        ageMs: count.optional().describe('how old it is, where the server does not answer'),
        advisory,
        agents: z.array(agent),
        leases: z.array(lease),
        waits: z.array(wait),
        requests: z.array(request),
        total,
        stages: z
          .array(z.strictObject({ agent: agentName, behind: z.boolean() }))
          .optional()
          .describe('private indexes in this work tree'),
        lines,
      }),
      done(verb, results, {
        line: z.string(),
        agents: count,
        leases: count,
        waits: count,
        advisory,
      }).describe('with --line: how many, rather than who'),
    ],
    refused: [],
  };
}

function who(verb: string): Outcomes {
  const holder = z.strictObject({
    id,
    name: z.string(),
    kind: agentKind,
    lastActiveAt: time,
    beads: texts,
    stalled: z.boolean(),
    locks: texts,
    paths: texts,
  });
  const facts = { agents: z.array(holder), total, advisory, lines };
  return { done: [done(verb, ['listed', 'nobody'], facts)], refused: [] };
}

function inbox(verb: string): Outcomes {
  const message = z.strictObject({ seq: count, at: time, text: z.string() });
  const facts = { messages: z.array(message) };
  return { done: [done(verb, ['told', 'nothing'], facts)], refused: [] };
}

function sweep(verb: string): Outcomes {
  return {
    done: [
      done(verb, ['swept', 'would-sweep', 'nothing'], {
        dryRun: z.boolean(),
        count,
        leases: z.array(lease),
        waits: z.array(z.strictObject({ id, agent: agentName })),
        agents: z.array(agentName),
      }),
    ],
    refused: [],
  };
}

const ofTheLog = z
  .looseObject({ event: z.string(), agent: agentName })
  .describe('as in event.json, whose facts these are: open');

function explain(verb: string): Outcomes {
  const code = keysOf({ ...errorMeanings, ...refusalMeanings, ...guardMeanings, ...verbMeanings });
  return {
    done: [
      done(verb, 'explained', {
        code,
        kind: z.enum(['error', 'refusal']),
        meaning: z.string(),
        remedy: z.string().describe('what to do'),
      }).describe('of a code'),
      done(verb, 'explained', {
        id,
        at: time,
        seq: count.nullable(),
        event: ofTheLog,
        meaning: z.string().nullable(),
        history: z.array(ofTheLog.extend({ at: time, seq: count.nullable() })),
      }).describe('of a refusal'),
    ],
    refused: [],
    remark: 'The facts of `event` and of each entry of `history` are open, as those of the log.',
  };
}

function stats(verb: string): Outcomes {
  const counts = z.record(z.string(), count);
  return {
    done: [
      done(verb, ['warnings', 'fine'], {
        since: time,
        logReachesBackTo: time.nullable(),
        operations: count,
        tries: count,
        waits: count,
        waitRate: z.number().min(0).describe('a share of the tries'),
        holderChecks: count,
        lockWaits: z.strictObject({ count, medianMs: z.number(), maxMs: z.number() }),
        activeAgents: count,
        runs: z.strictObject({ count, passed: count }),
        failures: z.strictObject({ count, sharedState: count }),
        waitsByHour: counts.describe('by the hour, as 2026-01-31T09'),
        waitsByTarget: counts.describe('by what was waited for, in words'),
        warnings: z.array(
          z.strictObject({ name: z.string(), exceeded: z.boolean(), says: z.string() }),
        ),
        mitigations: z.array(z.strictObject({ name: z.string(), says: z.string() })),
      }),
    ],
    refused: [],
    remark: 'The keys of `waitsByHour` and `waitsByTarget` are open.',
  };
}

function log(): Outcomes {
  return {
    done: [],
    refused: [],
    remark:
      'One object a line, one for each event, each as in event.json; they have neither ok nor result, and where nothing has happened nothing is printed. Facts of events are open: a later coord may add some.',
  };
}

const started = (result: string): VerbOutcomes => {
  return (verb) => ({ done: [done(verb, result, begun)], refused: [refused(verb)] });
};

export const seeing: Readonly<Record<string, VerbOutcomes>> = {
  'session start': started('started'),
  'session adopt': started('adopted'),
  'session end': sessionEnd,
  'session list': sessionList,
  whoami: (verb) => ({ done: [done(verb, 'known', { agent })], refused: [refused(verb)] }),
  status,
  who,
  inbox,
  sweep,
  explain,
  stats,
  log,
};
