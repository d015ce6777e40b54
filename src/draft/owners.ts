/** Whose a changed path is, as far as that is known. */
import { existsSync } from 'node:fs';
import type { RealWorld } from '../agent/world.ts';
import { nameOf } from '../core/agent.ts';
import type { AgentName, Reservation } from '../core/lease.ts';
import type { LineRecord } from '../core/lines/record.ts';
import { collide } from '../core/overlap.ts';
import { literal } from '../core/pattern.ts';
import { stagedSince } from '../git/index-file.ts';
import type { Observation } from '../log/log-store.ts';
import { standingReservations } from '../loop/standing.ts';
import { isHere } from '../shim/here.ts';
import { sharesLines } from './line-store.ts';
import { sharedLines } from './shared-lines.ts';
import { baseOf, stageOf } from './stage-base.ts';
import { openStages } from './stage-end.ts';

interface Owners {
  /** What those who are at work in this work tree hold. */
  readonly patterns: readonly string[];
  holding(path: string): readonly AgentName[];
  /** Who has staged it, where nobody holds it. */
  staging(path: string): AgentName | null;
  /** Null where lines are not told apart: nobody shares it, or somebody holds it alone. */
  lines(path: string): LineRecord | null;
}

/** Whose a path is that has changed in this work tree, as far as that is known. */
export function ownersOf(world: RealWorld, at: Observation): Owners {
  const {
    repository,
    settings: { folding },
  } = world;
  const leases = standingReservations(world, at).filter(({ agent }) =>
    isHere(repository, agent.id),
  );
  const areShared = sharesLines(repository);
  const on = (path: string): readonly Reservation[] => {
    const key = literal(path);
    return leases.filter(({ patterns }) =>
      patterns.some((pattern) => collide(pattern, key, folding)),
    );
  };
  const known = new Map<string, LineRecord | null>();
  let staged: ReadonlyMap<string, AgentName> | null = null;
  return {
    patterns: leases.flatMap(({ patterns }) => patterns),
    holding: (path) => on(path).map(({ agent }) => agent),
    staging: (path) => (staged ??= stagedBy(world, at)).get(path) ?? null,
    lines: (path) => {
      if (!areShared || on(path).some(({ mode }) => mode === 'exclusive')) return null;
      if (!known.has(path)) known.set(path, sharedLines(repository, path));
      return known.get(path) ?? null;
    },
  };
}

/** What sessions have staged in their private indexes: that says whose it is, held or not. */
export function stagedBy(
  { repository }: RealWorld,
  { state }: Observation,
): ReadonlyMap<string, AgentName> {
  return new Map(
    openStages(repository).flatMap(({ agentId }) => {
      const [agent, stage] = [state.agents.get(agentId), stageOf(repository, agentId)];
      const base = baseOf(repository, stage);
      if (agent === undefined || base === null || !existsSync(stage.index)) return [];
      return stagedSince(repository, stage.index, base).map(
        ({ path }) => [path, nameOf(agent)] as const,
      );
    }),
  );
}
