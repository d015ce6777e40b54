/** One event of the log, as the object that programs read and the line that people read. */

import type { Entry } from '../core/entry.ts';
import type { Event } from '../core/event.ts';
import { sentence } from '../core/event-words.ts';
import { formatTime } from '../core/instant.ts';

export function eventFacts(entry: Entry, event: Event): Readonly<Record<string, unknown>> {
  return {
    seq: entry.seq,
    at: formatTime(entry.at),
    ...event,
    ...(typeof event['at'] === 'string' ? { at: event['at'] } : {}),
  };
}

/** Not in the log yet: the next operation of anybody carries it there. */
export function noteFacts(event: Event): Readonly<Record<string, unknown>> {
  return { seq: null, ...event };
}

export function noteLine(event: Event): string {
  return line('-', String(event['at'] ?? ''), event);
}

export function eventLine(entry: Entry, event: Event): string {
  const at = typeof event['at'] === 'string' ? event['at'] : formatTime(entry.at);
  return line(String(entry.seq), at, event);
}

function line(seq: string, at: string, event: Event): string {
  const extra = [
    typeof event['reason'] === 'string' && event['reason'] !== '' ? `- ${event['reason']}` : '',
    typeof event['waitedMs'] === 'number'
      ? `(waited ${Math.round(event['waitedMs'] / 1_000)}s)`
      : '',
    typeof event['exit'] === 'number' ? `(exit ${event['exit']})` : '',
  ]
    .filter((part) => part !== '')
    .join(' ');
  return `${seq.padStart(6)}  ${at.replace('T', ' ').slice(0, 19)}  ${sentence(event)}${extra === '' ? '' : ` ${extra}`}`;
}
