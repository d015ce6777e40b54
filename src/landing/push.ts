/**
 * Work goes to a branch of the server in the same step that puts it on record in the log: whoever
 * lost a lease to another has not seen that log, and moves neither. A server needs nothing of coord
 * for this.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RealWorld } from '../agent/world.ts';
import { isActive } from '../core/decide/decision.ts';
import { decideLand, type Landed } from '../core/decide/land.ts';
import { CoordError } from '../core/errors.ts';
import type { Oid } from '../core/ids.ts';
import type { Lease } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import type { Refusal } from '../core/refusal.ts';
import { between, commitAt, isAncestor, sizeBetween } from '../git/commits.ts';
import { configRows } from '../git/config.ts';
import { hasConfigHooks, hooksInUse, isProgram } from '../git/hook-files.ts';
import { readRef, shortBranch } from '../git/refs.ts';
import { runHook, runPlain } from '../git/run-git.ts';
import { leasesAround } from '../guard/landing.ts';
import { actorOf, decisionContext, operate } from '../loop/operate.ts';
import { type Outcome, refusedWith, seen } from '../loop/outcome.ts';
import { lookUntil } from '../loop/waiting.ts';
import { cloneId } from '../remote/push-fairness.ts';
import type { RemoteLogStore } from '../remote/remote-log-store.ts';
import { LandingStore } from './landing-store.ts';
import { branchRef, sourceOf } from './push-source.ts';

interface PushWish {
  /** What is pushed: a branch here, or null for the one that HEAD is on. */
  readonly branch: string | null;
  /** Its name over there, if another. */
  readonly as: string | null;
  /**
   * How long to wait for those who hold something of it, and who is told that it waits, and who may
   * end it.
   */
  readonly waitMs: number;
  readonly onWaiting: (refusal: Refusal) => void;
  readonly onLook: (refusal: Refusal) => void;
  readonly signal?: AbortSignal | undefined;
  /** The command that would wait for it. */
  readonly retry: readonly string[];
}

interface PushLanded {
  readonly remote: string;
  readonly ref: string;
  readonly commit: Oid;
  /** Of the leases under which the work was done. */
  readonly tokens: Landed['tokens'];
  /** False where the server had it already. */
  readonly isNew: boolean;
}

/** The branch over there is further than what is pushed. */
interface Behind {
  readonly kind: 'behind';
  readonly remote: string;
  readonly ref: string;
  readonly there: Oid;
}

export type PushOutcome = Outcome<PushLanded> | Behind;

export async function land(world: RealWorld, wish: PushWish): Promise<PushOutcome> {
  const remoteLog = await world.store.remoteLog();
  if (remoteLog === null)
    throw new CoordError(
      'bad_remote',
      'no remote has the log, so a push cannot be put on record with it',
      'git push; or coord remote set <name>',
    );
  const source = sourceOf(world, wish.branch);
  const ref = branchRef(world, wish.as ?? source.branch);
  try {
    return await landAt(world, remoteLog, ref, source, wish);
  } finally {
    // Whatever became of it, what was uploaded ahead of it does not stay there.
    await remoteLog.remoteRef.clearLeftover();
  }
}

async function landAt(
  world: RealWorld,
  remoteLog: RemoteLogStore,
  ref: string,
  source: ReturnType<typeof sourceOf>,
  wish: PushWish,
): Promise<PushOutcome> {
  const untilMs = world.clock.now().uptimeMs + wish.waitMs;
  for (let moves = 0; moves < limits.swapAttempts; ) {
    const from = await remoteLog.remoteRef.ask(ref);
    if (from === source.oid)
      return done(world, remoteLog, ref, source.oid, { tokens: [] }, 'unchanged');
    const behind = from === null ? null : whyNotForward(world, remoteLog, ref, from, source.oid);
    if (behind !== null) return behind;
    await runPrePush(world, remoteLog, source.branch, ref, from, source.oid);
    await upload(world, remoteLog, from, source.oid);
    const outcome = await landOnce(world, remoteLog, ref, from, source.oid);
    if (outcome === 'moved') {
      moves += 1;
      continue;
    }
    if (outcome.kind === 'refused') {
      const refusal = await waitFor(world, remoteLog, outcome.refusal, untilMs, wish);
      if (refusal === null) continue;
      const asked = { again: wish.retry, self: world.self ?? [] };
      const isInterrupted = wish.signal?.aborted === true;
      return { ...refusedWith(world, outcome.at, refusal, asked), isInterrupted };
    }
    return done(world, remoteLog, ref, source.oid, outcome.result, 'landed');
  }
  throw new CoordError('busy', `${ref} moved on and on`, 'git fetch, then try again');
}

/** Null once none of what was in the way is held any more; else what to say. */
async function waitFor(
  world: RealWorld,
  remoteLog: RemoteLogStore,
  refusal: Refusal,
  untilMs: number,
  { waitMs, onWaiting, onLook, signal }: PushWish,
): Promise<Refusal | null> {
  if (waitMs === 0 || (refusal.kind !== 'held' && refusal.kind !== 'grace')) return refusal;
  onWaiting(refusal);
  const { blockers } = refusal;
  const patience = { waitMs: untilMs - world.clock.now().uptimeMs, signal };
  const { why } = await lookUntil(
    world,
    patience,
    limits.askEveryMs,
    () => {
      onLook(refusal);
      return remoteLog.observe();
    },
    (at) => {
      const c = decisionContext(world, at);
      return blockers.some(({ id, token }) => {
        const lease = at.state.leases.get(id);
        return lease?.token === token && isActive(lease, c);
      });
    },
  );
  return why === 'found' ? null : { ...refusal, kind: 'timeout' };
}

