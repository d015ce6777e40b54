/** What an agent that failed at a bead, or left it, wants the next one to know. */

import { showAgent } from '../core/agent.ts';
import type { BeadRecord } from '../core/bead.ts';
import { counted } from '../core/counted.ts';

/** What the last one left, for whoever is next. */
export function noteLines(record: BeadRecord | undefined): readonly string[] {
  if (record?.note == null) return [];
  const { by, reason, cause, tail, log, commit, held, next } = record.note;
  return [
    `${record.id} ${record.failures === 0 ? 'was begun' : `has failed ${counted(record.failures, 'time')}, last`} by ${showAgent(by)}${cause === '' ? '' : ` (${cause})`}: ${reason === '' ? 'no reason was given' : reason}`,
    ...(next === '' ? [] : [`  try next: ${next}`]),
    ...(commit === null ? [] : [`  its commit: ${commit.slice(0, 12)}`]),
    ...(held.length === 0 ? [] : [`  it held: ${held.join(', ')}`]),
    ...(log === '' ? [] : [`  its log: ${log}`]),
    ...tail
      .split('\n')
      .filter((line) => line !== '')
      .slice(-8)
      .map((line) => `  | ${line}`),
  ];
}
