/** The commands that have to have passed, as data of the repository: nothing of it is ever run. */

import type { RealWorld } from '../agent/world.ts';
import { CoordError } from '../core/errors.ts';
import { isSameRun } from '../core/evidence.ts';
import type { Oid } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import { fileAt, sizeAt } from '../git/files-at.ts';

/**
 * The commands that have to have passed, as data of the repository: `.coord.json` of the commit,
 * and of what it began from.
 */
export function requiredAt(world: RealWorld, commits: readonly Oid[]): readonly Command[] {
  const all = commits.flatMap((commit): readonly Command[] => {
    const bytes = sizeAt(world.repository, commit, '.coord.json') ?? 0;
    if (bytes > limits.gateFileBytes) {
      throw new CoordError(
        'bad_gate',
        `.coord.json of ${commit.slice(0, 12)} has ${bytes} bytes, and at most ${limits.gateFileBytes} are read`,
        'keep only what the gate requires in it',
      );
    }
    const text = fileAt(world.repository, commit, '.coord.json');
    if (text === null) return [];
    let value: { readonly gate?: { readonly require?: unknown } } | null;
    try {
      value = JSON.parse(text) as typeof value;
    } catch {
      throw new CoordError(
        'bad_gate',
        `.coord.json of ${commit.slice(0, 12)} is not JSON`,
        'write it as {"gate": {"require": ["npm test"]}}',
      );
    }
    const required = value?.gate?.require ?? [];
    const commands = Array.isArray(required) ? required.map(wordsOf) : [null];
    if (commands.includes(null))
      throw new CoordError(
        'bad_gate',
        `gate.require in .coord.json of ${commit.slice(0, 12)} is not a list of commands`,
        'write a command as "npm test", or as words: ["sh", "-c", "npm test && npm run lint"]',
      );
    return commands.filter((command) => command !== null);
  });
  return all.filter(
    (command, i) => all.findIndex((other) => isSameRun(atTop(command), atTop(other))) === i,
  );
}

/**
 * Plain words with spaces between them; whatever a shell would read otherwise is written as a list.
 */
function wordsOf(command: unknown): Command | null {
  if (Array.isArray(command))
    return command.length > 0 && command.every((word): word is string => typeof word === 'string')
      ? command
      : null;
  if (typeof command !== 'string' || /["'\\$`;|&<>]/.test(command)) return null;
  const words = command.split(/\s+/).filter((word) => word !== '');
  return words.length === 0 ? null : words;
}

export function atTop(command: Command): { readonly command: Command; readonly folder: string } {
  return { command, folder: '' };
}

export type Command = readonly string[];
