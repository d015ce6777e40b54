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
