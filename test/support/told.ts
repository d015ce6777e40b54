/** What coord's hooks tell a model where they refuse something, in situations as they come. */
import type { AgentName } from '../../src/core/lease.ts';
import { limits } from '../../src/core/limits.ts';
import {
  changedOthers,
  deniedFiles,
  deniedFor,
  deniedUnlocked,
  deniedUnreserved,
  deniedWiping,
} from '../../src/harness/denial.ts';
import { howToWork } from '../../src/harness/instructions.ts';
import { agent, ago, contextOf, minute, named, reservation, stateOf, wait } from './states.ts';

/** Sixty characters each. */
export const [long, other] = ['parser', 'writer'].map((name) =>
  `packages/service-gateway/src/handlers/${name}`.padEnd(57, '-').concat('.ts'),
) as [string, string];

const holder = 'claude-3f2a91bc';
const child = `${holder}/77aa01fe`;
const reason = 'the retry loop of the gateway loses the last error';
const held = {
  acquiredAt: ago(12 * minute).at,
  renewed: ago(3 * minute),
  edited: { stamp: ago(3 * minute), directories: [] },
};
const grace = { acquiredAt: ago(40 * minute).at, renewed: ago(limits.ttlMs + minute) };

function place(names: readonly string[] = [holder], cwd = '/w'): Parameters<typeof deniedFiles>[0] {
  return {
    repository: { top: '/w' } as never,
    cwd,
    state: stateOf({ agents: names.map((name) => agent(name, { active: ago(3 * minute) })) }),
    c: contextOf(),
  };
}

const mine = reservation(holder, long, held);
const ofChild = reservation(child, long, held);
const shared = [holder, 'codex-00aa11bb', 'ann'].map((name) =>
  reservation(name, long, { ...held, mode: 'shared' }),
);
const ofLines = { ...mine, mode: 'lines', workTree: 'treehere' } as const;
const both = [mine, reservation('codex-00aa11bb', other, held)];
const waiter = wait('codex-00aa11bb', long, { started: ago(minute / 2) });
const unsaved = [long, other, 'src/a'].map((path) => ({ path, agent: named(child) as AgentName }));
const many = Array.from({ length: 40 }, (_, i) => `${long.slice(0, -5)}${10 + i}.ts`);

/** A situation, and what is said in it. */
export const told: readonly (readonly [string, string])[] = [
  ['edit, held by one', deniedFiles(place(), [long], [mine])],
  ['edit, held for a reason', deniedFiles(place(), [long], [{ ...mine, reason }])],
  [
    'edit, held by a sibling subagent',
    deniedFiles(place([child]), [long], [{ ...ofChild, reason }]),
  ],
  ['edit, in grace', deniedFiles(place(), [long], [reservation(holder, long, grace)])],
  ['edit, shared by several', deniedFiles(place(), [long], shared)],
  ['edit, lines of it held', deniedFiles(place(), [long], [ofLines])],
  [
    'edit, held as a folder',
    deniedFiles(place(), [long], [reservation(holder, 'packages/**', held)]),
  ],
  ['edit, held, with a waiter before me', deniedFiles(place(), [long], [mine], [waiter])],
  ['edit, free, with a waiter before me', deniedFiles(place(), [long], [], [waiter])],
  ['edit of several, two of them held', deniedFiles(place(), ['src/a', long, other], both)],
  [
    'edit of forty, all held',
    deniedFiles(place(), many, [reservation(holder, 'packages/**', held)]),
  ],
  ['edit, from a folder below', deniedFiles(place(undefined, '/w/packages'), [long], [mine])],
  ['edit, to be reserved first', deniedUnreserved(place(), [long, other])],
  [
    'edit, at a limit',
    deniedFor([long], 'an agent holds at most 64 leases', 'coord release --unchanged'),
  ],
  ['command that wipes', deniedWiping('reset', unsaved, 3 * minute)],
  ['command that takes along', deniedWiping('commit', unsaved.slice(0, 1), 3 * minute)],
  ['command that wipes, of a rare kind', deniedWiping('submodule', unsaved, null)],
  ['command that needs a lock', deniedUnlocked(['npm', 'test', '--', long], 'test')],
  [
    'after a command, with what was there kept',
    changedOthers(
      place(),
      [
        { path: long, lease: mine },
        { path: other, lease: mine },
      ],
      'k9pnemh0/3',
      true,
    ),
  ],
  ['after a command', changedOthers(place([child]), [{ path: long, lease: ofChild }], null, true)],
  [
    'after a command that may not have done it',
    changedOthers(place([child]), [{ path: long, lease: ofChild }], null, false),
  ],
  ['at the start, without instructions', howToWork('auto')],
];
