/**
 * Two installs may speak to one session, such as Claude Code's plugin and its settings: then two
 * hooks run at each moment, at once. Both refuse what has to be refused. What is only told, one of
 * them tells.
 */

import { limits } from '../core/limits.ts';
import { dropLocal, isFirstAt, listLocal, readLocal, takeLocalMark } from '../git/local.ts';
import type { HarnessAgent } from './agent.ts';
import { said, sessionFile } from './edit-note.ts';

/** Is this the first of them to speak at this moment, of which there is one in a while? */
export function speaksFirst({ world, who }: HarnessAgent, moment: string): boolean {
  const file = sessionFile(who);
  if (file === null) return true;
  const { commonDir } = world.repository;
  const spell = Math.floor(world.clock.now().at / limits.speakAgainMs);
  const nameOf = (of: number): string => `${said}/${file}.${moment}.${of}`;
  if (readLocal(commonDir, nameOf(spell - 1)) !== null || !isFirstAt(commonDir, nameOf(spell)))
    return false;
  for (const old of listLocal(commonDir, said))
    if (old.startsWith(`${file}.${moment}.`) && `${said}/${old}` !== nameOf(spell))
      dropLocal(commonDir, `${said}/${old}`);
  return true;
}

/** What is told once is told by one of them: whoever comes in the meantime is silent. */
export async function tellsAlone(
  { world, who }: HarnessAgent,
  tell: () => Promise<string>,
): Promise<string> {
  const file = sessionFile(who);
  const { commonDir } = world.repository;
  const mark = `telling-${file ?? ''}`;
  if (file !== null && !takeLocalMark(commonDir, mark, limits.speakAgainMs)) return '';
  try {
    return await tell();
  } finally {
    dropLocal(commonDir, mark);
  }
}
