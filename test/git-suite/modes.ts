/** The ways in which git's tests are run: plain, and with coord in every repository. */

export const modes = [
  'plain',
  'again',
  'inert',
  'inert-session',
  'idle',
  'beside',
  'session',
] as const;
export type Mode = (typeof modes)[number];

export const about: Readonly<Record<Mode, string>> = {
  plain: 'plain git',
  again: 'plain git once more: what differs here is flaky',
  inert: 'the same refs, objects and hook files as below, but hooks that do nothing',
  'inert-session': "that, and a session's index and trailer, but nothing that decides",
  idle: "1: coord's hooks, and a log in which nothing is held",
  beside: "2: coord's hooks, and another agent holds a path that nobody uses",
  session: '3: as an agent with a session, beside that',
};

export const isPlain = (mode: Mode): boolean => mode === 'plain' || mode === 'again';

/** Nothing in it decides: what differs there differs by what is to be seen, and by nothing else. */
export const isInert = (mode: Mode): boolean => mode === 'inert' || mode === 'inert-session';

export const isCoord = (mode: Mode): boolean => !isPlain(mode) && !isInert(mode);

/** The one without decisions that shows what is to be seen in this one. */
export function inertOf(mode: Mode): Mode {
  return mode === 'session' ? 'inert-session' : 'inert';
}
