/**
 * Where beads come from: `bd` where there is one, its file where there is only that, else nowhere.
 */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { RealWorld } from '../agent/world.ts';
import type { BeadRecord, ReadyBead } from '../core/bead.ts';
import { CoordError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { readRegular } from '../git/regular-file.ts';
import { BdTracker, findBd } from './bd.ts';
import { type Issue, parsed, readIssue, type TrackedBead, type Tracker } from './issue.ts';

export function trackerOf(world: RealWorld, env: NodeJS.ProcessEnv): Tracker {
  const { repository, settings } = world;
  const folder = beadsFolder(repository.top, repository.commonDir);
  if (folder === null || settings.tracker === 'none') return nowhere;
  const program = settings.tracker === 'file' ? null : findBd(env);
  if (program !== null) return new BdTracker(program, dirname(folder), env);
  return new FileTracker(join(folder, 'issues.jsonl'));
}

/** Linked work trees share the main one's. */
function beadsFolder(top: string, commonDir: string): string | null {
  const tops = [top, ...(basename(commonDir) === '.git' ? [dirname(commonDir)] : [])];
  return tops.map((place) => join(place, '.beads')).find((place) => existsSync(place)) ?? null;
}

const nowhere: Tracker = {
  kind: 'none',
  ready: () => [],
  find: () => null,
  waitsFor: () => [],
  claim: () => null,
  close: () => undefined,
  reopen: () => undefined,
};

/** Only ever read: what is done is on coord's own record. */
class FileTracker implements Tracker {
  readonly kind = 'file';
  readonly #file: string;
  #issues: ReadonlyMap<string, Issue> | null = null;

  constructor(file: string) {
    this.#file = file;
  }

  #all(): ReadonlyMap<string, Issue> {
    return (this.#issues ??= readIssues(this.#file));
  }

  ready(records: ReadonlyMap<string, BeadRecord>): readonly ReadyBead[] {
    return [...this.#all().values()].filter(
      (issue) =>
        issue.status === 'open' &&
        !this.#isOver(issue.id, records) &&
        this.waitsFor(issue, records).length === 0,
    );
  }

  waitsFor(
    { blockedBy }: TrackedBead,
    records: ReadonlyMap<string, BeadRecord>,
  ): readonly string[] {
    return blockedBy.filter((id) => !this.#isOver(id, records));
  }

  #isOver(id: string, records: ReadonlyMap<string, BeadRecord>): boolean {
    const issue = this.#all().get(id);
    return records.get(id)?.status === 'done' || issue?.status === 'closed' || issue === undefined;
  }

  find(bead: string): TrackedBead | null {
    return this.#all().get(bead) ?? null;
  }

  claim(bead: string): string | null {
    return this.find(bead)?.status === 'closed' ? 'it is closed there' : null;
  }

  close(): void {}

  reopen(): void {}
}

function readIssues(file: string): ReadonlyMap<string, Issue> {
  const content = readRegular(file, limits.trackerBytes);
  if (content.kind === 'absent') return new Map();
  if (content.kind === 'unread') {
    throw new CoordError(
      'tracker_failed',
      `the tracker '${file}' is not read: ${content.why}`,
      'put a file of issues there, or git config coord.tracker none',
    );
  }
  const issues = new Map<string, Issue>();
  let number = 0;
  for (const line of linesOf(content.bytes)) {
    number += 1;
    if (line.trim() === '') continue;
    const issue = readIssue(parsed(line));
    if (issue === null)
      throw new CoordError(
        'tracker_failed',
        `line ${number} of ${file} is not an issue`,
        'bd export writes it anew',
      );
    issues.set(issue.id, issue);
  }
  return issues;
}

/** One at a time, so that a large file is not there a second time as text. */
function* linesOf(bytes: Buffer): Generator<string> {
  for (let at = 0; at <= bytes.length; ) {
    const end = bytes.indexOf(0x0a, at);
    const to = end < 0 ? bytes.length : end;
    yield bytes.toString('utf8', at, to);
    at = to + 1;
  }
}
