/**
 * Commands that are run one at a time, by a lock that a team has named for them: `test=npm test,
 * pytest; install!=npm ci`. With `!` nobody stands in line for it, with `@checkout` each checkout
 * has its own.
 */
import { CoordError } from './errors.ts';

export interface Preset {
  readonly lock: string;
  readonly waits: boolean;
  readonly scope: 'repository' | 'checkout';
  /** The words that a command begins with, one of these. */
  readonly commands: readonly (readonly string[])[];
}

export function presetsIn(said: string): readonly Preset[] {
  return said
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const [, lock, hurry, checkout, list] =
        /^([A-Za-z0-9][A-Za-z0-9._:-]{0,40})(!?)(@checkout)?\s*=(.+)$/.exec(part) ?? [];
      const commands = (list ?? '')
        .split(',')
        .map((command) =>
          command
            .trim()
            .split(/\s+/)
            .filter((word) => word !== ''),
        )
        .filter((words) => words.length > 0);
      if (lock === undefined || commands.length === 0)
        throw new CoordError(
          'bad_setting',
          `invalid value '${part}' for coord.presets`,
          'git config coord.presets "test=npm test, pytest; install!=npm ci"',
        );
      return {
        lock,
        waits: hurry === '',
        scope: checkout === undefined ? 'repository' : 'checkout',
        commands,
      };
    });
}

/** The preset that a command falls under, if any. */
export function presetFor(words: readonly string[], presets: readonly Preset[]): Preset | null {
  return (
    presets.find(({ commands }) =>
      commands.some((begin) => begin.every((word, i) => word === words[i])),
    ) ?? null
  );
}
