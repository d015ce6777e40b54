/**
 * The shapes that occur in several answers of coord, each once: leases, agents, requests, waits,
 * refusals, errors. Every number of time that is not a duration in words says its unit here.
 */
import { z } from 'zod';
import { errorMeanings, guardMeanings } from '../../src/show/codes.ts';

/** What gets a file of its own under schema/, by the name of the file. */
export const registry = z.registry<{ readonly id: string }>();
export const titles: Map<string, string> = new Map();

export function publish(file: string, title: string, schema: z.ZodType): void {
  registry.add(schema, { id: file });
  titles.set(file, title);
}

export const time = z.iso.datetime().describe('RFC 3339, in UTC');
export const count = z.int().min(0);
export const id = z.string().regex(/^[0-9a-z]{8}$/);
export const oid = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/);
export const texts = z.array(z.string());
export const next = z.string().describe('the command that makes sense now');
export const yes = z.literal(true);
export const advisory = yes
  .optional()
  .describe('only there while the server is silent: advice to this clone alone');

/** The keys of a record, as an enumeration. */
export function keysOf(record: Readonly<Record<string, unknown>>): z.ZodEnum {
  return z.enum(Object.keys(record) as [string, ...string[]]);
}

export const agentName = z.strictObject({ id, name: z.string() });
export const range = z.array(count).length(2).describe('first and last line, from 1');
export const agentKind = z.enum(['agent', 'subagent', 'person']);
export const mode = z.enum(['exclusive', 'shared', 'lines']);
const workTree = z
  .string()
  .regex(/^[0-9a-z]{8,64}$/)
  .optional()
  .describe('of lines: the id of the work tree that they are in');
export const kind = z.enum(['reservation', 'claim', 'lock']);

export const agent = z.strictObject({
  id,
  name: z.string(),
  kind: agentKind,
  host: z.string(),
  session: z.boolean().describe('whether its name belongs to a session, whose key has to be shown'),
  startedAt: time,
  lastActiveAt: time,
});

/** One variant for each kind of what is held or wanted. */
const whats = {
  reservation: { kind: z.literal('reservation'), patterns: texts.min(1) },
  claim: { kind: z.literal('claim'), bead: z.string() },
  lock: { kind: z.literal('lock'), name: z.string() },
} as const;

function ofEachKind<S extends z.ZodRawShape>(
  shape: S,
): z.ZodDiscriminatedUnion<
  [
    z.ZodObject<S & (typeof whats)['reservation']>,
    z.ZodObject<S & (typeof whats)['claim']>,
    z.ZodObject<S & (typeof whats)['lock']>,
  ]
> {
  return z.discriminatedUnion('kind', [
    z.strictObject({ ...shape, ...whats.reservation }),
    z.strictObject({ ...shape, ...whats.claim }),
    z.strictObject({ ...shape, ...whats.lock }),
  ]) as never;
}

const held = {
  id,
  agent: agentName.describe('who holds it'),
  mode,
  workTree,
  reason: z.string().describe('what for; may be empty'),
  ttl: z.number().min(0).describe('seconds that it lives after the last renewal'),
  token: count.describe('grows with every grant: the place in the log of the one that granted it'),
  acquiredAt: time,
  renewedAt: time,
  expiresAt: time,
  lastActiveAt: time.describe('of its holder, or of its last renewal if that was later'),
  state: z.enum(['live', 'grace', 'expired']),
  untouched: yes.optional().describe('held for a while without a word of an edit'),
  stalled: yes.optional().describe('a claim that nobody has worked on: it may be taken over'),
  advisory,
};

export const lease = ofEachKind(held);

const ranges = z.array(range);

/** A lease of lines, with what its holder has changed and not committed. */
export const sharer = ofEachKind({
  ...held,
  lines: ranges.describe('of the one file that it shares'),
  files: z
    .array(z.strictObject({ path: z.string(), lines: ranges }))
    .optional()
    .describe('where it shares several'),
});

