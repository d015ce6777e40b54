/** What the verbs print that begin and end work in work trees of their own, and `conflicts`. */
import { z } from 'zod';
import { done, no, type Outcomes, refused, refusedByGate, type VerbOutcomes } from './outcome.ts';
import { agentName, count, next, oid, refusal, texts, time } from './shapes.ts';

const kept = {
  id: z.string().describe('for coord work restore'),
  path: z.string().nullable().describe('null of a branch alone'),
  branch: z.string().nullable(),
  head: oid.nullable(),
  agent: z.string().describe('who kept it, by its name'),
  at: time,
  why: z.string().describe('before what; empty where it went without a word'),
  files: count.describe('that were in no commit'),
};

/** As other answers have it too. */
export const keptTrees: z.ZodType = z.array(z.strictObject(kept));

const run = z
  .strictObject({ command: z.string(), came: z.enum(['ran', 'failed', 'not_allowed']) })
  .nullable()
  .describe('the command of the team settings, and what came of it');

function begun(verb: string): Outcomes {
  const facts = {
    bead: z.string(),
    agent: agentName,
    path: z.string(),
    branch: z.string().nullable(),
    attempt: count,
    base: oid.describe('the commit that it began with'),
    token: z.string().nullable().describe('the key of a session that began with it'),
    env: z.record(z.string(), z.string()).describe('what the environment of its commands has'),
    pools: z.record(z.string(), z.string()).describe('by variable, what it has of each pool'),
    linked: texts,
    copied: texts,
    run,
  };
  const result = verb === 'work adopt' ? 'adopted' : (['started', 'kept'] as const);
  return { done: [done(verb, result, facts)], refused: [refused(verb)] };
}

const occupant = z.strictObject({
  kind: z.enum(['process', 'agent', 'work-tree']),
  name: z.string(),
});

function ended(verb: string): Outcomes {
  const result = verb === 'work finish' ? 'finished' : 'abandoned';
  const stopped = { refusal, path: z.string(), next };
  return {
    done: [
      done(verb, result, {
        bead: z.string().nullable(),
        path: z.string(),
        branch: z.string().nullable(),
        removed: z.boolean().describe('else the folder goes once nobody is in it'),
        kept: keptTrees,
        leftOut: z
          .array(z.strictObject({ path: z.string(), bytes: count }))
          .optional()
          .describe('what git ignores and was too large to keep'),
        next: next.optional(),
      }),
    ],
    refused: [
      no(verb, 'refused', { ...stopped, inUseBy: z.array(occupant) }),
      ...(verb === 'work finish'
        ? [no(verb, 'refused', { ...stopped, files: count }), refused(verb), refusedByGate(verb)]
        : []),
    ],
  };
}

const listed = z.strictObject({
  path: z.string(),
  branch: z.string().nullable(),
  head: oid.nullable(),
  bead: z.string().nullable(),
  agent: agentName.nullable(),
  alive: z.boolean(),
  inUseBy: z.array(occupant),
  isThere: z.boolean(),
  locked: z.string().nullable().describe('why git is to keep it'),
  finished: z.boolean(),
  dirty: count.describe('files that differ from HEAD'),
  ahead: count,
  behind: count,
  bytes: count,
});

const side = z.strictObject({
  ref: z.string(),
  name: z.string(),
  agent: z.string().nullable(),
  bead: z.string().nullable(),
  path: z.string().nullable().describe('the work tree that it is in'),
  uncommitted: z.boolean(),
  commit: oid,
});

const collision = {
  sides: z.array(side).length(2),
  files: z.array(
    z.strictObject({
      path: z.string(),
      lines: z
        .array(z.strictObject({ first: count, last: count }))
        .describe('as they were when both were one'),
      policy: z.enum(['regenerate', 'one-writer']).nullable(),
    }),
  ),
};

export const workTrees: Readonly<Record<string, VerbOutcomes>> = {
  'work start': begun,
  'work adopt': begun,
  'work list': (verb) => ({
    done: [done(verb, ['listed', 'nothing'], { workTrees: z.array(listed), kept: keptTrees })],
    refused: [],
  }),
  'work finish': ended,
  'work abandon': ended,
  'work restore': (verb) => ({
    done: [done(verb, 'restored', { ...kept, ignored: texts })],
    refused: [],
  }),
  conflicts: (verb) => ({
    done: [
      done(verb, ['none', 'conflicts'], {
        conflicts: z.array(z.strictObject(collision)),
        sides: count,
        pairs: count,
      }),
    ],
    refused: [],
    remark: 'With --watch each line is one of `conflicts` alone.',
  }),
};
