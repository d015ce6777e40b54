/** JSON of unknown origin, field by field: each reader gives the value or says that it is none. */

import { isId } from './ids.ts';
import { parseTime, type Stamp } from './instant.ts';
import type { AgentName } from './lease.ts';

export type Fields = Readonly<Record<string, unknown>>;
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

export function readTime(value: unknown): number {
  return typeof value === 'string' ? parseTime(value) : Number.NaN;
}

export function readStamp(at: unknown, clock: unknown): Stamp | null {
  const time = readTime(at);
  if (!isFields(clock) || Number.isNaN(time)) return null;
  const { domain, uptimeMs } = clock;
  return typeof domain === 'string' && isWhole(uptimeMs) ? { at: time, domain, uptimeMs } : null;
}

export function clockOf(stamp: Stamp): Fields {
  return { domain: stamp.domain, uptimeMs: stamp.uptimeMs };
}

export function readName(value: unknown): AgentName | null {
  if (!isFields(value)) return null;
  const { id, name } = value;
  return typeof id === 'string' && isId(id) && typeof name === 'string' ? { id, name } : null;
}
