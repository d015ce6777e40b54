/**
 * The guard of a server: what a push may do to the log, and to branches. The log only grows, by
 * operations that are well-formed, that change the records of their own agents alone, and that no
 * checker objects to; a branch takes no change of what somebody else holds. The view never decides.
 */

import { systemClock } from '../agent/clock.ts';
import { SeenFile } from '../agent/seen.ts';
import { showAgent } from '../core/agent.ts';
import { LogChecker, type Stand } from '../core/check-log.ts';
import { CoordError } from '../core/errors.ts';
import type { Event } from '../core/event.ts';
import { areKin, type Oid } from '../core/ids.ts';
import type { Now } from '../core/instant.ts';
import type { Lease } from '../core/lease.ts';
import { type AgentName, describe, freeInMs, phaseOf } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import { brokenForOthers, expiredForOthers } from '../core/over-by-time.ts';
import { unauthorizedChanges } from '../core/rights.ts';
import type { Settings } from '../core/settings.ts';
import { emptyState } from '../core/state.ts';
import { commitsSince, introducedTo } from '../git/commits.ts';
import { readSettings } from '../git/config.ts';
import { takeLocal, writeLocal } from '../git/local.ts';
import { readRef } from '../git/refs.ts';
import type { Repository } from '../git/repository.ts';
import { Signing } from '../git/signature.ts';
import { Operations } from '../log/operations.ts';
import { leasesAround } from './landing.ts';
import { Receipts } from './receipts.ts';

interface Received {
  readonly old: Oid | null;
  readonly next: Oid | null;
  readonly ref: string;
}

const logRefs: readonly string[] = ['refs/coord/log', 'refs/heads/coord/log'];

export function parseReceived(text: string): readonly Received[] {
  return text.split('\n').flatMap((line) => {
    const [, old, next, ref] = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) (\S+)$/.exec(line) ?? [];
    const value = (oid: string | undefined): Oid | null =>
      oid === undefined || /^0+$/.test(oid) ? null : oid;
    return ref === undefined ? [] : [{ old: value(old), next: value(next), ref }];
  });
}

/**
 * `updateOf` names a push that is told ref by ref: what was said of the log before is held beside
 * what is said of a branch now, as if both had come together.
 */
export function judgeHook(
  repository: Repository,
  lines: readonly Received[],
  updateOf: string | null,
): readonly string[] {
  if (updateOf === null) return judgeReceived(repository, lines);
  const note = 'receiving';
  const mark = `${updateOf.replace(/\D/g, '')}\n`;
  if (lines.some(({ ref }) => logRefs.includes(ref))) {
    const problems = judgeReceived(repository, lines);
    if (problems.length === 0)
      writeLocal(
        repository.commonDir,
        note,
        mark +
          lines.map(({ old, next, ref }) => `${old ?? none} ${next ?? none} ${ref}\n`).join(''),
      );
    return problems;
  }
  const said = takeLocal(repository.commonDir, note) ?? '';
  // Of this very push, and not overtaken: numbers of processes come round again.
  const along = said.startsWith(mark)
    ? parseReceived(said).filter(({ ref, old }) => readRef(repository, ref) === old)
    : [];
  return judgeReceived(repository, [...along, ...lines]);
}

const none = '0'.repeat(40);

/** What is wrong with a push, line by line; none where it may come in. */
function judgeReceived(repository: Repository, lines: readonly Received[]): readonly string[] {
  const settings = readSettings(repository, []);
  const seen = new SeenFile(repository.commonDir);
  const clock = systemClock(seen);
  const now = clock.now();
  const operations = new Operations(repository);
  const signing = new Signing(repository, settings.sign);
  const logs = lines.filter(({ ref }) => logRefs.includes(ref));
  const others = logRefs.filter(
    (ref) => logs.every((line) => line.ref !== ref) && readRef(repository, ref) !== null,
  );
  if (logs.length > 1 || (logs.length === 1 && others.length > 0))
    return [`there is a log at ${others[0] ?? logRefs[0] ?? ''} already, and one server has one`];
  const problems = logs.flatMap((line) =>
    judgeLog(repository, operations, signing, new Receipts(seen, clock.watch), line),
  );
  if (problems.length > 0) return problems;
  const tip =
    logs.at(-1)?.next ??
    logRefs.map((ref) => readRef(repository, ref)).find((oid) => oid !== null) ??
    null;
  if (tip === null) return [];
  const stand = operations.stand(tip);
  // Every renewal is timed from when it came by here.
  const standing = [...stand.state.leases.values()].filter(
    (lease) => phaseOf(lease, now, settings.graceMs) !== 'expired',
  );
  const landed =
    logs.length > 0 ? stand.entry.events.filter(({ event }) => event === 'landed') : [];
  const { agent } = stand.entry;
  const branches = lines.filter(
    ({ ref, next }) =>
      ref.startsWith('refs/heads/') && !ref.startsWith('refs/heads/coord/') && next !== null,
  );
  return [
    ...untrueLandings(landed, agent, standing),
    ...branches.flatMap((line) => {
      const by = landed.some((event) => event['branch'] === line.ref) ? agent.name : null;
      return judgeBranch(repository, settings, now, standing, line, by);
    }),
  ];
}

