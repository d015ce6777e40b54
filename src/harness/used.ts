/** What a team uses, as far as its settings, its tracker and the commit that is checked out tell. */
import type { RealWorld } from '../agent/world.ts';
import { CoordError } from '../core/errors.ts';
import type { Settings } from '../core/settings.ts';
import { headOf } from '../git/head.ts';
import { requiredAt } from '../work/required.ts';
import { trackerOf } from '../work/tracker.ts';

export interface Used {
  readonly edit: Settings['edit'];
  readonly beads: boolean;
  readonly gate: boolean;
  readonly locks: boolean;
}

export function usedBy(world: RealWorld, env: NodeJS.ProcessEnv): Used {
  const { edit, mode, tags, presets } = world.settings;
  const { oid } = headOf(world.repository);
  return {
    edit,
    beads: trackerOf(world, env).kind !== 'none' || mode === 'sequential' || tags.length > 0,
    gate: oid !== null && hasGate(world, oid),
    locks: presets.length > 0,
  };
}

/** A gate that cannot be read is one that somebody has set. */
function hasGate(world: RealWorld, commit: string): boolean {
  try {
    return requiredAt(world, [commit]).length > 0;
  } catch (error) {
    if (error instanceof CoordError && error.code === 'bad_gate') return true;
    throw error;
  }
}
