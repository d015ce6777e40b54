/**
 * The server that keeps the log, spoken to by git alone: what its ref is, what is new there, and
 * one compare-and-swap of it. What came of a push is read from its lines for each ref, and where
 * there are none, from whether anything was sent at all; the words of git and server only name a
 * failure.
 */
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CoordError } from '../core/errors.ts';
import { harmless, shorten } from '../core/harmless.ts';
import type { Oid } from '../core/ids.ts';
import type { RemoteLocation } from '../core/record.ts';
import { ownMark } from '../git/local.ts';
import { readRef } from '../git/refs.ts';
import type { Repository } from '../git/repository.ts';
import { type GitResult, runFar } from '../git/run-git.ts';
import { incomingRef } from './copy-repository.ts';
import { remoteFailure } from './failure.ts';
import { type Dialect, dialectFor, noteDialect } from './protocol-version.ts';
import { remoteEnvironment, serverName } from './remote-settings.ts';

export type Pushed =
  | { readonly kind: 'landed' }
  /** The ref did not stand where it should, or somebody held its lock. */
  | { readonly kind: 'lost'; readonly said: string }
  /** It may have taken effect, or may yet. */
  | { readonly kind: 'unknown'; readonly said: string }
  | { readonly kind: 'refused'; readonly error: CoordError };

export interface PushedRef {
  readonly value: Oid | null;
  readonly ref: string;
  /**
   * What it has to be before; null where it must not be there, `any` where nothing is decided by
   * it.
   */
  readonly expected: Oid | null | 'any';
}

function speaking(dialect: Dialect): readonly string[] {
  return ['-c', `protocol.version=${dialect}`];
}

export class RemoteRef {
  readonly #repository: Repository;
  readonly copy: Repository;
  readonly location: RemoteLocation;
  /** What an upload left on the server, to be taken away. */
  leftover: PushedRef | null = null;
  readonly #tell: (line: string) => void;
  #env: NodeJS.ProcessEnv | null = null;

  constructor(
    repository: Repository,
    copy: Repository,
    location: RemoteLocation,
    tell: (line: string) => void,
  ) {
    this.#repository = repository;
    this.copy = copy;
    this.location = location;
    this.#tell = tell;
  }

