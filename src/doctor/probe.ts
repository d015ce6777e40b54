/**
 * What a server does with refs like coord's, tried on a ref of its own that is taken away again.
 */
import type { RealWorld } from '../agent/world.ts';
import type { Oid } from '../core/ids.ts';
import type { RemoteLocation } from '../core/record.ts';
import { encodeCommit } from '../git/object-text.ts';
import { hashObject, storeObjects } from '../git/objects.ts';
import type { Repository } from '../git/repository.ts';
import type { Pushed, RemoteRef } from '../remote/remote-ref.ts';
import { type Finding, fail, note, ok } from './findings.ts';

interface Tried {
  readonly takes: Pushed;
  readonly atomic: Pushed | null;
  readonly rewinds: Pushed | null;
  readonly deletes: Pushed | null;
  readonly roundTripMs: number;
  readonly pushMs: number;
}

export interface Probed {
  readonly at: RemoteLocation;
  /** Where its log is. */
  readonly there: Oid | null;
  readonly tried: Tried;
  readonly findings: readonly Finding[];
}

export async function probe(world: RealWorld, at: RemoteLocation): Promise<Probed> {
  const { remoteRef } = world.connectRemote(at);
  const startedMs = world.clock.now().at;
  const there = await remoteRef.ask();
  const tried = await tryRefs(world, remoteRef, world.clock.now().at - startedMs);
  const findings = findingsOf(at, there, tried);
  return { at, there, tried, findings };
}

export function isNo(pushed: Pushed | null): boolean {
  return pushed !== null && pushed.kind !== 'landed';
}

async function tryRefs(
  world: RealWorld,
  remoteRef: RemoteRef,
  roundTripMs: number,
): Promise<Tried> {
  const mark = world.random.nonce();
  // In the same part of the names as the log, where the same rules of the server hold.
  const folder = remoteRef.location.ref.replace(/log$/, 'probe');
  const [one, two] = [`${folder}/${mark.slice(0, 8)}-1`, `${folder}/${mark.slice(0, 8)}-2`];
  const first = await writeCommit(remoteRef.copy, `probe ${mark}`, []);
  const second = await writeCommit(remoteRef.copy, `probe ${mark}, again`, [first]);
  const startedMs = world.clock.now().at;
  const takes = await remoteRef.push([{ ref: one, value: first, expected: null }]);
  const pushMs = world.clock.now().at - startedMs;
  if (takes.kind !== 'landed')
    return { takes, atomic: null, rewinds: null, deletes: null, roundTripMs, pushMs };
  const atomic = await remoteRef.push([
    { ref: one, value: second, expected: first },
    { ref: two, value: first, expected: null },
  ]);
  const rewinds = await remoteRef.push([
    { ref: one, value: first, expected: atomic.kind === 'landed' ? second : first },
  ]);
  const tip = rewinds.kind === 'landed' || atomic.kind !== 'landed' ? first : second;
  const deletes = await remoteRef.push([{ ref: one, value: null, expected: tip }]);
  if (atomic.kind === 'landed') await remoteRef.push([{ ref: two, value: null, expected: first }]);
  return {
    takes,
    atomic,
    rewinds: atomic.kind === 'landed' ? rewinds : null,
    deletes,
    roundTripMs,
    pushMs,
  };
}

async function writeCommit(
  copy: Repository,
  message: string,
  parents: readonly Oid[],
): Promise<Oid> {
  const tree = hashObject(copy, 'tree', Buffer.alloc(0));
  const by = { name: 'coord', email: 'coord@coord.invalid', at: 0 };
  const commit = hashObject(
    copy,
    'commit',
    encodeCommit({ tree: tree.oid, parents, message: `${message}\n` }, by, by),
  );
  await storeObjects(
    copy,
    [
      [tree.oid, tree.store],
      [commit.oid, commit.store],
    ],
    false,
  );
  return commit.oid;
}

function findingsOf(
  { remote, ref }: RemoteLocation,
  there: Oid | null,
  tried: Tried,
): readonly Finding[] {
  const { takes, atomic, roundTripMs, pushMs } = tried;
  const isBranch = ref.startsWith('refs/heads/');
  const other = `coord remote set ${remote} --ref refs/heads/coord/log`;
  const taken =
    takes.kind === 'landed'
      ? ok('refs', `takes refs beside ${ref}`)
      : fail(
          'refs',
          `does not take refs beside ${ref}: ${takes.kind === 'refused' ? takes.error.message : takes.said}`,
          isBranch ? `ask its keeper to let you push ${ref}` : other,
        );
  return [
    ok('answer', `in ${roundTripMs} ms; a push takes ${pushMs} ms`),
    there === null ? note('log', 'there is none yet') : ok('log', `at ${there.slice(0, 12)}`),
    taken,
    ...(atomic === null
      ? []
      : [
          atomic.kind === 'landed'
            ? ok(
                'atomic',
                'changes two refs at once or none, so coord push can land work and say so in one step',
              )
            : fail(
                'atomic',
                'cannot change two refs at once, so coord push cannot be a fence here',
                'ask its keeper for receive.advertiseAtomic',
              ),
        ]),
    ...protectionFindings(tried, isBranch),
    ...(pushMs > 1_000
      ? [
          note(
            'pace',
            'a push takes over a second: longer leases cost less',
            'git config coord.ttl 45m',
          ),
        ]
      : []),
  ];
}

/** May anybody put the log back, or erase it? */
function protectionFindings({ rewinds, deletes }: Tried, isBranch: boolean): readonly Finding[] {
  return [
    ...(rewinds === null
      ? []
      : [
          isNo(rewinds)
            ? ok('rewinds', 'refused, so nobody can put the log back')
            : note(
                'rewinds',
                'not refused: anybody who may push may put the log back, which every clone that saw it notices',
                `coord install --server, over there${isBranch ? ', or protect the branch' : ''}`,
              ),
        ]),
    ...(deletes === null
      ? []
      : [
          isNo(deletes)
            ? ok('deletes', 'refused; the ref of this probe stays there')
            : note(
                'deletes',
                'not refused: a push --mirror from anywhere erases the log, which every clone that saw it notices and can mend',
                'coord install --server, over there',
              ),
        ]),
  ];
}
