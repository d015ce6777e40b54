/** Sentences for people: why something was refused, what was answered, how many there are. */
import { showAgent } from '../core/agent.ts';
import { counted, few } from '../core/counted.ts';
import { formatDuration } from '../core/instant.ts';
import { describe, describeHeld, type Lease, type Wait } from '../core/lease.ts';
import type { Cap, Refusal } from '../core/refusal.ts';

export function waitingWords(refusal: Refusal): string {
  const held =
    'blockers' in refusal
      ? refusal.blockers.map((lease) => `${describe(lease)} of ${showAgent(lease.agent)}`)
      : [];
  const ahead = 'ahead' in refusal ? refusal.ahead.length : 0;
  const inLine = ahead > 0 ? [`${ahead} in line before you`] : [];
  return `waiting for ${[...held, ...inLine].join(', ')}`;
}

export function refusalWords(refusal: Refusal): string {
  switch (refusal.kind) {
    case 'held':
      return `${refusal.sequential === true ? 'one claim stands at a time here (coord.mode sequential): ' : ''}${heldWords(refusal.blockers, refusal.ahead)}${refusal.lines === true ? '; with --lines you can have lines of it too' : ''}`;
    case 'grace':
      return `expired; for ${formatDuration(refusal.retryInMs)} only ${refusal.blockers.map(({ agent }) => agent.name)[0] ?? 'its former holder'} can renew it`;
    case 'timeout':
      return 'it did not become free in time';
    case 'deadlock':
      return deadlockWords(refusal.uncommitted);
    case 'cap':
      return capWords(refusal);
    case 'nothing_matched':
      return refusal.named.join() === 'any lease'
        ? 'you hold no leases'
        : `you hold no lease of ${refusal.named.join(', ')}`;
    case 'uncommitted':
      return `all that you hold of files has uncommitted changes: ${few(refusal.paths)}`;
    case 'not_owner':
      return 'it is not yours';
    case 'expired':
      return 'it has expired, and an expired lease does not come back';
    case 'live_leases':
      return 'the log cannot change places while these are held, unless they go along';
    case 'no_such_agent':
      return `no agent is called ${refusal.named}`;
    case 'no_such_lease':
      return `no lease has the id ${refusal.named}`;
    case 'not_your_session':
      return `${showAgent(refusal.agent)} belongs to another session`;
    case 'name_taken':
      return `${showAgent(refusal.agent)} already has a session`;
    case 'wrong_token':
      return 'no session has this token';
    case 'lease_changed':
      return `what was asked for is not held any more as it was then (lease ${refusal.named})`;
    case 'no_such_request':
      return `nobody has asked you for ${refusal.named}`;
    case 'own_lease':
      return 'it is your own';
    case 'bead_done':
      return `bead ${refusal.bead} is done, by ${showAgent(refusal.by)}`;
    case 'bead_parked':
      return `bead ${refusal.bead} has failed ${refusal.failures} times and waits for a person`;
    case 'tracker':
      return `the tracker (${refusal.tracker}) does not give ${refusal.bead}: ${refusal.said}`;
    case 'nothing_ready':
      return 'no bead is ready that nobody works on';
    case 'too_early':
      return `${refusal.leases.map(({ agent }) => agent.name)[0] ?? 'its holder'} is active; you can break this lease in ${formatDuration(refusal.retryInMs)}, or sooner if a request for it is not answered`;
  }
}

/** Whose it is, in the first words that are read. */
function heldWords(blockers: readonly Lease[], ahead: readonly Wait[]): string {
  const [first, ...others] = blockers;
  if (first === undefined)
    return `${ahead[0]?.agent.name ?? 'somebody else'} asked first and waits`;
  const more =
    others.length === 0 ? '' : `, and ${counted(others.length, 'other lease')} in the way`;
  const what = first.mode === 'lines' ? `${describeHeld(first)} are` : `${describe(first)} is`;
  return `${what} held by ${first.agent.name}${more}`;
}

function capWords({ scope, limit }: Cap): string {
  return {
    agent: `an agent holds at most ${counted(limit, 'lease')}`,
    all: `all agents together hold at most ${counted(limit, 'lease')}`,
    patterns: `a lease has at most ${counted(limit, 'pattern')}`,
    waits: `at most ${counted(limit, 'request')} may wait`,
    claims: `an agent works on at most ${counted(limit, 'bead')}; finish one, or give one back`,
    requests: `an agent asks for at most ${counted(limit, 'lease')} at a time`,
  }[scope];
}

function deadlockWords(uncommitted: readonly string[] | undefined): string {
  const why = 'waiting for it would never end, because its holder waits for you';
  if (uncommitted === undefined) {
    return `${why}; give up what you hold unchanged, and ask for all you need at once`;
  }
  if (uncommitted.length === 0) return why;
  return `${why}, and what you hold has uncommitted changes: ${few(uncommitted)}`;
}

export function answerWords(
  verdict: 'accept' | 'decline' | 'defer',
  what: string,
  to: string,
  etaMs: number,
): string {
  switch (verdict) {
    case 'accept':
      return `gave ${what} to ${to}`;
    case 'decline':
      return `declined to give ${what} to ${to}`;
    case 'defer':
      return `asked ${to} to wait ${formatDuration(etaMs)} for ${what}`;
  }
}
