/** What a tool is, and the words of input that several have in common. */
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { RealWorld } from '../agent/world.ts';
import type { Report } from '../render/report.ts';

/** One call of a tool, in the folder and under the name that its client has given. */
export interface ToolCall {
  readonly world: RealWorld;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  keys(args: readonly string[]): readonly string[];
  /** Aborted when the client cancels the call, or is gone. */
  readonly signal: AbortSignal;
  /** What it is at, for a client that wants to know. */
  tell(line: string): void;
}

/** What it may do, for whoever approves its calls. */
interface Hints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

type Schema = StandardSchemaWithJSON<Record<string, unknown>, Record<string, unknown>>;

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Schema;
  readonly hints: Hints;
  run(args: unknown, call: ToolCall): Promise<Report>;
}

interface ToolWords<Input extends z.ZodRawShape> extends Omit<Tool, 'input' | 'run'> {
  readonly input: Input;
  run(args: z.output<z.ZodObject<Input>>, call: ToolCall): Promise<Report>;
}

export const who: z.ZodObject<{
  agent: z.ZodOptional<z.ZodString>;
  directory: z.ZodOptional<z.ZodString>;
}> = z.object({
  agent: z.string().optional().describe('a subagent: parent/child'),
  directory: z.string().optional().describe('as git -C'),
});

export function tool<Input extends z.ZodRawShape>(words: ToolWords<Input>): Tool {
  const input = z.object(words.input);
  return {
    ...words,
    input: lean(z.object({ ...words.input, ...who.shape })),
    run: (args, call) => words.run(input.parse(args), call),
  };
}

/** Every answer has these; the rest is what the command line prints with --json. */
export const answer: Schema = lean(z.looseObject({ ok: z.boolean(), result: z.string() }));

/** Without what holds anyhow, for a model reads it in every session. */
function lean(schema: z.ZodObject): Schema {
  const shown = z.toJSONSchema(schema, { io: 'input' });
  delete shown.$schema;
  delete shown.additionalProperties;
  const standard = schema['~standard'];
  return { '~standard': { ...standard, jsonSchema: { input: () => shown, output: () => shown } } };
}

export const patterns: z.ZodArray<z.ZodString> = z
  .array(z.string())
  .min(1)
  .describe('files, directories or globs (src/**/*.ts)');
export const reason: z.ZodOptional<z.ZodString> = z.string().optional();
export const bead: z.ZodString = z.string();

export function seconds(usual: number, least: number, most: number): z.ZodDefault<z.ZodNumber> {
  return z.number().int().min(least).max(most).default(usual);
}

export const reads: Hints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
/** Puts something on record. */
export const adds: Hints = { ...reads, readOnlyHint: false };
/** Ends something that is on record. */
export const ends: Hints = { ...adds, destructiveHint: true };
