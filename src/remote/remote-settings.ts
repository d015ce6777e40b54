/**
 * Where a remote is and how it is reached, from the user's own configuration, for a git that runs
 * elsewhere (in coord's copy): URL, proxy, credentials, what ssh to use. All that would make a push
 * or fetch do more than it was told is left out or switched off.
 */
import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { CoordError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import type { RemoteLocation } from '../core/record.ts';
import { type ConfigRow, configRows } from '../git/config.ts';
import type { Repository } from '../git/repository.ts';

/** The remote's name in the copy: nothing that is configured for the user's own can apply to it. */
export const serverName = 'coord-arbiter';

const carried =
  /^(credential\.|http\.|url\.|ssh\.|core\.(sshcommand|gitproxy|askpass)$|protocol\.)/;

const fixedSettings: readonly (readonly [string, string])[] = [
  ['fetch.prune', 'false'],
  ['fetch.pruneTags', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['submodule.recurse', 'false'],
  ['fetch.unpackLimit', String(limits.looseObjects)],
  ['fetch.negotiationAlgorithm', 'consecutive'],
  ['fetch.writeCommitGraph', 'false'],
  ['transfer.fsckObjects', 'false'],
  // With it every fetch, however small, would leave a pack; what comes in is judged by whoever
  // reads it.
  ['fetch.fsckObjects', 'false'],
  ['push.followTags', 'false'],
  ['push.gpgSign', 'false'],
  ['push.recurseSubmodules', 'no'],
  ['push.negotiate', 'false'],
  ['push.default', 'nothing'],
  // A server that has gone silent is not waited for by what git has started, after git itself was
  // told to stop.
  ['http.lowSpeedLimit', '1'],
  ['http.lowSpeedTime', '20'],
  ['http.followRedirects', 'false'],
  ['credential.interactive', 'false'],
  ['core.fsync', 'none'],
  ['protocol.ext.allow', 'never'],
];

/**
 * Everything a git child needs to reach the remote, as variables of its environment; nothing of it
 * shows in its arguments.
 */
export function remoteEnvironment(
  repository: Repository,
  { remote }: RemoteLocation,
): NodeJS.ProcessEnv {
  checkRemoteName(remote);
  const said = configRows(repository);
  const place = (text: string): string => fromTop(repository, checkUrl(remote, text));
  const url = place(only(said, `remote.${remote}.url`, remote, 'fetched from'));
  const pushUrl = only(said, `remote.${remote}.pushurl`, remote, 'pushed to', true);
  const there = pushUrl === null ? rewritten(said, url) : place(pushUrl);
  const own = `remote.${serverName}`;
  const settings: (readonly [string, string])[] = [
    ...said
      .filter(
        ({ key, scope }) =>
          carried.test(key) && scope !== 'global' && scope !== 'system' && scope !== 'command',
      )
      .map(({ key, value }) => [key, value] as const),
    ...fixedSettings,
    // One log is in one place: looked at where it is pushed to.
    [`${own}.url`, there],
    [`${own}.pushurl`, there],
    ...['proxy', 'proxyauthmethod', 'uploadpack', 'receivepack', 'vcs'].flatMap((name) =>
      said
        .filter(({ key }) => key === `remote.${remote}.${name}`)
        .slice(-1)
        .map(({ value }) => [`${own}.${name}`, value] as const),
    ),
    // No refspec: after a push git would write what it stands for into the repository that was
    // pushed from.
    [`${own}.mirror`, 'false'],
    [`${own}.prune`, 'false'],
    [`${own}.tagOpt`, '--no-tags'],
  ];
  const { env } = repository.git;
  const before = Number(env['GIT_CONFIG_COUNT'] ?? '0') || 0;
  const pairs = settings.flatMap(
    ([key, value], i) =>
      [
        [`GIT_CONFIG_KEY_${before + i}`, key],
        [`GIT_CONFIG_VALUE_${before + i}`, value],
      ] as const,
  );
  return {
    ...Object.fromEntries(pairs),
    GIT_CONFIG_COUNT: String(before + settings.length),
    GIT_ALLOW_PROTOCOL: 'file:git:http:https:ssh',
    GIT_TERMINAL_PROMPT: '0',
    ...sshEnvironment(env, said),
  };
}

function only(said: readonly ConfigRow[], key: string, remote: string, what: string): string;
function only(
  said: readonly ConfigRow[],
  key: string,
  remote: string,
  what: string,
  optional: true,
): string | null;
function only(
  said: readonly ConfigRow[],
  key: string,
  remote: string,
  what: string,
  optional?: true,
): string | null {
  const values = said.filter((row) => row.key === key).map(({ value }) => value);
  const [value] = values;
  if (values.length > 1)
    throw new CoordError(
      'bad_remote',
      `remote '${remote}' is ${what} ${values.length} places, and one log can only be in one`,
      `git config --get-all ${key}`,
    );
  if (value === undefined && optional === undefined)
    throw new CoordError('bad_remote', `there is no remote '${remote}' here`, 'git remote -v');
  return value ?? null;
}

/**
 * git takes a path that is not absolute from the top of the work tree; in the copy it would be
 * another place.
 */
function fromTop({ top }: Repository, url: string): string {
  const isPath = !isAbsolute(url) && !/^[^/]*:/.test(url);
  const place = resolve(top, url);
  return isPath && (/^\.{1,2}(\/|$)/.test(url) || existsSync(place)) ? place : url;
}

/** As git would for a push, where a prefix of it is to be another then. */
function rewritten(said: readonly ConfigRow[], url: string): string {
  const [best] = said
    .filter(({ key, value }) => /^url\..*\.pushinsteadof$/.test(key) && url.startsWith(value))
    .toSorted((a, b) => b.value.length - a.value.length);
  return best === undefined
    ? url
    : best.key.slice('url.'.length, -'.pushinsteadof'.length) + url.slice(best.value.length);
}

/** A name that git or a shell could take for something else is none. */
export function checkRemoteName(name: string): string {
  if (
    /^[A-Za-z0-9_][A-Za-z0-9_./-]{0,99}$/.test(name) &&
    !name.includes('..') &&
    !name.endsWith('.lock') &&
    !name.endsWith('/')
  )
    return name;
  throw new CoordError(
    'bad_remote',
    `'${name}' is no name of a remote`,
    'git remote -v shows them',
  );
}

function checkUrl(remote: string, url: string): string {
  const plain = !url.startsWith('-') && !/[\u0000-\u001f\u007f]/.test(url);
  const known =
    /^(https?|ssh|git|file):\/\//.test(url) ||
    /^git\+ssh:\/\//.test(url) ||
    /^[^:/]+:(?!:)/.test(url) ||
    (!url.includes('::') && /^[./~A-Za-z0-9_]/.test(url));
  if (plain && known && !/^[a-z0-9+.-]+::/i.test(url)) return url;
  throw new CoordError(
    'bad_remote',
    `the URL of remote '${remote}' runs a program or names no server`,
    `git remote set-url ${remote} <https, ssh, git or file URL>`,
  );
}

/**
 * ssh would ask for a passphrase at the terminal, where nobody may be: then it fails, and says so.
 */
function sshEnvironment(env: NodeJS.ProcessEnv, said: readonly ConfigRow[]): NodeJS.ProcessEnv {
  const command =
    env['GIT_SSH_COMMAND'] ?? said.findLast(({ key }) => key === 'core.sshcommand')?.value;
  if (
    env['GIT_SSH'] !== undefined ||
    env['GIT_SSH_VARIANT'] !== undefined ||
    (command !== undefined && !/^\S*ssh(\s|$)/.test(command))
  )
    return {};
  return {
    GIT_SSH_COMMAND: `${command ?? 'ssh'} -o BatchMode=yes -o ConnectTimeout=15 -o ServerAliveInterval=5 -o ServerAliveCountMax=4`,
  };
}

/** A ref that a log may be at. */
export function checkLogRef(ref: string): string {
  if (/^refs\/(coord|heads\/[A-Za-z0-9_-]+)\/log$/.test(ref)) return ref;
  throw new CoordError(
    'usage',
    `'${ref}' is no place for a log`,
    'choose refs/coord/log, or refs/heads/coord/log where a server takes branches only',
  );
}
