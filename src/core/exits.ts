/** What the shell sees: the exit codes, once. Never 2, which every harness reads as "block". */
export const exits = {
  done: 0,
  refused: 1,
  usage: 64,
  unavailable: 69,
  bug: 70,
  tryAgain: 75,
  interrupted: 130,
} as const;

/** What each means, in a word or two, and what it is for behind a colon. */
export const exitMeanings: readonly (readonly [code: number, means: string])[] = [
  [exits.done, 'done, granted, free'],
  [exits.refused, 'refused: held by another, not yours, gate not passed'],
  [exits.usage, 'usage: bad flag, bad pattern, bad id'],
  [exits.unavailable, 'unavailable: not a repository, git or the remote failed'],
  [exits.bug, 'a bug in coord'],
  [exits.tryAgain, 'try again: busy, wait timed out, outcome unknown'],
  [exits.interrupted, 'interrupted'],
];

/** All of them in one sentence. */
export function exitSentence(): string {
  const all = exitMeanings.map(([code, means]) => `${code} ${means.replace(/:.*/, '')}`);
  return `Exit codes: ${all.join('; ')}.`;
}
