/**
 * What the shim may go by until the log moves: that nobody else is here, and up to where this
 * session has been told what concerns it.
 */

import { agentNamed } from '../core/decide/enrol.ts';
import { limits } from '../core/limits.ts';
import { sharedFiles } from '../shim/files.ts';
import { writeShared } from '../shim/shared-file.ts';
import { untilFrom } from '../shim/until.ts';
import type { HarnessAgent } from './agent.ts';
import { sessionFile } from './edit-note.ts';

export async function writeFastPathNote({ world, who, known }: HarnessAgent): Promise<void> {
  const file = sessionFile(who);
  const at = await world.store.observe();
  if (file === null || at.tip === null || agentNamed(at.state, known.name) === null) return;
  const others = [...at.state.agents.values()].filter(
    (agent) => agent.session !== null && agent.name !== known.name,
  );
  const leases = [...at.state.leases.values()].filter((lease) => lease.agent.name !== known.name);
  // Commands that need a lock are for coord to see, whoever else is here.
  const company =
    others.length + leases.length + world.settings.presets.length === 0 ? 'alone' : 'others';
  writeShared(world.repository, sharedFiles.told, [file], {
    tip: at.tip,
    until: untilFrom(world.clock.now().at)(limits.toldMs),
    company,
  });
}
