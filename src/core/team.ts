/**
 * What a team has agreed on, as `.coord.json` at the top of its repository says it. It is data:
 * nothing in it runs a command or lets a failure pass, and what git config says goes before it.
 */
import { closest } from './closest.ts';
import { CoordError } from './errors.ts';
import type { Setting } from './setting.ts';
import { settingByKey } from './settings.ts';

export const teamFile = '.coord.json';

interface TeamProblem {
  /** As it stands in the file; null for all of it. */
  readonly key: string | null;
  readonly says: string;
  readonly next: string;
}

export interface Team {
  /** As git config would have them, by key in lower case. */
  readonly settings: ReadonlyMap<string, string>;
  /** The remote that has the log, by the name that git has for it in each clone. */
  readonly remote: string | null;
  /** What stands in it and does not count. */
  readonly problems: readonly TeamProblem[];
}

/** Read elsewhere, or by other programs. */
const others: readonly string[] = ['$schema', 'gate', 'remote'];

/** `editMode` of the file is `coord.editMode`. */
export function teamKey({ name }: Pick<Setting<unknown>, 'name'>): string {
  return name.slice('coord.'.length);
}

export const teamSettings: readonly Setting<unknown>[] = [...settingByKey.values()].filter(
  ({ isOwn }) => isOwn !== true,
);

export function teamFrom(text: string): Team {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (error) {
    return broken(error instanceof Error ? error.message : String(error));
  }
  if (typeof file !== 'object' || file === null || Array.isArray(file))
    return broken('it is no object');
  const settings = new Map<string, string>();
  const problems: TeamProblem[] = [];
  let remote: string | null = null;
  for (const [key, value] of Object.entries(file)) {
    if (key === 'remote' && typeof value === 'string' && /^[\w.][\w./-]*$/.test(value))
      remote = value;
    else if (key === 'remote')
      problems.push({ key, says: 'it is no name of a remote', next: '"remote": "origin"' });
    if (others.includes(key)) continue;
    const read = readSetting(key, value);
    if ('says' in read) problems.push({ key, ...read });
    else settings.set(read.key, read.text);
  }
  return { settings, remote, problems };
}

function broken(why: string): Team {
  const next = 'write it as {"ttl": "20m"}';
  return {
    settings: new Map(),
    remote: null,
    problems: [{ key: null, says: `it is not JSON: ${why}`, next }],
  };
}

type Read = { readonly key: string; readonly text: string } | Omit<TeamProblem, 'key'>;

function readSetting(key: string, value: unknown): Read {
  const wanted = key.toLowerCase().replace(/^coord\./, '');
  const setting = settingByKey.get(`coord.${wanted}`);
  if (setting === undefined) {
    const near = closest(key, [...others, ...teamSettings.map(teamKey)]);
    return {
      says: 'there is no such setting',
      next: near === null ? 'coord config lists them' : `did you mean: ${near}`,
    };
  }
  if (setting.isOwn === true)
    return {
      says: 'each user says this for themselves',
      next: `git config ${setting.name} <value>`,
    };
  const text = textOf(setting, value);
  if (text === null) return { says: 'it is of another kind', next: `it takes ${setting.takes}` };
  try {
    setting.read(text);
  } catch (error) {
    if (!(error instanceof CoordError)) throw error;
    return { says: error.message, next: `it takes ${setting.takes}` };
  }
  return { key: setting.name.toLowerCase(), text };
}

/** As git config has it; null where it can be none. */
function textOf(setting: Setting<unknown>, value: unknown): string | null {
  if (['string', 'number', 'boolean'].includes(typeof value)) return String(value);
  if (Array.isArray(value))
    return value.every((one) => typeof one === 'string')
      ? value.join(setting.isMany === true ? ' ' : (setting.between ?? ', '))
      : null;
  return null;
}