/** Whoever it says lands, it is its operation's agent that does. */
function untrueLandings(
  landed: readonly Event[],
  agent: AgentName,
  standing: readonly Lease[],
): readonly string[] {
  const isHeld = (token: number): boolean =>
    standing.some((lease) => lease.token === token && areKin(lease.agent.name, agent.name));
  return landed
    .flatMap((event) => tokensOf(event['tokens']))
    .filter((token) => !isHeld(token))
    .map(
      (token) =>
        `${showAgent(agent)} lands under token ${token}, which it does not hold, or not any more`,
    );
}

function tokensOf(value: unknown): readonly number[] {
  return Array.isArray(value)
    ? value.filter((token): token is number => typeof token === 'number')
    : [];
}

function judgeLog(
  repository: Repository,
  operations: Operations,
  signing: Signing,
  receipts: Receipts,
  { old, next, ref }: Received,
): readonly string[] {
  if (next === null) return [`${ref} is the log of everybody here, and is not deleted`];
  try {
    const chain = commitsSince(repository, old, next);
    if (chain === null)
      return [
        `${ref} only goes forward, one operation on the other: this is not on top of ${old?.slice(0, 12) ?? 'what is there'}`,
      ];
    if (chain.length > limits.receivedOperations)
      return [`${ref}: ${chain.length} operations in one push are too many`];
    const before: Stand | null = old === null ? null : operations.stand(old);
    const checker = before === null ? new LogChecker() : LogChecker.from(before);
    let state = before?.state ?? null;
    for (const oid of chain) {
      const stand = operations.stand(oid);
      signing.check(repository, oid, stand.entry.agent.name, stand.entry.seq, ref);
      const found = [
        ...checker.add(stand),
        ...unauthorizedChanges(stand.entry, state, stand.state),
        ...(before === null
          ? []
          : [
              ...receipts.early(expiredForOthers(stand.entry, before.state, stand.state)),
              ...receipts.brokenEarly(brokenForOthers(stand.entry, before.state)),
            ]),
      ];
      if (found.length > 0)
        return found.slice(0, 8).map((problem) => `${ref} at ${oid.slice(0, 12)}: ${problem}`);
      state = stand.state;
    }
    if (state !== null) receipts.note(before?.state ?? emptyState(0), state);
    return [];
  } catch (error) {
    if (!(error instanceof CoordError)) throw error;
    // Whoever pushes it has a coord that reads it: the server's is the older one.
    const remedy = error.code === 'log_newer' ? `; on this server: ${error.hint ?? ''}` : '';
    return [`${ref}: ${error.message}${remedy}`];
  }
}

function judgeBranch(
  repository: Repository,
  settings: Settings,
  now: Now,
  standing: Parameters<typeof leasesAround>[3],
  { old, next, ref }: Received,
  pusher: string | null,
): readonly string[] {
  const commits = introducedTo(repository, next ?? '');
  // Whoever pushes with plain git is nobody's kin; its commits may still say whose they are.
  const { blockers } = leasesAround(
    repository,
    commits,
    { from: old, to: next ?? '' },
    standing,
    pusher ?? 'nobody-known',
    settings.folding,
  );
  return blockers.map(
    (lease) =>
      `${ref}: ${describe(lease)} is held by ${showAgent(lease.agent)}, free in ${Math.ceil(Math.max(0, freeInMs(lease, now, settings.graceMs)) / 60_000)} min: lease ${lease.id}${pusher === null ? '; its holder lands it with coord push' : ''}`,
  );
}
