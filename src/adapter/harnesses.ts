/** The harnesses that coord plugs into, by the name that stands in their configuration. */
import { CoordError } from '../core/errors.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { cursor } from './cursor.ts';
import { gemini } from './gemini.ts';
import type { Harness } from './harness.ts';
import { kilo } from './kilo.ts';
import { opencode } from './opencode.ts';
import { qwen } from './qwen.ts';

// Whoever is made of another, and may have its variables too, comes before it.
export const harnesses: readonly Harness[] = [
  claude,
  codex,
  qwen,
  gemini,
  cursor,
  kilo,
  opencode,
  copilot,
];

export function harnessNamed(name: string): Harness {
  const harness = harnesses.find((candidate) => candidate.name === name);
  if (harness === undefined)
    throw new CoordError(
      'usage',
      `there is no harness '${name}'`,
      `choose from ${harnesses.map((known) => known.name).join(', ')}`,
    );
  return harness;
}
