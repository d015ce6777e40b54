/**
 * An edit waits until a commit's hook has put back what it has put away: it would be made to a file
 * without it, and be gone or in conflict once it is put back.
 */
import type { RealWorld } from '../agent/world.ts';
import { limits } from '../core/limits.ts';
import { whoHides } from '../draft/put-away.ts';

const stepMs = 50;

/** Null once all is there; else which tool still has it. */
export async function untilPutBack({ repository, clock }: RealWorld): Promise<string | null> {
  for (let waited = 0; ; waited += stepMs) {
    const tool = whoHides(repository);
    if (tool === null || waited >= limits.putAwayMs) return tool;
    await clock.sleep(stepMs);
  }
}
