/**
 * After a crash or a fault: what must hold of the repository in which it happened. The state is as
 * before or as after, what was said is true, the next command works by itself with a greater token,
 * `git fsck` is content, and the view shows the state again once it was mended.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { reserveInThePast } from './aged.ts';
import { copyOf } from './copies.ts';
import { canSeeAll } from './gate.ts';
import { type LeaseLine, leasesAt, logFaults, viewFaults } from './log-check.ts';
import { type Ran, repository, type TestRepository } from './repository.ts';

export const commands = {
  reserve: ['reserve', 'src/new.ts', 'docs/**', '--reason', 'new'],
  release: ['release', '--all'],
  renew: ['renew', '--ttl', '1h'],
  sweep: ['sweep'],
} as const;

export async function template(): Promise<TestRepository> {
  const repo = repository();
  await reserveInThePast(repo, 'gone', ['old/a.ts', 'old/b.ts']);
  repo.coord('alice', 'reserve', 'src/a.ts');
  repo.coord('alice', 'claim', 'bd-1');
  return repo;
}

export function shape(leases: readonly LeaseLine[]): string {
  return leases
    .map(
      ({ agent, kind, patterns, bead, ttl }) =>
        `${agent.name} ${kind} ${(patterns ?? [bead]).join(' ')} for ${ttl}`,
    )
    .sort()
    .join('\n');
}

export interface Case {
  readonly repo: TestRepository;
  readonly before: string;
  readonly after: string;
}

/**
 * What is not as it should be where a command was killed or met a fault; `ran` if its coord lived
 * on.
 */
export async function aftermath(
  { repo, before, after }: Case,
  ran: Ran | null,
): Promise<readonly string[]> {
  const state = shape(leasesAt(repo));
  const found: string[] = [];
  if (state !== before && state !== after)
    found.push(`the state is neither before nor after:\n${state}`);
  if (ran !== null) found.push(...untrue(ran, state, after));
  if (!canSeeAll) await mendLocks(repo);
  const newest = Math.max(...leasesAt(repo).map(({ token }) => token));
  const next = await repo.start('fresh', ['reserve', 'other/file.ts']).ended;
  if (next.code !== 0)
    found.push(`the next command failed: exit ${next.code}, ${next.stdout}${next.stderr}`);
  else if (next.json['leases'][0].token <= newest)
    found.push(`token ${next.json['leases'][0].token} after ${newest}`);
  const swept = await repo.start('fresh', ['sweep']).ended;
  if (swept.code !== 0)
    found.push(`the sweep failed: exit ${swept.code}, ${swept.stdout}${swept.stderr}`);
  if (!canSeeAll) await mendLocks(repo);
  return [
    ...found,
    ...logFaults(repo),
    ...viewFaults(repo),
    ...fsck(repo),
    ...locksLeft(repo),
    ...draftsLeft(repo),
  ];
}

function untrue({ code, stdout, json }: Ran, state: string, after: string): readonly string[] {
  if (code === 0) return state === after ? [] : [`it was told that all is done: ${stdout}`];
  if (code === 75 || code === 69)
    return json['error'] === undefined ||
      (state === after && json['error'].code !== 'unknown_outcome')
      ? [`it was told: ${stdout}`]
      : [];
  return [`it ended with exit ${code}: ${stdout}`];
}

/** Every end has its JSON, and every failure a code that is not a bug and a sentence. */
export function mute({ code, json, stdout, stderr }: Ran): readonly string[] {
  if (json['schema'] === undefined) return [`no JSON: exit ${code}, ${stdout}${stderr}`];
  if (code === 0) return [];
  const { code: named, message } = json['error'] ?? {};
  return typeof named === 'string' && named !== 'bug' && typeof message === 'string'
    ? []
    : [`no error: exit ${code}, ${stdout}`];
}

function fsck(repo: TestRepository): readonly string[] {
  try {
    execFileSync('git', ['fsck', '--strict', '--no-dangling'], {
      cwd: repo.top,
      env: repo.env,
      stdio: 'pipe',
    });
    return [];
  } catch (error) {
    return [`git fsck: ${String(error)}`];
  }
}

/**
 * Locks of view refs that a dead git left behind after it had moved the log are cleared away on
 * request.
 */
async function mendLocks(repo: TestRepository): Promise<void> {
  if (locksLeft(repo).length > 0) await repo.start('fresh', ['doctor', '--fix']).ended;
}

function locksLeft(repo: TestRepository): readonly string[] {
  return readdirSync(join(repo.top, '.git'), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.lock'))
    .map((name) => `${name} is left over`);
}

/** Of objects that a killed process was writing: the next one has cleared them away. */
export function draftsLeft(repo: TestRepository): readonly string[] {
  const names = readdirSync(join(repo.top, '.git/objects'), { recursive: true }).map(String);
  return names
    .filter((name) => name.includes('tmp_obj_coord_'))
    .map((name) => `${name} is left over`);
}

/**
 * The two ends of a command: what it starts from, and what it comes to if nothing is in the way.
 */
export function endsOf(
  repo: TestRepository,
  args: readonly string[],
): Pick<Case, 'before' | 'after'> {
  const done = copyOf(repo);
  const ran = done.coord('alice', ...args);
  if (ran.code !== 0)
    throw new Error(`it does not even work undisturbed: ${ran.stdout}${ran.stderr}`);
  const ends = { before: shape(leasesAt(repo)), after: shape(leasesAt(done)) };
  if (ends.before === ends.after)
    throw new Error('it changes nothing, so nothing can be told from it');
  return ends;
}

export function sampled<T>(items: readonly T[], count: number, chance: () => number): readonly T[] {
  return items
    .map((item) => [chance(), item] as const)
    .sort(([a], [b]) => a - b)
    .slice(0, count)
    .map(([, item]) => item);
}
