/**
 * A server's or git's words for what went wrong, as an error that names it. They tell a refusal
 * from silence, and never a yes.
 */
import { CoordError } from '../core/errors.ts';
import { harmless, shorten } from '../core/harmless.ts';
import type { RemoteLocation } from '../core/record.ts';
import type { GitResult } from '../git/run-git.ts';

interface Kind {
  readonly said: RegExp;
  readonly says: string;
  readonly hint: (moved: RemoteLocation) => string;
}

const probe = ({ remote }: RemoteLocation): string => `coord remote probe ${remote}`;

/** The server answered, and will answer the same next time. */
const refusals: readonly Kind[] = [
  {
    said: /could not read (Username|Password)|Authentication failed|terminal prompts disabled|HTTP (Basic|401)|error: 401|Permission denied \(|Host key verification failed|error: 403|access denied|not authori[sz]ed/i,
    says: 'wants credentials that git does not have here',
    hint: ({ remote }) => `git fetch ${remote}, to log in; or set a credential helper`,
  },
  {
    said: /hidden ref|deny updating a hidden/i,
    says: 'hides the ref of the log',
    hint: ({ remote }) => `coord remote set ${remote} --ref refs/heads/coord/log`,
  },
  { said: /does not support --atomic/i, says: 'cannot change two refs at once', hint: probe },
  {
    said: /redirect|returned error: 30\d/i,
    says: 'sends elsewhere',
    hint: ({ remote }) => `git remote set-url ${remote} <where it is now>`,
  },
  { said: /hook declined|pre-receive hook/i, says: 'has a hook that refuses it', hint: probe },
  {
    said: /only.*refs\/(heads|tags)|funny refname|not allowed|prohibited|denied|deny/i,
    says: 'does not take this ref',
    hint: ({ remote }) => `coord remote set ${remote} --ref refs/heads/coord/log`,
  },
  {
    said: /No space left|disk quota|unpacker error|unpack failed|unable to write|Read-only file system|insufficient permission/i,
    says: 'could not store it',
    hint: probe,
  },
  {
    said: /not valid: is this a git repository|does not appear to be a git|repository .*not found|not found|service not enabled|not exported|error: 404/i,
    says: 'has no such repository',
    hint: ({ remote }) => `git remote get-url ${remote}`,
  },
  {
    said: /bad line length|protocol error|invalid (server response|packet|index-pack)|unable to parse|unexpected .*line|not a git|bad pack|fsck/i,
    says: 'does not speak git',
    hint: ({ remote }) => `git ls-remote ${remote}`,
  },
];

export function remoteFailure(
  moved: RemoteLocation,
  { stderr, stdout }: GitResult,
  why = '',
): CoordError {
  const text = `${why}\n${stderr}\n${stdout.toString('utf8', 0, 2_000)}`;
  const kind = refusals.find(({ said }) => said.test(text));
  // A server's own words say more than git's about them.
  const said = stderr
    .split('\n')
    .flatMap(
      (row) =>
        /^remote: (?!coord: refused)\s*(?:fatal: |error: )?(\S.*)$/.exec(row)?.[1]?.trim() ?? [],
    )
    .slice(0, 3)
    .join('; ');
  const line =
    said !== ''
      ? said
      : ([why, ...stderr.split('\n')]
          .map((row) => row.replace(/^(fatal|error): /, '').trim())
          .find((row) => row !== '') ?? 'it did not answer');
  const quoted = shorten(harmless(line.replace(/\/\/[^@/\s]+@/g, '//')), 200);
  if (kind !== undefined)
    return new CoordError(
      'arbiter_refused',
      `remote '${moved.remote}' ${kind.says}: ${quoted}`,
      kind.hint(moved),
    );
  return new CoordError(
    'arbiter_unreachable',
    `remote '${moved.remote}' cannot be reached: ${quoted}`,
    'try again; what is held stays held until its time is over',
  );
}
