/** Why a whole file may not be written yet, as its model reads it: who changed what, and what to do. */
import { childName, knownSession } from '../agent/harness-session.ts';
import type { RealWorld } from '../agent/world.ts';
import { showAgent } from '../core/agent.ts';
import { counted } from '../core/counted.ts';
import { harmless, shorten } from '../core/harmless.ts';
import { formatDuration } from '../core/instant.ts';
import type { Loss } from '../core/kept-lines.ts';
import { limits } from '../core/limits.ts';
import { shellLine } from '../core/shell-line.ts';
import type { FileVersion } from '../git/file-versions.ts';
import { wallAge } from '../git/local.ts';

/** What a whole text would do to a file. */
export interface Stale {
  readonly path: string;
  /** Null where it has never read nor written it. */
  readonly isKnown: boolean;
  readonly losses: readonly Loss[];
  /** Those that brought the change, newest first; none where what is there is in no commit. */
  readonly since: readonly FileVersion[];
  /** The session that wrote it, if it did so by a call. */
  readonly writer: string | null;
  readonly changedMs: number;
}

const pathChars = 60;
/** Of several that changed it. */
const mostNamed = 3;

export function deniedStale(world: RealWorld, stale: readonly Stale[]): string {
  const [first] = stale;
  if (first === undefined) return '';
  const path = shorten(harmless(first.path), pathChars);
  const others = stale.length - 1;
  const whose = whoseChange(world, first);
  const what = first.isKnown
    ? `${path} has changed since you read or wrote it, ${whose}. Your text takes that back`
    : `you have not read ${path} with a tool, and it is not what you are about to write; it was changed ${whose}`;
  return [
    `coord: ${what}${others === 0 ? '' : `; ${counted(others, 'more file')} likewise`}:`,
    ...shown(first.losses),
    `Next: keep these lines in your text, unless they are to go, and write it again: you have read them now`,
  ].join('\n');
}

/** Two of a family may write one file, but not at once. */
export function deniedWhileWriting(world: RealWorld, key: string, session: string): string {
  const name = writerName(world, session) ?? 'another session';
  return `coord: ${shorten(harmless(key), pathChars)} is being written by ${name} right now.\nNext: read it again in a moment, then write`;
}

/** Afterwards: a file lacks what others have committed since its writer had read it. */
export function lacking({ path, since, losses }: Pick<Stale, 'path' | 'since' | 'losses'>): string {
  const [newest] = since;
  if (newest === undefined) return '';
  return [
    `coord: ${shorten(harmless(path), pathChars)} was written from what stood there before ${byWhom(since, newest)}. It lacks that now; it is kept in that commit, and who committed it is told:`,
    ...shown(losses),
    `Next: ${shellLine('git', 'diff', 'HEAD', '--', path)}`,
  ].join('\n');
}

/** `ann (k9pnemh0) in 1a2b3c4 3m ago`. */
function byWhom(since: readonly FileVersion[], newest: FileVersion): string {
  const authors = [...new Set(since.map(({ commit }) => author(commit)))];
  const rest = authors.length - mostNamed;
  const named = `${authors.slice(0, mostNamed).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
  return `${named} in ${newest.commit.oid.slice(0, 10)} ${ago(newest.commit.committedAt)}`;
}

/** `by ann (k9pnemh0) in 1a2b3c4 3m ago`, or that it is not known. */
function whoseChange(world: RealWorld, { since, writer, changedMs }: Stale): string {
  const [newest] = since;
  if (newest !== undefined) return `by ${byWhom(since, newest)}`;
  const name = writer === null ? null : writerName(world, writer);
  return `${name === null ? 'not known by whom' : `by ${name}`}, ${ago(changedMs)}`;
}

function ago(atMs: number): string {
  return `${formatDuration(wallAge(atMs))} ago`;
}

function author({ agent, origin }: FileVersion['commit']): string {
  return harmless(agent ?? origin.replace(/ <[^>]*> \d+$/, ''));
}

/** By what its notes are called. */
function writerName({ repository }: RealWorld, file: string): string | null {
  const [harness = '', session = '', subagent] = file.split('+');
  const known = knownSession(repository.commonDir, { harness, session, subagent: null });
  if (known === null) return null;
  return subagent === undefined
    ? showAgent({ id: known.agentId, name: known.name })
    : childName(known.name, subagent);
}

/** Tabs are as harmless as they are frequent. */
function readable(line: string): string {
  return line.split('\t').map(harmless).join('\t');
}

/** As a diff from what is there to what would be there, as far as there is room. */
function shown(losses: readonly Loss[]): readonly string[] {
  const lines: string[] = [];
  let [left, last, count] = [limits.staleChars, Number.NaN, 0];
  for (const { kind, at, text } of losses) {
    const line = `${kind === 'lost' ? '-' : '+'}${shorten(readable(text), limits.staleLineChars)}`;
    const head = at === last || at === last + 1 ? [] : [`@@ line ${at}`];
    left -= [...head, line].reduce((sum, one) => sum + Buffer.byteLength(one) + 1, 0);
    if (left < 0 || count === limits.staleLines) break;
    lines.push(...head, line);
    last = at;
    count += 1;
  }
  const rest = losses.length - count;
  return rest === 0 ? lines : [...lines, `... and ${counted(rest, 'more line')}`];
}
