/** Histories that a correct lease table could have given, and others. */
import { describe, expect, test } from 'vitest';
import type { Mode } from '../../src/core/lease.ts';
import { type Call, type Linearized, linearize, type Op } from '../../src/study/linearize.ts';
import { seeded } from '../support/world.ts';

type Row = readonly [
  agent: string,
  op: string,
  called: number,
  returned: number,
  result: Call['result'],
];

const modes: Readonly<Record<string, Mode>> = { '~': 'shared', '=': 'lines' };

/** `+src/*` acquires, `~src/*` acquires it shared, `=src/*` for lines, `-src/*` releases. */
function history(...rows: readonly Row[]): readonly Call[] {
  return rows.map(([agent, text, called, returned, result]) => {
    const patterns = text.slice(1).split(' ');
    const op: Op = text.startsWith('-')
      ? { kind: 'release', patterns }
      : { kind: 'acquire', patterns, mode: modes[text[0] ?? ''] ?? 'exclusive' };
    const [name = '', workTree = 'here'] = agent.split(' in ');
    return { agent: name, workTree, op, called, returned, result };
  });
}

const legal: readonly (readonly [string, readonly Call[]])[] = [
  ['nothing', history()],
  [
    'one is granted, the other refused after it',
    history(['ann', '+a', 1, 2, 'yes'], ['bob', '+a', 3, 4, 'no']),
  ],
  [
    'refused while the grant was under way',
    history(['ann', '+a', 1, 4, 'yes'], ['bob', '+a', 2, 3, 'no']),
  ],
  [
    'granted first, though called later',
    history(['ann', '+a', 1, 6, 'no'], ['bob', '+a', 2, 5, 'yes']),
  ],
  [
    'released, then granted to the other',
    history(['ann', '+a', 1, 2, 'yes'], ['ann', '-a', 3, 6, 'yes'], ['bob', '+a', 4, 5, 'yes']),
  ],
  [
    'patterns that do not meet, both granted',
    history(['ann', '+src/*', 1, 2, 'yes'], ['bob', '+lib/*', 3, 4, 'yes']),
  ],
  [
    'two readers',
    history(['ann', '~a', 1, 2, 'yes'], ['bob', '~a', 3, 4, 'yes'], ['cy', '+a', 5, 6, 'no']),
  ],
  [
    'two editors of lines, and those in another work tree',
    history(
      ['ann', '=a', 1, 2, 'yes'],
      ['bob', '=a', 3, 4, 'yes'],
      ['cy in far', '=a', 5, 6, 'no'],
      ['dee', '~a', 7, 8, 'no'],
    ),
  ],
  ['a parent and its child', history(['ann', '+a', 1, 2, 'yes'], ['ann/kid', '+a', 3, 4, 'yes'])],
  [
    'killed, and it had taken effect',
    history(['ann', '+a', 1, Infinity, 'unknown'], ['bob', '+a', 8, 9, 'no']),
  ],
  [
    'killed, and it had not',
    history(['ann', '+a', 1, Infinity, 'unknown'], ['bob', '+a', 8, 9, 'yes']),
  ],
  [
    'not told, and it took effect long after',
    history(
      ['ann', '+a', 1, 2, 'unknown'],
      ['bob', '+a', 3, 4, 'yes'],
      ['bob', '-a', 5, 6, 'yes'],
      ['cy', '+a', 7, 8, 'no'],
    ),
  ],
];

