/** One schema a verb, from the parts in outcomes-*.ts, and all of them as JSON Schema. */
import { z } from 'zod';
import { allVerbs } from '../../src/cli/all-verbs.ts';
import type { Verb } from '../../src/cli/verb.ts';
import { eventLine } from './event-shapes.ts';
import { failed, type Outcomes, undescribed } from './outcome.ts';
import { holding } from './outcomes-holding.ts';
import { places } from './outcomes-places.ts';
import { seeing } from './outcomes-seeing.ts';
import { workTrees } from './outcomes-work-trees.ts';
import { error, publish, registry, titles } from './shapes.ts';
import './team-schema.ts';

export interface VerbSchema extends Outcomes {
  readonly verb: Verb;
  /** As it is typed: `session start`. */
  readonly words: string;
  /** The name of its file below schema/, without `.json`. */
  readonly file: string;
  readonly failed: z.ZodObject;
  /** Any object that it prints; for `log` any line. */
  readonly whole: z.ZodType;
}

const outcomes = { ...holding, ...seeing, ...places, ...workTrees };

export function isDescribed(words: string): boolean {
  return Object.hasOwn(outcomes, words);
}

function schemaFor(verb: Verb): VerbSchema {
  const words = verb.words.join(' ');
  const of = isDescribed(words) ? outcomes[words] : undefined;
  const said = (of ?? undescribed)(words);
  const error = failed(words);
  const parts = [...said.done, ...said.refused, ...(words === 'log' ? [eventLine] : []), error];
  const whole = z.union(parts);
  const described = said.remark === undefined ? whole : whole.describe(said.remark);
  const file = verb.words.join('-');
  publish(file, `coord ${words} --json`, described);
  return { ...said, verb, words, file, failed: error, whole: described };
}

export const verbSchemas: readonly VerbSchema[] = allVerbs.map(schemaFor);

/** What is printed where no verb is meant: `coord --help --json`, or an unknown verb. */
export const helpSchema: z.ZodType = z.union([
  z.strictObject({
    schema: z.string().regex(/^coord\.[a-z]+\/1$/),
    ok: z.literal(true),
    result: z.literal('help'),
    text: z.string(),
  }),
  z.strictObject({
    schema: z.literal('coord.coord/1'),
    ok: z.literal(false),
    result: z.literal('error'),
    error,
  }),
]);
publish('coord', 'coord --help --json, or no verb that there is', helpSchema);

export type JsonSchema = Readonly<Record<string, unknown>>;

/** By the name of the file; each refers to the others by theirs. */
export function jsonSchemas(): ReadonlyMap<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => `${id}.json`,
    override: ({ jsonSchema }) => {
      // The format says it; bounds that JavaScript has are none of coord.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return new Map(
    Object.entries(schemas)
      .map(([file, schema]) => [file, withTitle(file, schema as JsonSchema)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function withTitle(file: string, { $schema, $id, ...rest }: JsonSchema): JsonSchema {
  return { $schema, $id, title: titles.get(file) ?? file, ...rest };
}
