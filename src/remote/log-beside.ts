/**
 * A log on the remote that this clone fetches from, which it has not joined: nothing may be granted
 * beside it. The remote is asked before the first grant, and again after a fetch; what it said is
 * kept.
 */
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CoordError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { type ConfigRow, configRows } from '../git/config.ts';
import { readText, workTreeFolders } from '../git/head.ts';
import { readLocal, wallAge, writeLocal } from '../git/local.ts';
import type { Repository } from '../git/repository.ts';
import { runFar } from '../git/run-git.ts';
import { logRef } from '../log/view.ts';
import { remoteEnvironment, serverName } from './remote-settings.ts';

export interface Beside {
  readonly remote: string;
  readonly ref: string;
}

interface Noted {
  readonly remote: string;
  readonly url: string;
  readonly askedAt: number;
  /** For how long the answer is taken as it is, unless it is fetched from meanwhile. */
  readonly forMs: number;
  /** When the repository's configuration was written then. */
  readonly configMs: number;
  /** Where the log is over there; null for none. */
  readonly ref: string | null;
}

const file = 'beside';
const refs = [logRef, 'refs/heads/coord/log'];

/** The value of `coord.remote` in a clone that keeps its own log on purpose. */
export const apart = 'off';

/**
 * The remote that is fetched from: the one that the team has set, origin, or the only one. Its log
 * is where it is pushed to.
 */
function fetchedFrom(
  rows: readonly ConfigRow[],
): { readonly remote: string; readonly url: string } | null {
  const urls = (what: string): ReadonlyMap<string, string> =>
    new Map(
      rows.flatMap(({ key, value }) =>
        key.startsWith('remote.') && key.endsWith(what)
          ? [[key.slice('remote.'.length, -what.length), value] as const]
          : [],
      ),
    );
  const remotes = urls('.url');
  const set = rows.findLast(({ key }) => key === 'coord.remote')?.value ?? '';
  if (set === apart) return null;
  const only = remotes.size === 1 ? [...remotes.keys()] : [];
  const remote = [set, 'origin', ...only].find((name) => remotes.has(name));
  return remote === undefined
    ? null
    : { remote, url: urls('.pushurl').get(remote) ?? remotes.get(remote) ?? '' };
}

function readNoted({ commonDir }: Repository): Noted | null {
  try {
    return JSON.parse(readLocal(commonDir, file) ?? 'null') as Noted | null;
  } catch {
    return null;
  }
}

/** What was found the last time it was asked. */
export function knownBeside(repository: Repository): Beside | null {
  const noted = readNoted(repository);
  if (noted === null || noted.ref === null) return null;
  const from = fetchedFrom(configRows(repository));
  return from?.remote === noted.remote && from.url === noted.url
    ? { remote: noted.remote, ref: noted.ref }
    : null;
}

/** Asks where that is due: never yet, a fetch since, or a log that may be gone by now. */
export async function logBeside(repository: Repository): Promise<Beside | null> {
  const noted = readNoted(repository);
  const configMs = timeOf(join(repository.commonDir, 'config'));
  const fetchedMs = Math.max(
    ...workTreeFolders(repository).map((gitDir) => timeOf(join(gitDir, 'FETCH_HEAD'))),
  );
  const isFresh =
    noted !== null &&
    noted.ref === null &&
    wallAge(noted.askedAt) < noted.forMs &&
    fetchedMs < noted.askedAt;
  // Before git is asked what is set: nothing has changed since it last was.
  if (isFresh && noted.configMs === configMs) return null;
  const from = namesRemote(repository) ? fetchedFrom(configRows(repository)) : null;
  const { remote = '', url = '' } = from ?? {};
  if (isFresh && noted.remote === remote && noted.url === url) {
    writeLocal(repository.commonDir, file, JSON.stringify({ ...noted, configMs }));
    return null;
  }
  const answer =
    from === null || isWorkedIn(repository, url) ? null : await ask(repository, remote);
  const known = noted?.remote === remote && noted.url === url ? noted.ref : null;
  // No answer is not a no: what was known stands, and where nothing was this clone goes on by
  // itself.
  const ref = answer === unknown ? known : answer;
  const asked: Noted = {
    remote,
    url,
    askedAt: wallAge(0),
    forMs: answer === unknown ? limits.besideAgainMs : limits.besideEveryMs,
    configMs,
    ref,
  };
  writeLocal(repository.commonDir, file, JSON.stringify(asked));
  return ref === null ? null : { remote, ref };
}

const unknown = Symbol('no answer');

/** A log in a repository that somebody works in is that repository's own. */
function isWorkedIn({ top }: Repository, url: string): boolean {
  return existsSync(join(resolve(top, url.replace(/^file:\/\//, '')), '.git'));
}

function timeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function namesRemote({ commonDir }: Repository): boolean {
  return /\[\s*(remote|include)/i.test(readText(join(commonDir, 'config')));
}

/** Where the log is, if there is one. */
async function ask(
  repository: Repository,
  remote: string,
): Promise<string | null | typeof unknown> {
  try {
    const env = remoteEnvironment(repository, { remote, ref: logRef });
    const args = ['ls-remote', '--quiet', '--refs', serverName, ...refs];
    const options = { onSlow: () => {}, mostMs: limits.besideMs };
    const { code, stdout } = await runFar(repository.git, repository.commonDir, args, env, options);
    const there = stdout
      .toString('latin1')
      .split('\n')
      .map((line) => line.split('\t')[1]);
    return code === 0 ? (refs.find((ref) => there.includes(ref)) ?? null) : unknown;
  } catch (error) {
    // A remote that no log can be at has none.
    if (error instanceof CoordError) return error.code === 'bad_remote' ? null : unknown;
    throw error;
  }
}

export function besideError({ remote, ref }: Beside, holdsHere: boolean): CoordError {
  const flags = [...(ref === logRef ? [] : ['--ref', ref]), ...(holdsHere ? ['--move'] : [])];
  return new CoordError(
    'log_elsewhere',
    `remote '${remote}' has a log that this clone has not joined, so nothing is granted here`,
    ['coord remote set', remote, ...flags].join(' '),
  );
}
