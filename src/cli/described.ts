/** What the definition of a verb says, in words: for the help, the reference and the manual. */
import { settingByKey } from '../core/settings.ts';
import type { Flag, Group, Verb } from './verb.ts';

export const groupTitles: Readonly<Record<Group, readonly [title: string, about: string]>> = {
  setup: ['Setting up', 'Hooks of git and of agent programs, and whether all is in order.'],
  sessions: ['Sessions', 'Who acts.'],
  reservations: ['Reservations', 'Who may edit what.'],
  locks: ['Locks', 'One at a time, by name.'],
  work: ['Work', 'Beads: units of work.'],
  evidence: ['Evidence', 'What was tested, and the gate that reads it.'],
  between: ['Between agents', 'Asking, answering, handing over, and the last resort.'],
  seeing: ['Seeing', 'What is and what was.'],
  commits: ['Commits and saved work', 'The private index, and what can come back.'],
  machines: ['Many machines', 'The log on a remote.'],
  programs: ['For programs and for study', 'What hooks and agent programs run, and a model.'],
};

export function argumentName({ name, most }: NonNullable<Verb['positional']>): string {
  return `${name.replaceAll(' ', '-')}${most > 1 ? '..' : ''}`;
}

export function usageOf({ words, positional, command }: Verb): string {
  const slot =
    positional === undefined
      ? []
      : [positional.least > 0 ? `<${argumentName(positional)}>` : `[${argumentName(positional)}]`];
  const rest = command === true ? ['-- <command> [arguments]'] : slot;
  return ['coord', ...words, '[options]', ...rest].join(' ');
}

export function flagName({ name, short, value }: Flag): string {
  return `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` <${value}>`}`;
}

export function flagAbout({ about, choices = [], many }: Flag): string {
  const words = choices.every((choice) => about.includes(choice)) ? '' : `: ${choices.join(', ')}`;
  return `${about}${words}${many === true ? '; may be said several times' : ''}`;
}

/** What holds where a flag is not said: of a switch it is always off. */
export function defaultOf({ value, usual = 'none' }: Flag): string {
  if (value === undefined) return 'off';
  if (typeof usual === 'string') return usual;
  const setting = settingByKey.get(usual.setting.toLowerCase());
  if (setting === undefined) throw new Error(`there is no setting '${usual.setting}'`);
  return `${usual.setting} (${setting.usual})`;
}

/** All that is said of a verb, in sentences. */
export function aboutOf({ about, more }: Verb): string {
  const end = /[.?]$/.test(about) ? '' : '.';
  const first = `${about[0]?.toUpperCase() ?? ''}${about.slice(1)}${end}`;
  return more === undefined ? first : `${first} ${more}`;
}
