/**
 * Why an edit or a command is refused, as its model reads it: which file, whose it is and since
 * when, and one next step. Short, because it is paid for each time.
 */
import { showAgent } from '../core/agent.ts';
import { few } from '../core/counted.ts';
import type { DecisionContext } from '../core/decide/decision.ts';
import { harmless, shorten } from '../core/harmless.ts';
import { formatDuration } from '../core/instant.ts';
import { type AgentName, describe, type Lease, type Wait } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import { collide } from '../core/overlap.ts';
import { literal, pathOf } from '../core/pattern.ts';
import { shellLine } from '../core/shell-line.ts';
import type { State } from '../core/state.ts';
import { argumentOf } from '../git/paths.ts';
import type { Repository } from '../git/repository.ts';
import { otherOccupants } from '../guard/occupied.ts';
import type { Removal } from '../guard/removal.ts';
import { heldBy } from '../render/lines.ts';

/** Where its model stands: commands are said as they are to be typed there. */
interface Place {
  readonly repository: Repository;
  readonly cwd: string;
  readonly state: State;
  readonly c: DecisionContext;
}

/** A path is named in full by the command that follows; before that its ends will do. */
const pathChars = 60;
/** Of a reason, and of a folder or a pattern, that is worth its place. */
const reasonChars = 12;
const extentChars = 30;

function shown(key: string): string {
  return shorten(harmless(pathOf(key) ?? key), pathChars);
}

/** Two lines; what the holder does and with what else is told where there is room for it. */
function denial(what: string, next: string, lease?: Lease): string {
  const [head, tail] = [`coord: ${what}`, `.\nNext: ${next}`];
  const left = limits.denialChars - head.length - tail.length - ', for: '.length;
  const reason = lease?.reason ?? '';
  return reason === '' || left < Math.min(reason.length, reasonChars)
    ? `${head}${tail}`
    : `${head}, for: ${shorten(harmless(reason), left)}${tail}`;
}

/** A command for as many of these as a denial has room for, one at least. */
function lineFor(
  { repository, cwd }: Place,
  words: readonly string[],
  keys: readonly string[],
  room: number,
): string {
  const named = keys.map((key) => argumentOf({ repository, cwd }, key));
  for (let count = named.length; count > 1; count -= 1) {
    const line = shellLine(...words, '--', ...named.slice(0, count));
    if (line.length <= room) return line;
  }
  return shellLine(...words, '--', ...named.slice(0, 1));
}

function waitFor(place: Place, keys: readonly string[], what: string): string {
  const room = limits.denialChars - what.length - 'coord: .\nNext: '.length;
  return lineFor(place, ['coord', 'reserve', '--wait', '2m'], keys, room);
}

/** `, and 2 more`, or nothing. */
function more(count: number, what: string): string {
  return count === 0 ? '' : `, and ${count} more ${what}${count === 1 ? '' : 's'}`;
}

/** Those of the keys that somebody's patterns are in the way of. */
function concerned(
  keys: readonly string[],
  patterns: readonly string[],
  { c }: Place,
): readonly string[] {
  return keys.filter((key) => patterns.some((held) => collide(held, key, c.folding)));
}

function patternsOf(one: Lease | Wait): readonly string[] {
  return one.kind === 'reservation' ? one.patterns : [];
}

/** Files that others hold, or that others wait for in front of it. */
export function deniedFiles(
  place: Place,
  keys: readonly string[],
  blockers: readonly Lease[],
  ahead: readonly Wait[] = [],
): string {
  const inTheWay = concerned(keys, [...blockers, ...ahead].flatMap(patternsOf), place);
  const [first = keys[0] ?? ''] = inTheWay;
  const lease = blockers.find((one) => concerned([first], patternsOf(one), place).length > 0);
  const [wait] = ahead;
  const others =
    inTheWay.length > 1
      ? more(inTheWay.length - 1, 'file')
      : more(othersIn(blockers, lease), 'holder');
  const what =
    lease !== undefined
      ? `${shown(first)} is ${heldBy(lease, place.state, place.c)}${extent(lease, first)}${others}${ahead.length === 0 ? '' : `; ${ahead.length} in line before you`}`
      : wait !== undefined
        ? `${shown(first)} is free soon, but ${showAgent(wait.agent)} asked first and waits for ${formatDuration(place.c.now.at - wait.started.at)}${more(ahead.length - 1, 'agent')}`
        : `${shown(first)} is held by somebody else`;
  const next = waitFor(place, inTheWay.length === 0 ? keys : inTheWay, what);
  return denial(what, next, others === '' ? lease : undefined);
}

