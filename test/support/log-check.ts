/**
 * The log read with plain git, and what must hold of it whatever happened: in every prefix no two
 * leases in conflict, tokens that only grow, operations counted without a gap; and of the view,
 * that it shows the state.
 */
import { overlaps } from '../../src/core/overlap.ts';
import type { TestRepository } from './repository.ts';

export interface LeaseLine {
  readonly id: string;
  readonly kind: string;
  readonly agent: { readonly id: string; readonly name: string };
  readonly patterns?: readonly string[];
  readonly bead?: string;
  readonly name?: string;
  readonly mode: string;
  readonly workTree?: string;
  readonly ttl: number;
  readonly token: number;
  readonly renewedAt: string;
}

export interface EventLine {
  readonly seq: number;
  readonly event: string;
  readonly agent: { readonly name: string };
  readonly lease?: string;
}

function lines<T>(text: string): readonly T[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}

export function leasesAt(repo: TestRepository, tip = 'refs/coord/log'): readonly LeaseLine[] {
  return lines(repo.git('show', `${tip}:leases`));
}

/** Every operation from the first on, with the leases after it. */
export function operations(
  repo: TestRepository,
): readonly {
  readonly oid: string;
  readonly seq: number;
  readonly events: readonly EventLine[];
  readonly leases: readonly LeaseLine[];
}[] {
  const text = repo.git('log', '-z', '--reverse', '--format=%H%n%B', 'refs/coord/log');
  return text
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const oid = entry.slice(0, entry.indexOf('\n'));
      const seq = Number(/^Seq: (\d+)$/m.exec(entry)?.[1]);
      const events = [...entry.matchAll(/^Event: (.*)$/gm)].map(([, json]) => ({
        ...(JSON.parse(json ?? '') as EventLine),
        seq,
      }));
      return { oid, seq, events, leases: leasesAt(repo, oid) };
    });
}

export function events(repo: TestRepository, name: string): readonly EventLine[] {
  return operations(repo)
    .flatMap((operation) => operation.events)
    .filter(({ event }) => event === name);
}

const plain = { ignoreCase: false, composeUnicode: false };

/** Of one work tree: in the log they are held alone, with the work tree that they are in. */
function areLinesHere(a: LeaseLine, b: LeaseLine): boolean {
  const isAlone = a.mode === 'exclusive' && b.mode === 'exclusive';
  return isAlone && a.workTree !== undefined && a.workTree === b.workTree;
}

function meet(a: LeaseLine, b: LeaseLine): boolean {
  if (
    a.kind !== b.kind ||
    a.agent.id === b.agent.id ||
    (a.mode === 'shared' && b.mode === 'shared') ||
    areLinesHere(a, b)
  )
    return false;
  return (
    a.bead === b.bead &&
    a.name === b.name &&
    (a.patterns === undefined ||
      a.patterns.some((x) => b.patterns?.some((y) => overlaps(x, y, plain))))
  );
}

interface AgentLine {
  readonly id: string;
  readonly reads?: unknown;
  readonly readsAt?: unknown;
}

/** For logs in which nothing has had the time to expire. */
export function logFaults(repo: TestRepository): readonly string[] {
  const found: string[] = [];
  let newest = 0;
  for (const [i, { seq, leases, events: told }] of operations(repo).entries()) {
    if (seq !== i + 1) found.push(`operation ${i + 1} says that it is ${seq}`);
    for (const [at, lease] of leases.entries()) {
      for (const other of leases.slice(at + 1).filter((candidate) => meet(lease, candidate))) {
        found.push(
          `after operation ${seq} both ${lease.agent.name} and ${other.agent.name} hold ${(lease.patterns ?? [lease.bead ?? lease.name]).join(' ')}`,
        );
      }
    }
    for (const { lease: id } of told.filter(({ event }) => event === 'acquired')) {
      const token = leases.find((lease) => lease.id === id)?.token ?? 0;
      if (token <= newest) found.push(`operation ${seq} gave token ${token} after ${newest}`);
      newest = Math.max(newest, token);
    }
  }
  return found;
}

/** Where the view does not show the state, ref by ref. */
export function viewFaults(repo: TestRepository): readonly string[] {
  const rows = repo
    .git(
      'for-each-ref',
      '--format=%(refname) %(contents:trailers:key=Record,valueonly,separator=)',
      'refs/coord',
    )
    .split('\n');
  const shown = new Map(
    rows
      .filter((row) => row !== '')
      .map((row) => [row.slice(0, row.indexOf(' ')), row.slice(row.indexOf(' ') + 1)]),
  );
  const wanted = new Map([
    ...lines<LeaseLine>(repo.git('show', 'refs/coord/log:leases')).map(
      (lease) => [leaseRef(lease), lease] as const,
    ),
    // Without which formats its coord reads: nobody looks for that in a ref.
    ...lines<AgentLine>(repo.git('show', 'refs/coord/log:agents')).map(
      ({ reads: _reads, readsAt: _readsAt, ...agent }) =>
        [`refs/coord/agents/${agent.id}`, agent] as const,
    ),
  ]);
  return [
    ...[...wanted]
      .filter(([ref, record]) => shown.get(ref) !== JSON.stringify(record))
      .map(([ref]) => `${ref} ${shown.has(ref) ? 'is stale' : 'is missing'}`),
    ...[...shown.keys()]
      .filter(
        (ref) => /^refs\/coord\/(agents|reservations|claims|locks)\//.test(ref) && !wanted.has(ref),
      )
      .map((ref) => `${ref} is left over`),
  ];
}

/** For names that are a ref's as they stand. */
function leaseRef({ kind, id, bead, name }: LeaseLine): string {
  return `refs/coord/${kind}s/${kind === 'reservation' ? id : (bead ?? name ?? '')}`;
}
