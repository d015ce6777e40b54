/** The kinds of settings there are: what each takes, and how what git says is read. */
import { CoordError } from './errors.ts';
import { formatDuration, parseDuration } from './instant.ts';
import { limits } from './limits.ts';
import { matchEverything } from './overlap.ts';
import { canonical } from './pattern.ts';

export interface Setting<T> {
  /** As people write it; git takes any case. */
  readonly name: string;
  /** What holds where nothing is said. */
  readonly usual: string;
  readonly means: string;
  /** How its value is written. */
  readonly takes: string;
  /** It may be set several times: then all of it counts, with spaces between. */
  readonly isMany?: true;
  /** What stands between several in one value. */
  readonly between?: string;
  /** What bounds it beyond that. */
  readonly caps?: string;
  /** The only words it takes. */
  readonly words?: readonly string[];
  /** A user's or a machine's own: a team's file does not say it. */
  readonly isOwn?: true;
  read(said: string): T;
}

type Described = Pick<Setting<unknown>, 'name' | 'usual' | 'means' | 'isOwn'>;

/** One of a few words. */
export function choice<W extends string>(words: readonly W[], described: Described): Setting<W> {
  return {
    ...described,
    words,
    takes: words.join(', '),
    read: (said) => {
      const word = words.find((candidate) => candidate === said);
      if (word !== undefined) return word;
      throw new CoordError(
        'bad_setting',
        `invalid value '${said}' for ${described.name}`,
        `choose from ${words.join(', ')}`,
      );
    },
  };
}

/** As git reads its own; null for what it takes for neither. */
export function isTrue(said: string): boolean | null {
  if (/^(true|yes|on|-?0*[1-9]\d*)$/i.test(said)) return true;
  return /^(false|no|off|-?0+|)$/i.test(said) ? false : null;
}

export function truth(described: Described): Setting<boolean> {
  const word = choice(['true', 'false'], described);
  return { ...word, read: (said) => isTrue(said) ?? word.read(said) === 'true' };
}

/** A duration of at most a day. */
export function duration(
  leastMs: number,
  described: Described & { readonly caps?: string },
): Setting<number> {
  const most = formatDuration(limits.ttlMaxMs);
  return {
    ...described,
    takes: `a duration such as 90s, 15m or 2h, from ${formatDuration(leastMs)} to ${most}`,
    read: (said) => {
      const ms = parseDuration(said, `setting ${described.name}`);
      if (ms >= leastMs && ms <= limits.ttlMaxMs) return ms;
      throw new CoordError(
        'bad_setting',
        `setting ${described.name} is out of range`,
        `choose from ${formatDuration(leastMs)} to ${most}`,
      );
    },
  };
}

/** A whole number from 1. */
export function count(of: string, described: Described): Setting<number> {
  return {
    ...described,
    takes: 'a whole number from 1',
    read: (said) => {
      const number = Number(said);
      if (Number.isSafeInteger(number) && number >= 1) return number;
      throw new CoordError(
        'bad_setting',
        `setting ${described.name} is not a whole number of ${of}`,
        `git config ${described.name} ${described.usual}`,
      );
    },
  };
}

/** Patterns of files, which together do not match every path there is. */
export function patternsIn(name: string, said: string): readonly string[] {
  const patterns = said.split(/\s+/).filter((word) => word !== '');
  const known = patterns.map(canonical);
  if (!matchEverything(known)) return known;
  throw new CoordError(
    'bad_setting',
    `setting ${name} would match every file`,
    `git config --unset-all ${name}`,
  );
}

/** Patterns that stay inside the repository. */
export function insideIn(name: string): (said: string) => readonly string[] {
  return (said) =>
    said
      .split(/\s+/)
      .filter((word) => word !== '')
      .map((word) => {
        if (!word.startsWith('/') && !word.split('/').includes('..')) return canonical(word);
        throw new CoordError(
          'bad_setting',
          `'${word}' in ${name} leads out of the repository`,
          `git config ${name} <pattern inside the repository>`,
        );
      });
}

export function wordsIn(said: string): readonly string[] {
  return said.split(/[\s,]+/).filter((word) => word !== '');
}

/**
 * `mcp__fs__write_file=path, mcp__fs__move=source`: tools that edit, each with the field that has
 * the path.
 */
export function toolsIn(said: string): ReadonlyMap<string, string> {
  return new Map(
    wordsIn(said).map((word) => {
      const [, tool, field] = /^([A-Za-z0-9_.-]+)=([A-Za-z0-9_]+)$/.exec(word) ?? [];
      if (tool !== undefined && field !== undefined) return [tool, field] as const;
      throw new CoordError(
        'bad_setting',
        `invalid value '${word}' for coord.editTools`,
        'git config coord.editTools "mcp__fs__write_file=path"',
      );
    }),
  );
}
