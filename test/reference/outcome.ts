/** What every verb's object has: the frame, and the ways in which it can say no. */
import { z } from 'zod';
import { allVerbs } from '../../src/cli/all-verbs.ts';
import { count, error, lease, next, oid, refusal, texts } from './shapes.ts';

/** The objects that one verb prints, by what came of it. */
export interface Outcomes {
  readonly done: readonly z.ZodObject[];
  /** An expected no; none where the verb never refuses. */
  readonly refused: readonly z.ZodObject[];
  /** Its refusals have another exit code than 1. */
  readonly neverOne?: true;
  /** What a reader of the schema has to know besides. */
  readonly remark?: string;
}

export type VerbOutcomes = (verb: string) => Outcomes;

/** These are told nothing besides: they change no work tree, or look after that themselves. */
const withoutWorld: ReadonlySet<string> = new Set([
  'completion',
  'shell',
  'demo',
  'mcp',
  'simulate',
  'replay',
]);

/** Said along with any answer, where there is something of it to say. */
function besides(words: string): z.ZodRawShape {
  if (withoutWorld.has(words)) return {};
  const verb = allVerbs.find((known) => known.words.join(' ') === words);
  return {
    ...(verb?.isTold === false
      ? {}
      : {
          headMoved: z
            .strictObject({ commits: count, touched: texts })
            .optional()
            .describe('commits since the private index was last at HEAD'),
        }),
    ...(verb?.looksByItself === true
      ? {}
      : {
          adviceOver: texts
            .optional()
            .describe('what was granted as advice and is over: the server answers again'),
        }),
    ...(verb?.looksByItself === true || verb?.group === 'setup'
      ? {}
      : {
          hooksLost: z
            .strictObject({ missing: texts, why: z.string(), next })
            .optional()
            .describe('git runs not all hooks of coord any more, said once'),
          notJoined: z
            .strictObject({ next })
            .optional()
            .describe('the team uses coord, and nothing is installed in this clone, said once'),
        }),
  };
}

const schemaOf = (verb: string): z.ZodLiteral<string> =>
  z.literal(`coord.${verb.split(' ')[0] ?? ''}/1`);

function framed(
  verb: string,
  ok: boolean,
  results: readonly [string, ...string[]],
  shape: z.ZodRawShape,
): z.ZodObject {
  return z.strictObject({
    schema: schemaOf(verb),
    ok: z.literal(ok),
    result: z.enum(results),
    ...shape,
    ...besides(verb),
  });
}

export function done(
  verb: string,
  results: string | readonly [string, ...string[]],
  shape: z.ZodRawShape = {},
): z.ZodObject {
  return framed(verb, true, typeof results === 'string' ? [results] : results, shape);
}

export function no(
  verb: string,
  results: string | readonly [string, ...string[]],
  shape: z.ZodRawShape = {},
): z.ZodObject {
  return framed(verb, false, typeof results === 'string' ? [results] : results, shape);
}

/** Of a verb whose facts nobody has described: what all objects have, and whatever else it says. */
export function undescribed(verb: string): Outcomes {
  const open = (ok: boolean): z.ZodObject =>
    z.looseObject({ schema: schemaOf(verb), ok: z.literal(ok), result: z.string() });
  return { done: [open(true)], refused: [open(false)], remark: 'Its facts are open.' };
}

/** As most verbs refuse: `interrupted` where a signal ended the wait for it. */
export function refused(verb: string, more: z.ZodRawShape = {}): z.ZodObject {
  return no(verb, ['refused', 'interrupted'], {
    refusal,
    blockers: z.array(lease).describe('all that is in the way'),
    own: z.array(lease).optional().describe('of a cap: what of yours counts'),
    next,
    ...more,
  });
}

/** A commit that is not finished work. */
export function refusedByGate(verb: string): z.ZodObject {
  return no(verb, 'refused', { ...gateFacts, refusal, next });
}

export const gateFacts = {
  commit: oid,
  bead: z.string().nullable(),
  required: texts.describe('commands, as a shell would take them'),
  missing: z.array(
    z.strictObject({
      what: z.enum(['bead', 'claim', 'base', 'held', 'evidence', 'clean', 'rerun']),
      why: z.string(),
      command: z.string().optional(),
    }),
  ),
  recorded: z.boolean().describe('whether the bead remembers what was missing'),
};

/** What failed looks the same for every verb. */
export function failed(verb: string): z.ZodObject {
  return z.strictObject({
    schema: schemaOf(verb),
    ok: z.literal(false),
    result: z.literal('error'),
    error,
    leases: z
      .array(lease)
      .optional()
      .describe('with arbiter_unreachable: what is still yours, and until when'),
  });
}