  /** What the ref holds there; null where it is not. */
  async ask(ref: string = this.location.ref): Promise<Oid | null> {
    const { commonDir } = this.#repository;
    const dialect = dialectFor(commonDir);
    const started = performance.now();
    const answer = await this.#run([
      ...speaking(dialect),
      'ls-remote',
      '--quiet',
      '--refs',
      serverName,
      ref,
    ]);
    // Also where it took too long: then the other one has its turn.
    noteDialect(commonDir, dialect, performance.now() - started);
    if (answer.code !== 0) throw remoteFailure(this.location, answer);
    const row = answer.stdout
      .toString('latin1')
      .split('\n')
      .find((line) => line.endsWith(`\t${ref}`));
    const oid = row?.slice(0, row.indexOf('\t')) ?? null;
    if (oid === null || /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(oid)) return oid;
    throw new CoordError(
      'arbiter_refused',
      `remote '${this.location.remote}' does not speak git`,
      'git ls-remote shows what it says',
    );
  }

  /** Every ref below this one. */
  async list(prefix: string): Promise<ReadonlyMap<string, Oid>> {
    const answer = await this.#run(['ls-remote', '--quiet', '--refs', serverName, `${prefix}*`]);
    if (answer.code !== 0) throw remoteFailure(this.location, answer);
    return new Map(
      answer.stdout
        .toString('latin1')
        .split('\n')
        .filter((line) => line.includes('\t'))
        .map(
          (line) =>
            [line.slice(line.indexOf('\t') + 1), line.slice(0, line.indexOf('\t'))] as const,
        ),
    );
  }

  /**
   * Brings in what is new there, under a ref that nothing decides by; null where there is no log.
   * `depth` for the first time.
   */
  async fetch(depth: number | null, into: Repository = this.copy): Promise<Oid | null> {
    const shallow = depth === null ? ['--update-shallow'] : [`--depth=${depth}`];
    const answer = await this.#run(
      [
        ...speaking(dialectFor(this.#repository.commonDir)),
        'fetch',
        '--quiet',
        '--no-tags',
        '--no-auto-maintenance',
        '--no-write-fetch-head',
        '--no-recurse-submodules',
        ...shallow,
        serverName,
        `+${this.location.ref}:${incomingRef}`,
      ],
      {},
      into,
    );
    if (answer.code === 0) {
      const tip = readRef(into, incomingRef);
      rmSync(join(into.commonDir, incomingRef), { force: true });
      return tip;
    }
    if ((await this.ask()) === null) return null;
    throw remoteFailure(this.location, answer);
  }

  /** A file for a hook to read. */
  note(text: string): string {
    const file = join(this.copy.commonDir, `note-${ownMark}`);
    writeFileSync(file, text);
    return file;
  }

  async clearLeftover(): Promise<void> {
    const { leftover } = this;
    this.leftover = null;
    if (leftover !== null) await this.push([leftover]);
  }

  /** `from` where something is pushed that only that repository has; the copy's own goes along. */
  async push(
    refs: readonly PushedRef[],
    { from = this.copy, mostMs }: { readonly from?: Repository; readonly mostMs?: number } = {},
  ): Promise<Pushed> {
    const sent = join(this.copy.commonDir, `sent-${ownMark}`);
    rmSync(sent, { force: true });
    const leases = refs.flatMap(({ ref, expected }) =>
      expected === 'any' ? [] : [`--force-with-lease=${ref}:${expected ?? ''}`],
    );
    const objects =
      from === this.copy
        ? {}
        : {
            GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(join(this.copy.commonDir, 'objects')),
          };
    const answer = await this.#run(
      [
        `--git-dir=${from.gitDir}`,
        '-c',
        `core.hooksPath=${join(this.copy.commonDir, 'hooks')}`,
        'push',
        '--porcelain',
        '--no-signed',
        '--no-follow-tags',
        '--recurse-submodules=no',
        ...(refs.length > 1 ? ['--atomic'] : []),
        ...leases,
        serverName,
        ...refs.map(
          ({ value, ref, expected }) =>
            `${expected === 'any' && value !== null ? '+' : ''}${value ?? ''}:${ref}`,
        ),
      ],
      { COORD_SENT: sent, ...objects },
      from,
      mostMs,
    );
    const wasSent = statSync(sent, { throwIfNoEntry: false }) !== undefined;
    rmSync(sent, { force: true });
    const decisive = refs.filter(({ expected }) => expected !== 'any');
    return this.#outcome(decisive.length > 0 ? decisive : refs, answer, wasSent);
  }

  #outcome(refs: readonly PushedRef[], answer: GitResult, wasSent: boolean): Pushed {
    const rows = answer.stdout.toString('utf8').split('\n');
    const told = refs.map(({ ref }) =>
      rows
        .map((row) => /^(.)\t[^\t]*:([^\t]*)\t(.*)$/.exec(row))
        .find((match) => match?.[2] === ref),
    );
    const flags = told.map((match) => match?.[1]);
    if (flags.every((flag) => flag === '*' || flag === ' ' || flag === '+' || flag === '-'))
      return { kind: 'landed' };
    const no = told.find((match) => match?.[1] === '!');
    const why = no?.[3] ?? '';
    const said = shorten(harmless(`${why} ${answer.stderr.replaceAll('\n', ' ')}`.trim()), 300);
    // A no of the server's or of git's own, before anything was done. What is already there proves
    // nothing by itself.
    if (no !== undefined && !why.startsWith('[remote failure]')) {
      const lost =
        /stale info|fetch first|non-fast-forward|atomic (transaction|push) fail|failed to (update|lock) ref|cannot lock ref|incorrect old value|reference already exists|needs force/.test(
          why,
        ) && !/hook declined|denyin?g|deny /.test(`${why} ${answer.stderr}`);
      return lost
        ? { kind: 'lost', said }
        : { kind: 'refused', error: remoteFailure(this.location, answer, why) };
    }
    // git's own word, before it sends anything.
    const isUnable =
      no === undefined && /the receiving end does not support --atomic/.test(answer.stderr);
    if (flags.includes('=') || (wasSent && !isUnable)) return { kind: 'unknown', said };
    return { kind: 'refused', error: remoteFailure(this.location, answer) };
  }

  /** Where the user's own git would push to. */
  get url(): string {
    this.#env ??= remoteEnvironment(this.#repository, this.location);
    const said = Object.entries(this.#env)
      .filter(([name]) => name.startsWith('GIT_CONFIG_KEY_'))
      .findLast(
        ([, key]) => key === `remote.${serverName}.pushurl` || key === `remote.${serverName}.url`,
      );
    return said === undefined ? '' : (this.#env[said[0].replace('_KEY_', '_VALUE_')] ?? '');
  }

  async #run(
    args: readonly string[],
    more: NodeJS.ProcessEnv = {},
    from = this.copy,
    mostMs?: number,
  ): Promise<GitResult> {
    this.#env ??= remoteEnvironment(this.#repository, this.location);
    const answer = await runFar(
      this.#repository.git,
      from.commonDir,
      args,
      { ...this.#env, ...more },
      {
        onSlow: () => this.#tell(`waiting for ${this.location.remote} ...`),
        ...(mostMs === undefined ? {} : { maxMs: mostMs }),
      },
    );
    return answer.inTime
      ? answer
      : { ...answer, code: 128, stderr: `${answer.stderr}\nno answer in time`.trim() };
  }
}
