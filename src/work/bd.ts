/**
 * The tracker `bd`, which stays the tracker: coord's claim is the lock, and what bd is told under
 * it is read back, because it has been seen to report success for what it did not do. Whatever it
 * says otherwise is shown as it is.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { ReadyBead } from '../core/bead.ts';
import { CoordError } from '../core/errors.ts';
import { harmless, shorten } from '../core/harmless.ts';
import { limits } from '../core/limits.ts';
import { builtin } from '../git/builtin.ts';
import { parsed, readIssue, type TrackedBead, type Tracker } from './issue.ts';

export function findBd(env: NodeJS.ProcessEnv): string | null {
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    const file = join(folder, 'bd');
    try {
      accessSync(file, constants.X_OK);
      if (folder !== '' && statSync(file).isFile()) return file;
    } catch {
      // Not in this one.
    }
  }
  return null;
}

export class BdTracker implements Tracker {
  readonly kind = 'bd';
  readonly #program: string;
  readonly #top: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor(program: string, top: string, env: NodeJS.ProcessEnv) {
    this.#program = program;
    this.#top = top;
    this.#env = env;
  }

  /** What it answers, out of its envelope. */
  #ask(
    args: readonly string[],
    actor = 'coord',
  ): { readonly data: unknown; readonly error: string | null } {
    const env = {
      ...this.#env,
      BEADS_ACTOR: actor,
      BD_ACTOR: actor,
      BD_JSON: '1',
      BD_JSON_ENVELOPE: '1',
    };
    const { status, signal, stdout, stderr, error } = builtin.childProcess.spawnSync(
      this.#program,
      [...args, '--json'],
      {
        cwd: this.#top,
        env,
        encoding: 'utf8',
        timeout: trackerMs(this.#env),
        killSignal: 'SIGTERM',
        maxBuffer: limits.trackerBytes,
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const what = `bd ${args[0] ?? ''}`;
    if (error !== undefined && 'code' in error && error.code === 'ETIMEDOUT')
      throw new CoordError(
        'tracker_busy',
        `${what} has not answered in time and was ended`,
        'try again; bd doctor',
      );
    if (error !== undefined || status === null)
      throw new CoordError(
        'tracker_failed',
        `${what} could not be run: ${error?.message ?? signal ?? ''}`,
      );
    const value = parsed(stdout) ?? parsed(stderr.trim().split('\n').at(-1) ?? '');
    const fields =
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? (value as Readonly<Record<string, unknown>>)
        : {};
    if (status !== 0)
      return {
        data: null,
        error: shorten(
          harmless(
            typeof fields['error'] === 'string'
              ? fields['error']
              : (stderr.trim().split('\n').at(-1) ?? `exit ${status}`),
          ),
          200,
        ),
      };
    if (value === null)
      throw new CoordError('tracker_failed', `${what} answered with something that is no JSON`);
    return { data: 'data' in fields ? fields['data'] : value, error: null };
  }

  ready(_records: unknown, agents: ReadonlySet<string>): readonly ReadyBead[] {
    // What an agent had begun before it died is in progress there for ever.
    const begun = this.#list(['list', '--status', 'in_progress']).filter(
      ({ assignee }) => assignee !== null && agents.has(assignee),
    );
    return [...this.#list(['ready', '-n', '1000']), ...begun];
  }

  #list(args: readonly string[]): readonly TrackedBead[] {
    const { data, error } = this.#ask(args);
    if (error !== null)
      throw new CoordError('tracker_failed', `bd ${args[0] ?? ''} failed: ${error}`);
    const rows = Array.isArray(data) ? data.map(readIssue) : [null];
    if (rows.includes(null))
      throw new CoordError(
        'tracker_failed',
        `bd ${args[0] ?? ''} answered with something that is no list of issues`,
      );
    return rows.filter((issue) => issue !== null);
  }

  find(bead: string): TrackedBead | null {
    const { data, error } = this.#ask(['show', bead]);
    if (error !== null && /not found|no issue/i.test(error)) return null;
    if (error !== null) throw new CoordError('tracker_failed', `bd show failed: ${error}`);
    const issue = readIssue(Array.isArray(data) ? data[0] : data);
    if (issue?.id !== bead)
      throw new CoordError('tracker_failed', `bd show ${bead} answered with something else`);
    return issue;
  }

  waitsFor({ blockedBy }: TrackedBead): readonly string[] {
    return blockedBy.filter((id) => (this.find(id)?.status ?? 'closed') !== 'closed');
  }

  claim(bead: string, actor: string, formerly: readonly string[]): string | null {
    const before = this.find(bead);
    if (before === null) return 'it knows no such bead';
    if (before.status === 'in_progress' && before.assignee === actor) return null;
    // Whose claim coord has seen end does not work on it any more.
    if (
      before.status === 'in_progress' &&
      before.assignee !== null &&
      formerly.includes(before.assignee)
    )
      this.reopen(bead, actor);
    const { error } = this.#ask(['update', bead, '--claim'], actor);
    const after = this.find(bead);
    if (after?.status === 'in_progress' && after.assignee === actor) return null;
    return `${error ?? 'it said yes'}; it is ${after?.status ?? 'gone'} there${after?.assignee == null ? '' : `, assigned to ${after.assignee}`}`;
  }

  close(bead: string, actor: string, reason: string): void {
    if (this.find(bead)?.status === 'closed') return;
    const { error } = this.#ask(
      ['close', bead, '--reason', reason === '' ? 'done' : reason],
      actor,
    );
    this.#hasToBe(bead, 'closed', error);
  }

  reopen(bead: string, actor: string): void {
    const { error } = this.#ask(['update', bead, '--status', 'open', '--assignee', ''], actor);
    this.#hasToBe(bead, 'open', error);
  }

  #hasToBe(bead: string, status: TrackedBead['status'], error: string | null): void {
    const after = this.find(bead);
    if (after?.status !== status)
      throw new CoordError(
        'tracker_failed',
        `bd has ${bead} as ${after?.status ?? 'gone'}, not as ${status}${error === null ? ', though it said it did' : `: ${error}`}`,
        `bd show ${bead}`,
      );
  }
}

/** Shorter for whoever tests that a tracker that hangs is given up. */
function trackerMs(env: NodeJS.ProcessEnv): number {
  const said = Number(env['COORD_TRACKER_MS'] ?? '');
  return Number.isSafeInteger(said) && said > 0
    ? Math.min(said, limits.trackerMs)
    : limits.trackerMs;
}