function whyNotForward(
  { repository }: RealWorld,
  { remoteRef }: RemoteLogStore,
  ref: string,
  from: Oid,
  to: Oid,
): Behind | null {
  if (commitAt(repository, from) !== null && isAncestor(repository, from, to)) return null;
  const { remote } = remoteRef.location;
  return { kind: 'behind', remote, ref, there: from };
}

/** The user's own hook, as git would run it for its push. */
async function runPrePush(
  { repository }: RealWorld,
  { remoteRef }: RemoteLogStore,
  branch: string,
  ref: string,
  from: Oid | null,
  to: Oid,
): Promise<void> {
  const { git, top } = repository;
  const { remote } = remoteRef.location;
  const input = `refs/heads/${branch} ${to} ${ref} ${from ?? '0'.repeat(to.length)}\n`;
  const file = join(hooksInUse(repository), 'pre-push');
  const byConfig = hasConfigHooks(repository);
  if (!byConfig && !isProgram(file)) return;
  const told = byConfig ? remoteRef.note(input) : '';
  const code = byConfig
    ? await runHook(
        git,
        [
          'hook',
          'run',
          '--ignore-missing',
          `--to-stdin=${told}`,
          'pre-push',
          '--',
          remote,
          remoteRef.url,
        ],
        '',
        top,
      )
    : await runHook({ ...git, path: file }, [remote, remoteRef.url], input, top);
  if (byConfig) rmSync(told, { force: true });
  if (code !== 0)
    throw new CoordError('cannot_run', `the hook pre-push refused, with exit code ${code}`, file);
}

/**
 * What is large goes before: while it is on its way others move the log, and all of it would have
 * to be sent again.
 */
async function upload(
  { repository }: RealWorld,
  { remoteRef }: RemoteLogStore,
  from: Oid | null,
  to: Oid,
): Promise<void> {
  const { objects, bytes } = sizeBetween(repository, from, to);
  if (objects < limits.uploadObjects && bytes < limits.uploadBytes) return;
  // One for each clone: what one that was killed has left there is taken over by its next.
  const ref = `${remoteRef.location.ref.replace(/log$/, 'upload')}/${cloneId(repository.commonDir)}`;
  const pushed = await remoteRef.push([{ ref, value: to, expected: 'any' }], {
    from: repository,
    mostMs: limits.uploadMs,
  });
  // What is said to be there already is there.
  if (pushed.kind === 'landed' || pushed.kind === 'unknown')
    remoteRef.leftover = { ref, value: null, expected: 'any' };
}

async function landOnce(
  world: RealWorld,
  remoteLog: RemoteLogStore,
  ref: string,
  from: Oid | null,
  to: Oid,
): Promise<Awaited<ReturnType<typeof operate<Landed>>> | 'moved'> {
  const { repository, settings } = world;
  const commits = between(repository, from, to, remoteLog.remoteRef.location.remote);
  const { name } = world.caller();
  const store = new LandingStore(remoteLog, repository, { ref, value: to, expected: from });
  try {
    const by = actorOf(world, await store.observePending());
    return await operate<Landed>({ ...world, store }, (state, c) =>
      decideLand(
        {
          by,
          branch: ref,
          commit: to,
          from,
          judge: (leases: readonly Lease[]) =>
            leasesAround(repository, commits, { from, to }, leases, name, settings.folding),
        },
        state,
        c,
      ),
    );
  } catch (error) {
    // The branch is not where it was: then all of it is looked at anew.
    if (
      error instanceof CoordError &&
      error.code === 'busy' &&
      (await remoteLog.remoteRef.ask(ref)) !== from
    )
      return 'moved';
    throw error;
  }
}

async function done(
  world: RealWorld,
  remoteLog: RemoteLogStore,
  ref: string,
  commit: Oid,
  { tokens }: Landed,
  result: 'landed' | 'unchanged',
): Promise<Outcome<PushLanded>> {
  const { repository } = world;
  const { remote } = remoteLog.remoteRef.location;
  // As git does after a push of its own, where it keeps track of that branch.
  const tracking = `refs/remotes/${remote}/${shortBranch(ref)}`;
  const isTracked =
    configRows(repository).some(
      ({ key, value }) =>
        key === `remote.${remote}.fetch` && value.endsWith(`refs/heads/*:refs/remotes/${remote}/*`),
    ) || readRef(repository, tracking) !== null;
  if (isTracked)
    runPlain(repository.git, [
      `--git-dir=${repository.gitDir}`,
      '-c',
      'core.hooksPath=/dev/null',
      'update-ref',
      '-m',
      'update by push',
      tracking,
      commit,
    ]);
  const at = await remoteLog.observe();
  const landed = { remote, ref, commit, tokens, isNew: result === 'landed' };
  return { ...seen(world, at), kind: 'done', result: landed };
}
