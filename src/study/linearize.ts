/**
 * Is this history one that a correct lease table, doing one thing at a time, could have given? A
 * search after Wing and Gong, with a memo of what has been tried. A caller that was killed or was
 * told nothing returned at infinity: it may have taken effect at any time since, or never. A search
 * that runs out of budget has not passed.
 */
import { areKin } from '../core/ids.ts';
import type { Mode } from '../core/lease.ts';
import { collide, exactSpelling } from '../core/overlap.ts';

export type Op =
  | { readonly kind: 'acquire'; readonly patterns: readonly string[]; readonly mode?: Mode }
  /** Of exactly these patterns; refused unless all of them are held. */
  | { readonly kind: 'release'; readonly patterns: readonly string[] };

export interface Call {
  readonly agent: string;
  /** Where it is called: lines are of one work tree. */
  readonly workTree?: string;
  readonly op: Op;
  readonly called: number;
  /** Infinity where nobody was told. */
  readonly returned: number;
  /** Granted or released: yes. Refused: no. */
  readonly result: 'yes' | 'no' | 'unknown';
}

export type Linearized =
  /** One order of the calls that explains all results. */
  | { readonly kind: 'legal'; readonly order: readonly Call[] }
  | { readonly kind: 'illegal' }
  | { readonly kind: 'undecided'; readonly steps: number };

export interface Hold {
  readonly agent: string;
  readonly pattern: string;
  readonly mode: Mode;
  readonly workTree?: string;
}

type Table = readonly Hold[];

interface Step {
  readonly yes: boolean;
  readonly table: Table;
}

/** The lease table, one operation at a time. */
function apply(table: Table, { agent, workTree = '', op }: Call): Step {
  const mine = (hold: Hold): boolean => hold.agent === agent && op.patterns.includes(hold.pattern);
  if (op.kind === 'release') {
    const yes = op.patterns.every((pattern) =>
      table.some((hold) => hold.agent === agent && hold.pattern === pattern),
    );
    return { yes, table: yes ? table.filter((hold) => !mine(hold)) : table };
  }
  const { mode = 'exclusive' } = op;
  const isBeside = (hold: Hold): boolean =>
    hold.mode === mode && (mode === 'shared' || (mode === 'lines' && hold.workTree === workTree));
  const held = table.some(
    (hold) =>
      !areKin(hold.agent, agent) &&
      !isBeside(hold) &&
      op.patterns.some((pattern) => collide(hold.pattern, pattern, exactSpelling)),
  );
  if (held) return { yes: false, table };
  return {
    yes: true,
    table: [
      ...table.filter((hold) => !mine(hold)),
      ...op.patterns.map((pattern): Hold => ({ agent, pattern, mode, workTree })),
    ],
  };
}

function keyOf(table: Table): string {
  return table
    .map(({ agent, pattern, mode, workTree }) => `${agent} ${pattern} ${mode} ${workTree}`)
    .sort()
    .join('|');
}

interface Search {
  /** What is held when the history begins. */
  readonly held?: Table;
  /** So many steps at most. */
  readonly budget?: number;
}

export function linearize(
  history: readonly Call[],
  { held = [], budget = 200_000 }: Search = {},
): Linearized {
  const calls = history
    .map((call) => (call.result === 'unknown' ? { ...call, returned: Infinity } : call))
    .sort((a, b) => a.called - b.called);
  const tried = new Set<string>();
  const order: Call[] = [];
  let steps = 0;
  /** `done` has a bit for each call that stands in `order`. */
  const search = (done: bigint, table: Table): boolean => {
    const open = openCalls(calls, done);
    if (open.every(({ call }) => call.returned === Infinity)) return true;
    const key = `${done.toString(36)} ${keyOf(table)}`;
    if (tried.has(key)) return false;
    tried.add(key);
    for (const { call, bit } of open) {
      steps += 1;
      if (steps > budget) return false;
      const next = apply(table, call);
      if (call.result !== 'unknown' && next.yes !== (call.result === 'yes')) continue;
      order.push(call);
      if (search(done | bit, next.table)) return true;
      order.pop();
    }
    return false;
  };
  if (search(0n, held)) return { kind: 'legal', order };
  return steps > budget ? { kind: 'undecided', steps } : { kind: 'illegal' };
}

interface OpenCall {
  readonly call: Call;
  readonly bit: bigint;
}

/** Those that may come next: called before any of the others returned. */
function openCalls(calls: readonly Call[], done: bigint): readonly OpenCall[] {
  const open: OpenCall[] = [];
  let firstReturn = Infinity;
  for (const [i, call] of calls.entries()) {
    if (call.called > firstReturn) break;
    const bit = 1n << BigInt(i);
    if ((done & bit) !== 0n) continue;
    open.push({ call, bit });
    firstReturn = Math.min(firstReturn, call.returned);
  }
  return open.filter(({ call }) => call.called <= firstReturn);
}
