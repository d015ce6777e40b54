/**
 * The repository as doctor sees it: each check by itself, so that one that fails hides no other.
 * Nothing degrades silently: what coord cannot do here is said here.
 */

import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import type { RealWorld } from '../agent/world.ts';
import { showAgent } from '../core/agent.ts';
import { counted } from '../core/counted.ts';
import { behindFormat } from '../core/decide/raise.ts';
import { CoordError } from '../core/errors.ts';
import { formats, neededCoord } from '../core/format.ts';
import type { Now } from '../core/instant.ts';
import { whyUnfit } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import type { RemoteLocation } from '../core/record.ts';
import type { State } from '../core/state.ts';
import { readConfig } from '../git/config.ts';
import { hookEvents } from '../git/hook-files.ts';
import { howToBegin, lostHooks, lostWords, missingHooks } from '../git/hooks-in-force.ts';
import type { Repository } from '../git/repository.ts';
import { porcelain, runGit } from '../git/run-git.ts';
import { enterQueue } from '../log/queue.ts';
import { logRef } from '../log/view.ts';
import { apart, besideError, logBeside } from '../remote/log-beside.ts';
import { examined, type Finding, fail, note, ok } from './findings.ts';
import { lockFindings } from './git-locks.ts';
import { settingsFinding, teamFindings, unknownFindings } from './settings.ts';

const fix = 'coord doctor --fix';

export async function examine(world: RealWorld): Promise<readonly Finding[]> {
  const { repository } = world;
  return [
    ...(await examined('git', async () => [await gitVersion(repository)])),
    ok(
      'repository',
      `${repository.top}, refs in ${repository.refs}, objects by ${repository.hash}`,
    ),
    writable(repository),
    ...(await examined('log', () => logFindings(world))),
    ...(await examined('truth', () => logInUseFindings(world))),
    ...(await examined('format', () => formatFindings(world))),
    ...(await examined('git locks', () => lockFindings(repository, (ms) => world.clock.sleep(ms)))),
    ...(await examined('settings', () => [settingsFinding(world), ...unknownFindings(repository)])),
    ...(await examined('team', () => teamFindings(repository))),
    ...(await examined('clock', () => [clockFinding(world)])),
    ...(await examined('queue', async () => [await queueFinding(repository)])),
    ...(await examined('commits', () => [hooksFinding(repository)])),
  ];
}

async function gitVersion(repository: Repository): Promise<Finding> {
  const { major, minor, patch } = await (await porcelain(repository.git, repository.top)).version();
  return ok('git', `${major}.${minor}.${patch} at ${repository.git.path}`);
}

function writable({ commonDir }: Repository): Finding {
  try {
    for (const folder of ['objects', 'refs']) accessSync(join(commonDir, folder), constants.W_OK);
    return ok('writable', commonDir);
  } catch {
    return fail('writable', `'${commonDir}' cannot be written`, 'make it writable for you');
  }
}

async function logFindings({ repository, local: store }: RealWorld): Promise<readonly Finding[]> {
  try {
    const at = await store.observe();
    if (at.tip === null) return [ok('log', 'empty: nothing has been done here yet')];
    const entries = await store.history(at, at.state.meta.rootSeq - 1);
    const gap = entries.findIndex(
      (entry, i) =>
        i > 0 &&
        entry.seq !== (entries[i - 1]?.seq ?? 0) + 1 &&
        !entry.events.some(({ event }) => event === 'repaired' || event === 'moved'),
    );
    const missing = runGit(repository.git, [
      `--git-dir=${repository.commonDir}`,
      'rev-list',
      '--objects',
      '--quiet',
      logRef,
    ]);
    const stale = store.staleView(at.state);
    return [
      gap < 0
        ? ok(
            'log',
            `operation ${at.seq}, ${entries.length} on the present root, ${at.state.leases.size} leases`,
          )
        : fail('log', `operations are missing before number ${entries[gap]?.seq ?? 0}`, fix),
      missing.code === 0
        ? ok('objects', 'all that the log reaches is there')
        : fail('objects', missing.stderr.split('\n')[0] ?? 'objects are missing', fix),
      entries.length > 2 * limits.logEntries
        ? fail(
            'length',
            `${entries.length} operations on one root: it could not be given a new one`,
            fix,
          )
        : ok('length', `a new root comes after ${limits.logEntries} operations`),
      ...unfitFindings(at.state),
      viewFinding(
        store,
        stale.map(({ ref }) => ref),
      ),
    ];
  } catch (error) {
    if (error instanceof CoordError) return [fail('log', error.message, error.hint ?? fix)];
    throw error;
  }
}

/**
 * Nothing is decided by it, so that it lags behind is nothing to mend: the next operation does it,
 * and is told so.
 */
function viewFinding(store: RealWorld['local'], stale: readonly string[]): Finding {
  const [first = ''] = stale;
  if (first === '') return ok('view', 'shows what the log holds');
  store.noteStaleView();
  const refs = stale.length === 1 ? `${first} does` : `${stale.length} refs, such as ${first}, do`;
  return note(
    'view',
    `${refs} not show what the log holds; nothing is decided by that, and the next operation mends it`,
    'coord sweep',
  );
}

