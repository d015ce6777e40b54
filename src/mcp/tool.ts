/** What the tools have in common: words of their input, hints, and how one is asked. */
import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { RealWorld } from '../agent/world.ts';
import type { Report } from '../render/report.ts';

export const who: {
  readonly agent: z.ZodOptional<z.ZodString>;
  readonly directory: z.ZodOptional<z.ZodString>;
} = {
  agent: z
    .string()
    .optional()
    .describe('who acts, where it is not the session itself: a subagent as parent/child'),
  directory: z
    .string()
    .optional()
    .describe('a folder of the repository; the one the server was started in unless it is said'),
};
export const patterns: z.ZodArray<z.ZodString> = z
  .array(z.string())
  .min(1)
  .max(64)
  .describe('files, directories or patterns such as src/**/*.ts, from the directory');
export const reason: z.ZodOptional<z.ZodString> = z
  .string()
  .optional()
  .describe('what for; shown to whoever is in the way');
export const waitSeconds: z.ZodOptional<z.ZodNumber> = z
  .number()
  .int()
  .min(0)
  .max(600)
  .optional()
  .describe('stand in line for so long if it is held');

/** Every answer has these; the rest is what the command line prints with --json. */
export const answer: z.ZodObject<{ ok: z.ZodBoolean; result: z.ZodString }, z.core.$loose> =
  z.looseObject({ ok: z.boolean(), result: z.string() });

type Common = { readonly agent?: string | undefined; readonly directory?: string | undefined };

interface ClientFolder {
  readonly world: RealWorld;
  readonly keys: (args: readonly string[]) => readonly string[];
}

/** Runs a tool in the folder and under the name that its caller has given. */
export type Asked = (
  common: Common,
  work: (place: ClientFolder) => Promise<Report>,
) => Promise<CallToolResult>;

/** Puts tools on a server. */
export type AddTools = (server: McpServer, asked: Asked) => void;

/**
 * What a tool does: reads only, or changes what is on record; nothing here reaches beyond the
 * repository.
 */
export function hints(
  readOnly: boolean,
  destructive = false,
): {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: true;
  readonly openWorldHint: false;
} {
  return {
    readOnlyHint: readOnly,
    destructiveHint: destructive,
    idempotentHint: true,
    openWorldHint: false,
  };
}
