/**
 * The other refs under `refs/coord`, for reading with plain git: one parentless commit with an
 * empty tree for each lease and agent. Derived, never read to decide; torn, stale or deleted, they
 * are made anew from the state.
 */
import { type Agent, showAgent } from '../core/agent.ts';
import { harmless, shorten, toJson } from '../core/harmless.ts';
import type { Oid } from '../core/ids.ts';
import { formatDuration, formatTime } from '../core/instant.ts';
import { describeHeld, expiresAt, type Lease } from '../core/lease.ts';
import { encodeLease } from '../core/lease-record.ts';
import { encodeAgent } from '../core/record.ts';
import type { State } from '../core/state.ts';
import { builtin } from '../git/builtin.ts';
import { encodeCommit, type Ident } from '../git/object-text.ts';
import { hashObject, type ObjectWriter } from '../git/objects.ts';
import type { Repository } from '../git/repository.ts';

export const logRef = 'refs/coord/log';
export const viewFolders = ['agents', 'claims', 'locks', 'reservations'] as const;

interface ViewRecord {
  readonly subject: string;
  readonly trailers: readonly string[];
  readonly author: Ident;
  readonly committer: Ident;
}

export interface ViewChange {
  readonly ref: string;
  /** Null where the ref goes. */
  readonly record: ViewRecord | null;
}

/**
 * Any text as one component of a ref name: safe where names fold case, no `..`, no `.lock`, under
 * 100 bytes, and different texts never share one. Plain ids stay as they are.
 */
export function refComponent(text: string): string {
  const encoded = [...Buffer.from(text)]
    .map((byte) => {
      const char = String.fromCharCode(byte);
      return /[a-z0-9-]/.test(char) ? char : `_${byte.toString(16).padStart(2, '0')}`;
    })
    .join('')
    .replace(/_2e(?=[a-z0-9])(?!lock$)/g, (dot, at: number) => (at === 0 ? dot : '.'));
  if (encoded.length <= 90) return encoded;
  return `${encoded.slice(0, 40)}_${builtin.crypto.createHash('sha256').update(text).digest('hex').slice(0, 40)}`;
}

function leaseRef(lease: Lease): string {
  switch (lease.kind) {
    case 'reservation':
      return `refs/coord/reservations/${lease.id}`;
    case 'claim':
      return `refs/coord/claims/${refComponent(lease.bead)}`;
    case 'lock':
      return `refs/coord/locks/${refComponent(lease.name)}`;
  }
}

function agentRef(agent: Agent): string {
  return `refs/coord/agents/${agent.id}`;
}

/**
 * Everything the view should show, by ref. Of several shared holders of one name the last is shown.
 */
export function viewOf(state: State): ReadonlyMap<string, Lease | Agent> {
  return new Map<string, Lease | Agent>([
    ...[...state.agents.values()].map((agent) => [agentRef(agent), agent] as const),
    ...[...state.leases.values()].map((lease) => [leaseRef(lease), lease] as const),
  ]);
}

/** What an operation changed, found without looking at what it left alone. */
export function viewChanges(before: State, after: State): readonly ViewChange[] {
  if (before.agents === after.agents && before.leases === after.leases) return [];
  const [old, next] = [viewOf(before), viewOf(after)];
  const written = [...next]
    .filter(([ref, shown]) => old.get(ref) !== shown)
    .map(([ref, shown]) => ({ ref, record: recordOf(shown) }));
  const gone = [...old.keys()]
    .filter((ref) => !next.has(ref))
    .map((ref) => ({ ref, record: null }));
  return [...written, ...gone];
}

function signature(agent: { readonly id: string; readonly name: string }, at: number): Ident {
  return { name: agent.name, email: `${agent.id}@coord.invalid`, at };
}

export function recordOf(shown: Lease | Agent): ViewRecord {
  return 'token' in shown ? leaseRecord(shown) : agentRecord(shown);
}

function leaseRecord(lease: Lease): ViewRecord {
  const until = formatTime(expiresAt(lease)).slice(11, 19);
  const verb = { reservation: 'reserves', claim: 'claims', lock: 'holds' }[lease.kind];
  const why = lease.reason === '' ? '' : ` - ${lease.reason}`;
  return {
    subject: shorten(harmless(`${verb} ${describeHeld(lease)} until ${until}Z${why}`), 200),
    trailers: [
      `Agent: ${showAgent(lease.agent)}`,
      `Lease: ${lease.id}`,
      ...(lease.kind === 'reservation'
        ? lease.patterns.map((pattern) => `Pattern: ${harmless(pattern)}`)
        : []),
      ...(lease.kind === 'claim' ? [`Bead: ${lease.bead}`] : []),
      ...(lease.kind === 'lock' ? [`Name: ${lease.name}`] : []),
      `Mode: ${lease.mode}`,
      `Ttl: ${formatDuration(lease.ttlMs)}`,
      `Token: ${lease.token}`,
      `Expires-At: ${formatTime(expiresAt(lease))}`,
      `Record: ${toJson(encodeLease(lease))}`,
    ],
    author: signature(lease.agent, lease.acquiredAt),
    committer: signature(lease.agent, lease.renewed.at),
  };
}

/** Without which formats it reads: coord 0.1.0, which does not know that, would call it stale. */
function agentRecord(agent: Agent): ViewRecord {
  const { reads: _reads, ...shown } = agent;
  return {
    subject: `${agent.kind} ${showAgent(agent)} on ${shorten(harmless(agent.host), 60)}`,
    trailers: [
      `Agent: ${showAgent(agent)}`,
      `Kind: ${agent.kind}`,
      `Record: ${toJson(encodeAgent(shown))}`,
    ],
    author: signature(agent, agent.startedAt),
    committer: signature(agent, agent.active.at),
  };
}

export function writeRecord(
  objects: ObjectWriter,
  { subject, trailers, author, committer }: ViewRecord,
): Oid {
  const tree = objects.write('tree', Buffer.alloc(0));
  return objects.write(
    'commit',
    encodeCommit(
      { tree, parents: [], message: `${subject}\n\n${trailers.join('\n')}\n` },
      author,
      committer,
    ),
  );
}

/** The id its commit would have. */
export function hashRecord(repository: Repository, record: ViewRecord): Oid {
  return writeRecord({ write: (kind, body) => hashObject(repository, kind, body).oid }, record);
}