const illegal: readonly (readonly [string, readonly Call[]])[] = [
  [
    'double grant, one after the other',
    history(['ann', '+a', 1, 2, 'yes'], ['bob', '+a', 3, 4, 'yes']),
  ],
  [
    'double grant at the same time',
    history(['ann', '+a', 1, 4, 'yes'], ['bob', '+a', 2, 3, 'yes']),
  ],
  [
    'double grant of patterns that only overlap',
    history(['ann', '+src/*.ts', 1, 4, 'yes'], ['bob', '+**/a.ts', 2, 3, 'yes']),
  ],
  [
    'lines in two work trees',
    history(['ann', '=a', 1, 2, 'yes'], ['bob in far', '=a', 3, 4, 'yes']),
  ],
  ['a reader beside lines', history(['ann', '=a', 1, 2, 'yes'], ['bob', '~a', 3, 4, 'yes'])],
  ['all beside lines', history(['ann', '=a', 1, 2, 'yes'], ['bob', '+a', 3, 4, 'yes'])],
  ['refused lines', history(['ann', '=a', 1, 2, 'yes'], ['bob', '=a', 3, 4, 'no'])],
  ['a writer beside a reader', history(['ann', '~a', 1, 2, 'yes'], ['bob', '+a', 3, 4, 'yes'])],
  ['siblings', history(['ann/kid', '+a', 1, 2, 'yes'], ['ann/boy', '+a', 3, 4, 'yes'])],
  [
    'stale refusal: it had been released before the call',
    history(['ann', '+a', 1, 2, 'yes'], ['ann', '-a', 3, 4, 'yes'], ['bob', '+a', 5, 6, 'no']),
  ],
  ['refusal, and nobody ever held it', history(['bob', '+a', 1, 2, 'no'])],
  [
    'lost release: it was answered, and the lease is still there',
    history(['ann', '+a', 1, 2, 'yes'], ['ann', '-a', 3, 4, 'yes'], ['ann', '-a', 5, 6, 'yes']),
  ],
  [
    'lost grant: the holder cannot release it',
    history(['ann', '+a', 1, 2, 'yes'], ['ann', '-a', 3, 4, 'no']),
  ],
  [
    "half a grant: one of two patterns is somebody else's",
    history(['ann', '+a', 1, 2, 'yes'], ['bob', '+a b', 3, 4, 'no'], ['cy', '+b', 5, 6, 'no']),
  ],
  [
    'a killed call before which it was refused',
    history(['bob', '+a', 1, 2, 'no'], ['ann', '+a', 3, Infinity, 'unknown']),
  ],
];

describe('is this history one that a correct lease table could have given?', () => {
  test.for(legal)('legal: %s', ([, calls]) => expect(linearize(calls).kind).toBe('legal'));
  test.for(illegal)('illegal: %s', ([, calls]) =>
    expect(linearize(calls)).toEqual({ kind: 'illegal' }));

  test('leases that are there at the beginning: who wants one is refused, who has one may release it', () => {
    const held = [{ agent: 'ann', pattern: 'a', mode: 'exclusive' }] as const;
    expect(linearize(history(['bob', '+a', 1, 2, 'no']), { held }).kind).toBe('legal');
    expect(linearize(history(['bob', '+a', 1, 2, 'yes']), { held }).kind).toBe('illegal');
    expect(
      linearize(history(['ann', '-a', 1, 2, 'yes'], ['bob', '+a', 3, 4, 'yes']), { held }).kind,
    ).toBe('legal');
  });

  test('a search that runs out of steps: undecided, which is not legal', () => {
    const many = history(
      ...Array.from({ length: 12 }, (_, i): Row => [`agent${i}`, '+a', i, 100 + i, 'yes']),
    );
    expect(linearize(many, { budget: 5 })).toMatchObject({ kind: 'undecided' });
    expect(linearize(many).kind).toBe('illegal');
  });

  test("the order found is one of the history's, and gives its results", () => {
    const found: Linearized = linearize(
      history(['ann', '+a', 1, 6, 'no'], ['bob', '+a', 2, 5, 'yes']),
    );
    expect(found.kind === 'legal' && found.order.map(({ agent }) => agent)).toEqual(['bob', 'ann']);
  });
});

/**
 * What six agents are told by one table when each call takes effect somewhere between its call and
 * its return.
 */
function recorded(seed: number, count: number): Call[] {
  const next = seeded(seed);
  const holders = new Map<string, string>();
  const calls: Call[] = [];
  for (let i = 0; i < count; i += 1) {
    const agent = `agent${i % 6}`;
    const pattern = `f${Math.floor(next() * 3)}`;
    const mine = holders.get(pattern) === agent;
    const yes = mine || !holders.has(pattern);
    const op: Op = mine
      ? { kind: 'release', patterns: [pattern] }
      : { kind: 'acquire', patterns: [pattern] };
    if (mine) holders.delete(pattern);
    else if (yes) holders.set(pattern, agent);
    calls.push({
      agent,
      op,
      called: 10 * i - 25 * next(),
      returned: 10 * i + 25 * next(),
      result: yes ? 'yes' : 'no',
    });
  }
  return calls;
}

describe('long histories', () => {
  test.for([
    11, 12, 13,
  ])('500 overlapping calls of six agents, seed %i: legal as recorded, illegal once a single answer is turned round', (seed) => {
    const calls = recorded(seed, 500);
    expect(linearize(calls).kind).toBe('legal');
    const sole = calls.findIndex(
      (call, i) => i > 250 && call.op.kind === 'release' && call.result === 'yes',
    );
    const turned = calls.map((call, i): Call => (i === sole ? { ...call, result: 'no' } : call));
    expect(linearize(turned).kind).toBe('illegal');
  });
});