/** Of the log in use; one that cannot be read is said to be so by its own check. */
async function formatFindings({ store, clock }: RealWorld): Promise<readonly Finding[]> {
  try {
    const { tip, state } = await store.observe();
    return tip === null ? [] : [formatFinding(state, clock.now())];
  } catch (error) {
    if (error instanceof CoordError) return [];
    throw error;
  }
}

/** Which coord reads the log, and whether it may be raised. */
function formatFinding(state: State, now: Now): Finding {
  const { version, needs } = state.meta;
  if (version >= formats.newest)
    return ok(
      'format',
      `the log has format ${version}, for coord ${needs ?? neededCoord} and newer`,
    );
  const behind = behindFormat(state, now);
  const said = `the log has format ${version}, and ${formats.newest} is the newest that this coord reads`;
  if (behind.length === 0)
    return note('format', `${said}; everybody at work here reads that too`, fix);
  return note(
    'format',
    `${said}; it stays while ${behind.map(showAgent).join(', ')} may be at work with an older coord`,
  );
}

/** What somebody has written into the log by hand: it stops nobody, and goes on request. */
function unfitFindings({ leases }: State): readonly Finding[] {
  return [...leases.values()].flatMap((lease) => {
    const why = whyUnfit(lease);
    const what = `lease ${lease.id} of ${showAgent(lease.agent)} breaks a limit, so no coord has granted it, and it means no more than can be shown`;
    return why === null ? [] : [fail('leases', `${what}: ${why}`, fix)];
  });
}

/** Which log hooks, checks and view go by, and how it is. */
async function logInUseFindings(world: RealWorld): Promise<readonly Finding[]> {
  const wanted = readConfig(world.repository, []).get('coord.remote') ?? '';
  const at = await world.local.observe().catch(() => null);
  const moved = at?.state.meta.moved;
  if (moved === undefined) return localLogFindings(world, wanted, (at?.state.leases.size ?? 0) > 0);
  const mismatch =
    wanted === moved.remote
      ? []
      : [
          note(
            'remote',
            `coord.remote says '${wanted}', and the log says '${moved.remote}', which holds`,
            `git config coord.remote ${moved.remote}`,
          ),
        ];
  return [await remoteLogFinding(world, moved), ...mismatch];
}

async function localLogFindings(
  { repository }: RealWorld,
  wanted: string,
  holdsAny: boolean,
): Promise<readonly Finding[]> {
  const beside = await logBeside(repository);
  if (beside !== null) {
    const { message, hint = '' } = besideError(beside, holdsAny);
    return [fail('truth', message, hint)];
  }
  if (wanted === '' || wanted === apart)
    return [ok('truth', 'hooks, checks and view go by the log in this repository')];
  const said = `coord.remote says '${wanted}', but hooks, checks and view go by the log in this repository`;
  return [note('truth', said, `coord remote set ${wanted}`)];
}

async function remoteLogFinding(world: RealWorld, moved: RemoteLocation): Promise<Finding> {
  const said = `hooks, checks and view go by the log on remote '${moved.remote}' at ${moved.ref}`;
  try {
    const { seq, state } = await world.connectRemote(moved).observe();
    const held = counted(state.leases.size, 'lease');
    const shown = `refs/coord-remote/${moved.remote}/`;
    return ok(
      'truth',
      `${said}, now at operation ${seq} with ${held}; what it shows is under ${shown}`,
    );
  } catch (error) {
    if (!(error instanceof CoordError)) throw error;
    if (error.code !== 'arbiter_unreachable')
      return fail('truth', `${said}: ${error.message}`, error.hint ?? 'coord remote probe');
    const offline =
      world.settings.offline === 'advisory'
        ? 'what is granted meanwhile is advice (coord.offline=advisory)'
        : 'nothing new is granted until it answers (coord.offline=refuse)';
    const silent = `${said}, which cannot be reached: ${offline}`;
    return note('truth', silent, `git ls-remote ${moved.remote}`);
  }
}

function hooksFinding(repository: Repository): Finding {
  const lost = lostHooks(repository);
  if (lost !== null) return fail('commits', lostWords(lost), 'coord install');
  const missing = missingHooks(repository);
  if (missing.length === 0)
    return ok(
      'commits',
      `${hookEvents.length} git hooks of coord check every commit and every update of a branch`,
    );
  return missing.length === hookEvents.length
    ? note(
        'commits',
        'no git hook of coord is installed here, so leases are advice to whoever asks: a commit is not checked',
        howToBegin(repository),
      )
    : fail('commits', `some git hooks of coord are gone: ${missing.join(', ')}`, 'coord install');
}

function clockFinding({ clock }: RealWorld): Finding {
  return clock.now().domain.startsWith('alone')
    ? note(
        'clock',
        'this system does not tell its boot from another, so leases are timed from when they were first seen here: never early, perhaps late',
      )
    : ok('clock', 'leases are timed by an uptime that counts suspended time');
}

async function queueFinding({ commonDir }: Repository): Promise<Finding> {
  const leave = await enterQueue(commonDir, true);
  if (leave === null) return note('queue', 'no local queue: writers retry (correct, less fair)');
  leave();
  return ok('queue', 'processes of this machine come first come, first served');
}
