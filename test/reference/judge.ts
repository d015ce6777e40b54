/** Holds what coord printed against the schema of the verb that was asked. */

import { allVerbs } from '../../src/cli/all-verbs.ts';
import { findVerb } from '../../src/cli/arguments.ts';
import { unknownFacts } from './event-shapes.ts';
import { exitCodesOf } from './groups.ts';
import { helpSchema, type VerbSchema, verbSchemas } from './schemas.ts';

/** How a verb can answer. */
export type Answer = 'done' | 'refused' | 'error';

export interface Judged {
  /** Null where no verb was meant. */
  readonly verb: VerbSchema | null;
  readonly answers: readonly Answer[];
  /** Which of the shapes of its schema it had: `done 0`, `refused 1`. */
  readonly shapes: readonly string[];
  readonly complaints: readonly string[];
}

function shapeOf(
  { done, refused, failed }: VerbSchema,
  object: unknown,
): readonly [Answer, string] | null {
  for (const [answer, shapes] of [
    ['done', done],
    ['refused', refused],
    ['error', [failed]],
  ] as const) {
    const at = shapes.findIndex((shape) => shape.safeParse(object).success);
    if (at >= 0) return [answer, `${answer} ${at}`];
  }
  return null;
}

function complaintsAbout(verb: VerbSchema | null, object: unknown): readonly string[] {
  const isHelp = helpSchema.safeParse(object).success;
  const parsed = (verb === null ? helpSchema : verb.whole).safeParse(object);
  const strange =
    typeof object === 'object' && object !== null && 'event' in object && verb?.words === 'log'
      ? unknownFacts(object as Readonly<Record<string, unknown>>)
      : [];
  return [
    ...(parsed.success || isHelp ? [] : [`it is none of the schema: ${parsed.error.message}`]),
    ...strange.map((fact) => `no event is known to have '${fact}'`),
  ];
}

function answerTo(verb: VerbSchema, object: unknown): readonly [Answer, string] | null {
  const isLine = verb.words === 'log' && typeof object === 'object' && object !== null;
  return isLine && 'event' in object
    ? ['done', `line ${String(object.event)}`]
    : shapeOf(verb, object);
}

/** The objects in what was printed; null where a line is none. */
function objectsIn(stdout: string): readonly unknown[] | null {
  try {
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown);
  } catch {
    return null;
  }
}

export function judge(args: readonly string[], stdout: string, code: number): Judged {
  const found = findVerb(args, allVerbs);
  const verb = verbSchemas.find((one) => one.verb === found) ?? null;
  const objects = objectsIn(stdout);
  if (objects === null)
    return { verb, answers: [], shapes: [], complaints: [`not only JSON: ${stdout}`] };
  const told = verb === null ? [] : objects.flatMap((one) => [answerTo(verb, one) ?? []].flat(0));
  const answers = told.flatMap(([answer]) => (answer === undefined ? [] : [answer as Answer]));
  const silent = ['log', 'mcp', 'statusline'].includes(verb?.words ?? '');
  const codes = verb === null ? [] : exitCodesOf(verb);
  const isWrongCode = verb !== null && verb.verb.command !== true && !codes.includes(code);
  return {
    verb,
    answers,
    shapes: told.map(([, shape]) => String(shape)),
    complaints: [
      ...objects.flatMap((one) => complaintsAbout(verb, one)),
      ...(verb?.words === 'log' || objects.length === 1 || (silent && objects.length === 0)
        ? []
        : [`${objects.length} objects instead of one`]),
      ...(isWrongCode ? [`exit ${code} is none of ${codes.join(', ')}`] : []),
    ].map((complaint) => `coord ${args.join(' ')}: ${complaint}\n${stdout}`),
  };
}
