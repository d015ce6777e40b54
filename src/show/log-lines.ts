/** One event of the log, as the object that programs read and the line that people read. */
import { sentence, type Entry, type Event } from '../core/event.ts';
import { formatTime } from '../core/instant.ts';

export function eventFacts(entry: Entry, event: Event): Readonly<Record<string, unknown>> {
  return { seq: entry.seq, at: formatTime(entry.at), ...event, ...(typeof event['at'] === 'string' ? { at: event['at'] } : {}) };
}

export function eventLine(entry: Entry, event: Event): string {
  const extra = [
    typeof event['reason'] === 'string' && event['reason'] !== '' ? `- ${event['reason']}` : '',
    typeof event['waitedMs'] === 'number' ? `(waited ${Math.round(event['waitedMs'] / 1_000)}s)` : '',
    typeof event['exit'] === 'number' ? `(exit ${event['exit']})` : '',
  ].filter((part) => part !== '').join(' ');
  return `${String(entry.seq).padStart(6)}  ${formatTime(entry.at).replace('T', ' ').slice(0, 19)}  ${sentence(event)}${extra === '' ? '' : ` ${extra}`}`;
}
