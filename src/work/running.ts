/**
 * Which processes stand behind the locks of runs, so that an agent need not wait for a run of its
 * own that was killed. Only ever a reason to give up what is one's own; whoever cannot be seen from
 * here is alive.
 */
import type { Lease } from '../core/lease.ts';
import { dropLocal, listLocal, readLocal, writeLocal } from '../git/local.ts';
import { markOf } from '../git/process-mark.ts';

const folder = 'running';

/** One process may run several at once. */
let notes = 0;

function wordsOf(pid: number): string | null {
  const mark = markOf(pid);
  return mark === null ? null : `${mark.place} ${mark.pid} ${mark.start}`;
}

/** What a run says of itself: asking for the lock since a place in the log, then holding it. */
export class RunNote {
  readonly #commonDir: string;
  readonly #name: string;
  readonly #who: string;

  constructor(commonDir: string, agent: string, lock: string) {
    this.#commonDir = commonDir;
    this.#who = `${agent} ${lock}`;
    notes += 1;
    this.#name = `${folder}/${process.pid}.${notes}-${lock}`;
  }

  asking(seq: number): void {
    this.#write(`asking ${seq}`, [process.pid]);
  }

  holding(lease: string, pids: readonly number[]): void {
    this.#write(`holding ${lease}`, pids);
  }

  #write(state: string, pids: readonly number[]): void {
    const marks = pids.map(wordsOf);
    // Where processes cannot be told apart nothing is said.
    if (marks.every((mark) => mark !== null))
      writeLocal(this.#commonDir, this.#name, `${this.#who}\n${state}\n${marks.join('\n')}\n`);
  }

  drop(): void {
    dropLocal(this.#commonDir, this.#name);
  }
}

/** `orphan` where its command goes on without it. */
type RunState = 'alive' | 'orphan' | 'over' | 'unknown';

/**
 * Does anything live that may stand behind this lock? `over` only where what did is known to be
 * dead.
 */
export function standingOf(commonDir: string, lock: string, lease: Lease): RunState {
  const here = markOf(process.pid)?.place;
  let found: RunState = 'unknown';
  for (const name of listLocal(commonDir, folder)) {
    const [who, state = '', ...marks] = (readLocal(commonDir, `${folder}/${name}`) ?? '')
      .trimEnd()
      .split('\n');
    if (
      who !== `${lease.agent.name} ${lock}` ||
      here === undefined ||
      !marks.every((mark) => mark.startsWith(`${here} `))
    )
      continue;
    const alive = marks.map((mark) => wordsOf(Number(mark.split(' ')[2])) === mark);
    const isAlive = alive.includes(true);
    const [word, what] = state.split(' ');
    // Who began to ask before it was granted may be whom it was granted to.
    const isBehind = word === 'holding' ? what === lease.id : Number(what) < lease.token;
    if (isBehind && isAlive) return alive[0] === true ? 'alive' : 'orphan';
    if (isBehind) found = 'over';
    else if (!isAlive) dropLocal(commonDir, `${folder}/${name}`);
  }
  return found;
}
