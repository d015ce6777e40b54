/**
 * Who has worked on a bead in this work tree, and which of their lines are still uncommitted: for
 * whoever goes on with it. Kept locally, as the lines are.
 */
import type { RealWorld } from '../agent/world.ts';
import type { AgentName } from '../core/lease.ts';
import { ownersOf } from '../core/lines/record.ts';
import { readLocal, writeLocal } from '../git/local.ts';
import type { Observation } from '../log/log-store.ts';
import { isHeldBy } from '../loop/standing.ts';
import { lineFiles } from './line-store.ts';
import { lookAtLines } from './lines.ts';

const file = 'claimants';
const mostKept = 200;

type Claimed = readonly [bead: string, id: string, name: string];

function claimedIn(gitDir: string): readonly Claimed[] {
  return (readLocal(gitDir, file) ?? '')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Claimed]));
}

export function noteClaimant(
  { repository: { gitDir } }: RealWorld,
  bead: string,
  { id, name }: AgentName,
): void {
  const others = claimedIn(gitDir).filter(([other, by]) => other !== bead || by !== id);
  const kept = [...others, [bead, id, name] as const].slice(-mostKept);
  writeLocal(gitDir, file, kept.map((one) => `${JSON.stringify(one)}\n`).join(''));
}

export interface LeftLines {
  readonly agent: AgentName;
  readonly paths: readonly string[];
}

/** Of files in which they hold nothing any more. */
export function leftFor(world: RealWorld, at: Observation, bead: string): readonly LeftLines[] {
  const { repository } = world;
  const me = world.caller().name;
  return claimedIn(repository.gitDir)
    .filter(([other, , name]) => other === bead && name !== me)
    .map(([, id, name]) => {
      const agent = { id, name };
      const theirs = lineFiles(repository).filter(({ path }) => {
        const owners = ownersOf(lookAtLines(repository, path)?.file.lines ?? []);
        // A session that has ended leaves them under its name.
        return (owners.includes(id) || owners.includes(name)) && !isHeldBy(world, at, path, id);
      });
      return { agent, paths: theirs.map(({ path }) => path) };
    })
    .filter(({ paths }) => paths.length > 0);
}
