/**
 * The status line of an agent's session: what it holds, what others hold, who waits; within so many
 * columns.
 */

import { counted } from '../core/counted.ts';
import type { DecisionContext } from '../core/decide/decision.ts';
import { isInGrace, overview } from '../core/decide/look.ts';
import { harmless } from '../core/harmless.ts';
import { areKin } from '../core/ids.ts';
import { formatDuration } from '../core/instant.ts';
import { type Lease, liveForMs } from '../core/lease.ts';
import type { State } from '../core/state.ts';
import { named } from '../render/lines.ts';
import { cutEnd } from '../render/width.ts';

interface LineWish {
  /** The agent whose line it is; null where no session is known. */
  readonly name: string | null;
  readonly isDigest: boolean;
  readonly isBehind: boolean;
  readonly columns: number;
}

export function sessionLine(
  state: State,
  c: DecisionContext,
  { name, isDigest, isBehind, columns }: LineWish,
): string {
  const { leases, waits } = overview(state, c);
  const live = leases.filter((lease) => !isInGrace(lease, c));
  const isMine = (lease: Lease): boolean => name !== null && areKin(lease.agent.name, name);
  const others = live.filter((lease) => !isMine(lease));
  const mine = live.filter(isMine);
  const waiting = waits.length === 0 ? [] : [`${waits.length} waiting`];
  const behind = isBehind ? ['HEAD has moved'] : [];
  const parts = isDigest
    ? [
        `${counted(new Set(live.map((lease) => lease.agent.id)).size, 'agent')}, ${counted(filesIn(live), 'file')}`,
        ...waiting,
        ...behind,
      ]
    : [
        ...(mine.length === 0
          ? []
          : [
              `mine: ${few(mine, (lease) => `${named(lease, c)} ${formatDuration(Math.max(0, liveForMs(lease, c.now)))}`)}`,
            ]),
        ...byHolder(others, c),
        ...waiting,
        ...behind,
      ];
  return cutEnd(
    harmless(`coord: ${parts.length === 0 ? 'no leases' : parts.join(' | ')}`),
    columns,
  );
}

function filesIn(leases: readonly Lease[]): number {
  return leases.reduce(
    (sum, lease) => sum + (lease.kind === 'reservation' ? lease.patterns.length : 0),
    0,
  );
}

function few(leases: readonly Lease[], text: (lease: Lease) => string): string {
  return `${leases.slice(0, 2).map(text).join(', ')}${leases.length > 2 ? ` +${leases.length - 2}` : ''}`;
}

function byHolder(leases: readonly Lease[], c: DecisionContext): readonly string[] {
  const holders = new Map<string, Lease[]>();
  for (const lease of leases)
    holders.set(lease.agent.name, [...(holders.get(lease.agent.name) ?? []), lease]);
  return [
    ...[...holders]
      .slice(0, 4)
      .map(([holder, held]) => `${holder}: ${few(held, (lease) => named(lease, c))}`),
    ...(holders.size > 4 ? [`+${holders.size - 4} agents`] : []),
  ];
}
