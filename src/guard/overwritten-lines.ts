/** Lines that somebody else has written over: what they were is kept, and whose they were is told. */
import type { RealWorld } from '../agent/world.ts';
import { nameOf } from '../core/agent.ts';
import { baseOf, versionOf } from '../core/lines/record.ts';
import type { Looked } from '../draft/brought-up.ts';
import { lineFiles } from '../draft/line-store.ts';
import { lookAtLines } from '../draft/lines.ts';
import { asBytes, writeLines } from '../draft/shared-lines.ts';
import { writeSnapshot } from '../draft/snapshot.ts';
import { hashObject } from '../git/objects.ts';
import type { Observation } from '../log/log-store.ts';
import { tellHolders } from './overwritten.ts';

/** Brings all records to where the files are. */
export async function lookAtAllLines(world: RealWorld, at: Observation): Promise<void> {
  const { repository } = world;
  for (const { path } of lineFiles(repository)) {
    const looked = lookAtLines(repository, path);
    if (looked !== null) await keepOverwritten(world, at, looked);
  }
}

export async function keepOverwritten(
  world: RealWorld,
  { state }: Observation,
  { overwritten, before, file: { path } }: Looked,
): Promise<void> {
  const { repository } = world;
  const agents = overwritten.flatMap((id) => state.agents.get(id) ?? []);
  const base = hashObject(repository, 'blob', asBytes(baseOf(before))).oid;
  for (const agent of agents) {
    const oid = writeLines(
      repository,
      versionOf(before, (owner) => owner === agent.id),
    );
    writeSnapshot(repository, {
      agent: nameOf(agent),
      entries: [{ mode: '100644', oid, path, base }],
      why: 'somebody wrote over its lines',
      at: world.clock.now().at,
    });
  }
  await tellHolders(
    world,
    agents.map((agent) => ({ path, agent: nameOf(agent) })),
    { known: false },
  );
}
