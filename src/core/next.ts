/**
 * The command that makes sense now, one function for each situation. Whoever prints one has looked
 * it up here: each can be followed to the letter, by the agent that it was said to, and loses
 * nobody's work. What only its reader can know stands in angle brackets.
 */
import { limits } from './limits.ts';
import type { BlockingLeases, Cap, Deadlock, Refusal } from './refusal.ts';
import { shellLine } from './shell-line.ts';

/** Who asked for what, and how. */
export interface Asked {
  /**
   * What was refused, as words that may be said again; none where it was not asked for by a
   * command.
   */
  readonly again: readonly string[];
  /** Flags that say who acts and where, as they were given: another command needs them too. */
  readonly self: readonly string[];
  /** There are other beads to be had. */
  readonly hasTracker?: boolean;
  /** Nobody is left in the session that has the name, so that it may be taken over by name. */
  readonly mayTakeOver?: boolean;
}

export const nobodyAsked: Asked = { again: [], self: [] };

/** A line of this many paths is still read. */
const mostPaths = 16;

function say({ self }: Asked, ...words: readonly string[]): string {
  return shellLine('coord', ...words, ...self);
}

function again({ again: words }: Asked): string {
  return shellLine('coord', ...words);
}

export function afterRefusal(refusal: Refusal, asked: Asked): string {
  switch (refusal.kind) {
    case 'held':
    case 'grace':
    case 'timeout':
      return afterHeld(refusal, asked);
    case 'deadlock':
      return afterDeadlock(refusal, asked);
    case 'cap':
      return afterCap(refusal, asked);
    case 'uncommitted':
      return commitFirst(refusal.paths, say(asked, 'release', '--unchanged'));
    case 'live_leases':
      return shellLine('coord', ...asked.again, '--move');
    case 'no_such_agent':
    case 'wrong_token':
      return 'coord session list';
    case 'not_your_session':
    case 'name_taken':
      return asked.mayTakeOver === true
        ? `eval "$(${shellLine('coord', 'session', 'start', refusal.agent.name, '--force', '--shell')})"`
        : shellLine('coord', 'session', 'adopt', '--token', '<token>');
    case 'no_such_request':
      return say(asked, 'inbox');
    case 'bead_done':
      return say(asked, 'claim', refusal.bead, '--again');
    case 'bead_parked':
    case 'nothing_ready':
      return say(asked, 'next');
    case 'tracker':
      return refusal.tracker === 'bd' ? shellLine('bd', 'show', refusal.bead) : say(asked, 'next');
    case 'too_early':
      return askHolder(refusal.leases[0], asked);
    case 'nothing_matched':
    case 'not_owner':
    case 'expired':
    case 'no_such_lease':
    case 'lease_changed':
    case 'own_lease':
      return say(asked, 'status');
  }
}

/**
 * Paths and locks are free soon, and lines of a path can be had at once; a unit of work is not, so
 * there it is another one, or its holder is asked.
 */
function afterHeld({ blockers, retryInMs, lines }: BlockingLeases, asked: Asked): string {
  const [verb, ...rest] = asked.again;
  if (verb === undefined) return say(asked, 'status');
  if (lines === true && verb === 'reserve') return shellLine('coord', verb, '--lines', ...rest);
  const claim = blockers.find(({ kind }) => kind === 'claim');
  if (claim === undefined || retryInMs <= limits.worthWaitingMs) return again(asked);
  return asked.hasTracker === true ? say(asked, 'claim', '--next') : askHolder(claim, asked);
}

/**
 * A circle ends where somebody in it holds nothing any more that is waited for. Paths without
 * uncommitted changes can be given up at once, those with some once they are committed; of a bead
 * or a lock nobody can tell that it is not in the middle of something.
 */
function afterDeadlock({ blockers, cycle, uncommitted }: Deadlock, asked: Asked): string {
  const [verb = '', ...rest] = asked.again;
  const isOfPaths = cycle.at(-1)?.kind === 'reservation';
  if (!isOfPaths || verb === '' || uncommitted?.length === 0) return askHolder(blockers[0], asked);
  const flag = rest.includes('--yield') ? [] : ['--yield'];
  const line =
    verb === 'reserve'
      ? shellLine('coord', verb, ...flag, ...rest)
      : `${say(asked, 'release', '--unchanged')} && ${again(asked)}`;
  return uncommitted === undefined ? line : commitFirst(uncommitted, line);
}

/** What really makes room: something of one's own that ends. */
function afterCap({ scope, own }: Cap, asked: Asked): string {
  const [stalest] = own ?? [];
  if (scope === 'claims' && stalest?.kind === 'claim') return say(asked, 'unclaim', stalest.bead);
  return scope === 'agent' ? say(asked, 'release', '--unchanged') : say(asked, 'status');
}

/** Its holder is told at its next call. */
function askHolder(lease: { readonly id: string } | undefined, asked: Asked): string {
  return lease === undefined
    ? say(asked, 'status')
    : say(asked, 'ask', lease.id, '--reason', '<why>');
}

/** Once it was asked for, and nobody has answered. */
export function afterAsked(lease: { readonly id: string }, asked: Asked): string {
  return say(asked, 'break', lease.id, '--reason', '<why>');
}

/** What is finished of these paths, and of no other, goes into a commit; then the rest. */
function commitFirst(paths: readonly string[], then: string): string {
  const named = paths.slice(0, mostPaths).map(fromTop);
  return [
    shellLine('git', 'add', '--', ...named),
    shellLine('git', 'commit', '-m', '<what it does>', '--', ...named),
    then,
  ].join(' && ');
}

/** A path from the top of the work tree, as git reads it from any folder of it. */
function fromTop(path: string): string {
  return /[*?[\]\\]/.test(path) ? `:(top,literal)${path}` : `:/${path}`;
}

/** May it be had, and how? */
export function afterCheck(
  result: 'free' | 'mine' | 'shared' | 'held',
  words: readonly string[],
): string {
  const flags = { held: ['--wait', '2m'], shared: ['--lines'], free: [], mine: [] }[result];
  return shellLine('coord', 'reserve', ...flags, ...words);
}

interface Unfinished {
  readonly commit: string;
  /** Which the commit names. */
  readonly bead: string | null;
  /** Which it should name, where that can be told. */
  readonly meant: string | null;
  /** A required command of which the evidence is missing. */
  readonly command: readonly string[] | undefined;
}

export function afterGate({ commit, bead, meant, command }: Unfinished, asked: Asked): string {
  if (command !== undefined) {
    return shellLine(
      'coord',
      'verify',
      '--at',
      commit.slice(0, 12),
      ...asked.self,
      '--',
      ...command,
    );
  }
  if (bead !== null) return say(asked, 'claim', bead);
  // The commit itself may be somebody else's, or published: another one names the bead.
  return meant === null
    ? say(asked, 'who')
    : shellLine(
        'git',
        'commit',
        '--allow-empty',
        '-m',
        `End of ${meant}`,
        '--trailer',
        `Bead: ${meant}`,
      );
}

/** A branch on a server is further than what is pushed to it. */
export function afterBehind(remote: string, ref: string): string {
  return shellLine('git', 'pull', '--rebase', remote, ref.replace(/^refs\/heads\//, ''));
}