/** Lines of a file that the edit would touch, or stand beside; the file itself is shared. */
export function deniedLines(
  place: Place,
  path: string,
  ranges: readonly { readonly owner: string; readonly first: number; readonly last: number }[],
): string {
  const { state, c } = place;
  const [first] = ranges;
  const at = ranges
    .slice(0, mostRanges)
    .map(({ first: from, last }) => (from === last ? `${from}` : `${from}-${last}`));
  const agent = state.agents.get(first?.owner ?? '');
  const lease = [...state.leases.values()].find(
    (one) =>
      one.kind === 'reservation' &&
      one.agent.id === first?.owner &&
      one.patterns.some((held) => collide(held, literal(path), c.folding)),
  );
  const owners = new Set(ranges.map(({ owner }) => owner)).size;
  const what = `${shown(literal(path))} is shared, and this edit touches lines ${at.join(', ')}${more(ranges.length - at.length, 'range')}, which ${agent === undefined ? 'somebody unknown' : showAgent(agent)} has changed, or is about to, and not committed${more(owners - 1, 'agent')}. Other lines are free`;
  return denial(what, waitFor(place, [literal(path)], what), lease);
}

const mostRanges = 4;

/** How it is held, where that is not the file for itself. */
function extent(lease: Lease, key: string): string {
  if (lease.mode !== 'exclusive') return lease.mode === 'lines' ? ', lines of it' : ', shared';
  const whole = describe(lease);
  return whole === key || whole.length > extentChars || whole.includes(' ') ? '' : `, as ${whole}`;
}

function othersIn(leases: readonly Lease[], shown: Lease | undefined): number {
  const ids = new Set(leases.map(({ agent }) => agent.id));
  return shown === undefined ? 0 : ids.size - 1;
}

/** Free, but to be reserved before it is edited. */
export function deniedUnreserved(place: Place, keys: readonly string[]): string {
  const [first = ''] = keys;
  const what = `reserve ${shown(first)} before you edit it${more(keys.length - 1, 'file')} (coord.edit=require)`;
  const room = limits.denialChars - what.length - 'coord: .\nNext: '.length;
  return denial(what, lineFor(place, ['coord', 'reserve'], keys, room));
}

/** Refused for another reason than what others hold. */
export function deniedFor(keys: readonly string[], why: string, next: string): string {
  const [first = ''] = keys;
  return denial(`no edit of ${shown(first)}${more(keys.length - 1, 'file')}: ${why}`, next);
}

export function deniedPutAway(keys: readonly string[], tool: string): string {
  const why = `${tool} has put away what is not staged, until the hooks of a commit here have ended`;
  return deniedFor(keys, why, 'make the edit again in a minute');
}

/** What does the same to files that are named, for commands that take all there are. */
const narrower: Readonly<Record<string, readonly string[]>> = {
  stash: ['stash', 'push'],
  clean: ['clean', '-f'],
  commit: ['commit', '-m', '<message>'],
  reset: ['restore'],
  restore: ['restore'],
  checkout: ['restore'],
};

/** Uncommitted work of others that a command would take away or along. */
export function deniedWiping(
  verb: string,
  unsaved: readonly { readonly path: string; readonly agent: AgentName }[],
  ageMs: number | null,
): string {
  const [first] = unsaved;
  const form = narrower[verb];
  const age = ageMs === null ? '' : `, changed ${formatDuration(ageMs)} ago`;
  const paths = new Set(unsaved.map(({ path }) => path)).size;
  return denial(
    `this would wipe or take along uncommitted work of others: ${first === undefined ? '' : `${shorten(harmless(first.path), pathChars)} of ${showAgent(first.agent)}`}${age}${more(paths - 1, 'file')}. Name your own files`,
    form === undefined ? 'git status' : shellLine('git', ...form, '--', '<your files>'),
  );
}

/** A work tree in which somebody is stays. */
export function deniedRemoval({ tree, occupants }: Removal): string {
  const others = otherOccupants(occupants);
  const where = shorten(harmless(tree.path), pathChars);
  return denial(
    others.length === 0
      ? `your own program works in ${where}: leave it before it is removed`
      : `${where} is in use by ${few(others)}, so it stays`,
    'coord work list',
  );
}

/** Of a file that others change too git takes back all. */
export function deniedPuttingBack(
  theirs: readonly { readonly path: string; readonly agent: AgentName }[],
  next: string,
): string {
  const [first] = theirs;
  const whose = first === undefined ? '' : ` of ${showAgent(first.agent)}`;
  return denial(
    `this would also take back uncommitted lines${whose}. Take back only your own`,
    next,
  );
}

/** A command that the team runs one at a time. */
export function deniedUnlocked(words: readonly string[], lock: string): string {
  return denial(
    `this is run under the lock ${lock} here, one at a time (coord.presets)`,
    shellLine('coord', 'run', '--', ...words),
  );
}

/** Afterwards: files of others that are not as they were. */
export function changedOthers(
  place: Place,
  changed: readonly { readonly path: string; readonly lease: Lease }[],
  savedId: string | null,
  isCertain: boolean,
): string {
  const [first] = changed;
  if (first === undefined) return '';
  const next =
    savedId === null
      ? shellLine('git', 'diff', '--', argumentOf(place, first.path))
      : shellLine('coord', 'rescue', 'diff', savedId);
  const path = shorten(harmless(first.path), pathChars);
  const rest = `${heldBy(first.lease, place.state, place.c)}${more(changed.length - 1, 'file')}`;
  return denial(
    isCertain
      ? `your command changed ${path}, ${rest}. Undo it unless meant; the holder is told`
      : `while your command ran, ${path} changed, ${rest}. Who changed it is not known`,
    next,
  );
}