export const wait = ofEachKind({
  id,
  agent: agentName.describe('who waits'),
  mode,
  workTree,
  reason: z.string(),
  since: count.describe('its place in the line: an operation of the log'),
  startedAt: time,
  renewedAt: time,
});

export const request = ofEachKind({
  id,
  lease: id,
  token: count.describe('of the grant that was asked for'),
  from: agentName,
  to: agentName,
  reason: z.string(),
  urgent: z.boolean(),
  askedAt: time,
  deferredAt: time.optional(),
  eta: z.number().min(0).optional().describe('seconds from deferredAt'),
  answer: z.string().optional().describe('what its holder said when it was deferred'),
});

export const error = z.strictObject({
  code: keysOf(errorMeanings),
  message: z.string(),
  hint: z.string().optional().describe('the next command, or what to change'),
});

const refusalId = id.optional().describe('coord explain tells more of it');

function refusalOf<K extends string, S extends z.ZodRawShape>(
  kinds: readonly [K, ...K[]],
  shape: S,
): z.ZodObject {
  return z.strictObject({ kind: z.enum(kinds), ...shape, id: refusalId });
}

const retry = { retryAfter: count.describe('seconds'), retryAt: time };
const named = z.string().describe('what was named');

/** By kind; every kind occurs once, but for `held` of a person's other terminal. */
export const refusal = z.union([
  refusalOf(['held', 'grace', 'timeout'], {
    ...retry,
    ahead: z.array(wait).describe('who waits for it and came first'),
    yielded: texts.optional().describe('given up to wait for it, and not held any more'),
    lines: yes.optional().describe('only lines of it are held: with --lines it can be had'),
  }),
  refusalOf(['held'], {}).describe('reserved by the same person in another terminal'),
  refusalOf(['cap'], {
    scope: z.enum(['agent', 'all', 'patterns', 'waits', 'claims', 'requests']),
    limit: count,
  }),
  refusalOf(['uncommitted'], { paths: texts }),
  refusalOf(['deadlock'], {
    cycle: z.array(
      z.strictObject({ agent: agentName, kind, waitsFor: z.string(), heldBy: agentName }),
    ),
    uncommitted: texts.optional(),
  }),
  refusalOf(['too_early'], retry),
  refusalOf(['bead_done', 'bead_parked'], {
    bead: z.string(),
    by: agentName,
    at: time,
    failures: count,
  }),
  refusalOf(['nothing_matched'], { named: texts.describe('what was named') }),
  refusalOf(['no_such_agent', 'no_such_lease', 'lease_changed', 'no_such_request'], { named }),
  refusalOf(['not_your_session', 'name_taken'], { agent: agentName }),
  refusalOf(['tracker'], { bead: z.string(), tracker: z.string(), said: z.string() }),
  refusalOf(['not_owner', 'expired', 'live_leases', 'own_lease', 'wrong_token'], {}),
  refusalOf(['nothing_ready'], {}),
  refusalOf(['gate'], {}).describe('a commit that is not finished work: see missing'),
  refusalOf(['behind'], {}).describe('the branch over there has commits that are not in yours'),
  refusalOf(['dirty'], {}).describe('of work finish: not all of it is committed'),
  refusalOf(['occupied', 'locked_tree'], {}).describe('the work tree stays: see inUseBy'),
  refusalOf(['left'], {}).describe('of undo: some files are as they were, see files'),
  refusalOf(['conflict'], {}).describe('the same lines have changed since: see paths and ref'),
  refusalOf(['unsaved'], {}).describe('uncommitted changes of others would be replaced: see paths'),
]);

/** What the guard finds in the way of a commit. */
export const problemKind = z.enum([
  'held',
  ...(Object.keys(guardMeanings) as [string, ...string[]]),
]);

for (const [name, shape, title] of [
  ['lease', lease, 'A lease: what an agent holds for a time'],
  ['agent', agent, 'An agent on record'],
  ['request', request, 'A request for a lease of somebody else'],
  ['wait', wait, 'A place in the line for something that is held'],
  ['refusal', refusal, 'Why something was refused, by kind'],
  ['error', error, 'What failed, as every verb says it'],
] as const)
  publish(name, title, shape);
