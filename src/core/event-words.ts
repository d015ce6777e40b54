/** What each event is in words; each begins with who did it. */

import { showAgent } from './agent.ts';
import { counted } from './counted.ts';

import { type Event, type EventName, isAgentName } from './event.ts';
import { harmless } from './harmless.ts';

interface EventWords {
  readonly who: string;
  readonly what: string;
  /** Who did it, where that is somebody else. */
  readonly by: string;
  readonly event: Event;
}

/** What each event is in words; each begins with who did it. */
const wordsFor: Readonly<Record<EventName, (told: EventWords) => string>> = {
  started: ({ who }) => `${who} started`,
  adopted: ({ who }) => `${who} moved to another session`,
  ended: ({ who }) => `${who} ended`,
  acquired: ({ who, what, event: { kind } }) =>
    `${who} ${kind === 'claim' ? 'claimed' : kind === 'lock' ? 'took' : 'reserved'} ${what}`,
  renewed: ({ who, what }) => `${who} renewed ${what}`,
  released: ({ who, what }) => `${who} released ${what}`,
  expired: ({ who, what }) => `the lease of ${what} that ${who} held expired`,
  transferred: ({ who, what, by }) => `${by === '' ? 'somebody' : by} gave ${what} to ${who}`,
  broken: ({ who, what, by }) =>
    `${by === '' ? 'somebody' : by} broke the lease of ${what} that ${who} held`,
  waiting: ({ who, what }) => `${who} waits for ${what}`,
  'wait-ended': ({ who, what }) => `${who} stopped waiting for ${what}`,
  conflict: ({ who, what }) => `${who} was refused ${what}`,
  tally: ({ who }) => `${who} checked what is held`,
  committed: ({ who, what }) => `${who} committed ${what}`,
  blocked: ({ who, what, event: { command } }) =>
    typeof command === 'string'
      ? `${who} was refused '${harmless(command)}'${what === '' ? '' : ` for ${what}`}`
      : `${who} was not allowed to commit ${what}`,
  overridden: ({ who, what, event: { holders } }) =>
    `${who} overrode ${holdersIn(holders)} on ${what}`,
  overwritten: ({ who, what, by, event: { commit, known, undone } }) =>
    typeof undone === 'string'
      ? `a command of ${by} took out of ${what} what ${who} committed in ${undone.slice(0, 10)}`
      : typeof commit === 'string'
        ? `${by} left commit ${commit.slice(0, 10)} of ${who} on no branch`
        : known === false
          ? `${what}, which ${who} holds, changed while a command of ${by} ran`
          : `a command of ${by} changed ${what}, which ${who} holds`,
  done: ({ who, what }) => `${who} finished ${what}`,
  failed: ({ who, what }) => `${who} gave up ${what}`,
  reopened: ({ who, what }) => `${who} reopened ${what}`,
  gated: ({ who, what }) => `${who} asked the gate about ${what}`,
  asked: ({ who, what, by }) => `${by === '' ? 'somebody' : by} asked ${who} for ${what}`,
  answered: ({ who, what, by }) => `${by === '' ? 'somebody' : by} answered ${who} about ${what}`,
  'request-closed': ({ who, what }) => `the request of ${who} for ${what} is over`,
  taken: ({ who, what, by }) =>
    `${by === '' ? 'somebody' : by} took ${what} over from ${who}, who had stalled`,
  compacted: ({ who }) => `${who} gave the log a new root`,
  repaired: ({ who }) => `${who} repaired the log`,
  raised: ({ who, event: { to } }) =>
    `${who} raised the log to format ${typeof to === 'number' ? to : 'unknown'}`,
  moved: ({ who }) => `${who} moved the log`,
  landed: ({ who, what }) => `${who} landed ${what}`,
};
function holdersIn(holders: unknown): string {
  const names = Array.isArray(holders)
    ? holders.flatMap((one: unknown) => (isAgentName(one) ? `${one.name}'s lease` : []))
    : [];
  return names.length === 0 ? 'the guard' : names.join(' and ');
}

/** An event of a newer coord: its name is all there is to say. */
function wordsOfLater({ who, what, event }: EventWords): string {
  return `${who} ${event.event} ${what}`;
}

function isKnown(name: string): name is EventName {
  return Object.hasOwn(wordsFor, name);
}

/** `target` is what an event is about, in words: patterns, bead or name. */
export function targetOf(event: Event): string {
  const patterns = event['patterns'] ?? event['paths'];
  if (Array.isArray(patterns) && patterns.length > 0)
    return `${event['mode'] === 'lines' ? 'lines of ' : ''}${harmless(shownOf(patterns))}`;
  if (typeof event['bead'] === 'string') return `bead ${event['bead']}`;
  if (typeof event['name'] === 'string') return `lock ${event['name']}`;
  const leases = event['leases'];
  return Array.isArray(leases) ? counted(leases.length, 'lease') : '';
}

const mostTargets = 8;
function shownOf(names: readonly unknown[]): string {
  const rest = names.length - mostTargets;
  return `${names.slice(0, mostTargets).join(' ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

export function sentence(event: Event): string {
  const by = event.by === undefined ? '' : showAgent(event.by);
  const words = isKnown(event.event) ? wordsFor[event.event] : wordsOfLater;
  return harmless(words({ who: showAgent(event.agent), what: targetOf(event), by, event }).trim());
}
