/** What the verbs print that set coord up. */
import { z } from 'zod';
import { done, no, type Outcomes } from './outcome.ts';
import { next, texts } from './shapes.ts';

export function install(verb: string): Outcomes {
  const results = ['installed', 'would-install'] as const;
  const action = z.string();
  const byFiles = {
    by: z.literal('files'),
    folder: z.string(),
    hooks: z.array(z.strictObject({ event: z.string(), action })),
    dryRun: z.boolean(),
  };
  const harnesses = {
    harnesses: texts,
    files: z.array(z.strictObject({ harness: z.string(), file: z.string(), action })),
  };
  const byConfig = { by: z.literal('config'), events: texts, dryRun: z.boolean() };
  return {
    done: [
      done(verb, results, { ...byFiles, ...harnesses }),
      done(verb, results, { ...byConfig, ...harnesses }).describe(
        'where git takes hooks by config',
      ),
      done(verb, results, byFiles).describe('with --server'),
    ],
    refused: [],
  };
}

export function init(verb: string): Outcomes {
  const plan = {
    joins: z.boolean().describe('the team uses coord already: its files stay as they are'),
    found: texts,
    steps: texts.describe('what is done, or would be'),
  };
  const all = { ...plan, health: texts.describe('what doctor says, in short'), next };
  return {
    done: [
      done(verb, ['initialized', 'joined'], all),
      done(verb, ['planned', 'left'], plan).describe('with --dry-run, or not agreed to'),
    ],
    refused: [
      no(verb, 'planned', { ...plan, next }).describe('without --yes, and no terminal to ask on'),
    ],
  };
}

export function uninstall(verb: string): Outcomes {
  const facts = {
    dryRun: z.boolean(),
    hooks: texts.describe('files and keys of the configuration'),
    purged: texts.optional().describe('with --purge: refs and folders'),
  };
  return { done: [done(verb, ['nothing', 'uninstalled', 'would-uninstall'], facts)], refused: [] };
}

export const finding: z.ZodObject = z.strictObject({
  check: z.string(),
  standing: z.enum(['ok', 'note', 'warn', 'fail']),
  says: z.string(),
  next: z.string().optional(),
});

export function doctor(verb: string): Outcomes {
  const facts = {
    checks: z.array(finding),
    fixed: texts,
    settings: z.array(z.strictObject({ key: z.string(), value: z.string(), origin: z.string() })),
  };
  return { done: [done(verb, 'healthy', facts)], refused: [no(verb, 'needs-mending', facts)] };
}

export function config(verb: string): Outcomes {
  const setting = z.strictObject({
    key: z.string(),
    value: z.string(),
    origin: z.string().describe('default, or where git or the team says so'),
    default: z.string(),
    means: z.string(),
    takes: z.string(),
  });
  const changed = {
    key: z.string(),
    value: z.string().nullable(),
    where: z.enum(['local', 'global', 'team']),
  };
  return {
    done: [
      done(verb, 'settings', { settings: z.array(setting) }),
      done(verb, 'setting', { setting }).describe('with a key'),
      done(verb, ['set', 'unset'], changed).describe('with a value, or --unset'),
    ],
    refused: [],
  };
}
