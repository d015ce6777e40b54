/**
 * Shells that stay open: what is typed into one later is no call that a hook hears of. What has
 * changed meanwhile is looked for at the next calls of its session, until it ends.
 */
import type { HookAnswer, HookEvent } from '../adapter/hook-event.ts';
import { dropLocal, listLocal, takeLocal, writeLocal } from '../git/local.ts';
import type { Effects } from '../guard/shell-effects.ts';
import { changedSince, readLook } from '../guard/work-tree.ts';
import type { HarnessAgent } from './agent.ts';
import { attribute } from './attribute.ts';
import { sessionFile } from './edit-note.ts';
import { lookNow } from './look-now.ts';

const folder = 'typed';

/** It waits for what is typed: a shell, or what is like one, with nothing to run. */
function isOpen([program = '', ...words]: readonly string[]): boolean {
  return (
    /^(.*\/)?((ba|da|z|k|fi)?sh|python[0-9.]*|node|irb)$/.test(program) &&
    words.every((word) => /^-(i|l|il|li|-login|-norc|-noprofile)$/.test(word))
  );
}

/** Notes that the look of this name, before a command, is of a shell that stays open. */
export function noteOpen({ world }: HarnessAgent, look: string, { commands }: Effects): void {
  if (commands.some(isOpen)) writeLocal(world.repository.gitDir, `${folder}/${look}`, '');
}

export function dropOpen({ world }: HarnessAgent, look: string): void {
  dropLocal(world.repository.gitDir, `${folder}/${look}`);
}

/** What is to be said of changes since it was looked last, by a shell of this session or an unknown hand. */
export async function changesByOpen(
  agent: HarnessAgent,
  { cwd }: HookEvent,
): Promise<readonly string[]> {
  const { repository } = agent.world;
  const session = sessionFile(agent.who);
  if (session === null) return [];
  const said = [takeLocal(repository.gitDir, notYetSaid(session)) ?? ''];
  for (const look of listLocal(repository.gitDir, folder)) {
    if (look !== session && !look.startsWith(`${session}.`)) continue;
    const before = readLook(repository, look);
    if (before === null) {
      // The shim has seen its end.
      dropOpen(agent, look);
      continue;
    }
    const changed = changedSince(repository, before);
    const command = { cwd, tool: { kind: 'none' } } as const;
    if (changed.length > 0) said.push(...(await attribute(agent, command, changed, before, look)));
    await lookNow(agent, look);
  }
  return said.filter((text) => text !== '');
}

function notYetSaid(session: string): string {
  return `${folder}/said+${session}`;
}

/** The answer with that; what it cannot carry is said with the next one. */
export function withChanges(
  { world, who }: HarnessAgent,
  said: readonly string[],
  answer: HookAnswer,
  isHeard: boolean,
): HookAnswer {
  if (said.length === 0) return answer;
  const after = (text: string): string => [text, ...said].filter((one) => one !== '').join('\n');
  if (answer.kind === 'deny') return { ...answer, reason: after(answer.reason) };
  if (answer.kind === 'rewrite' || !isHeard) {
    writeLocal(world.repository.gitDir, notYetSaid(sessionFile(who) ?? ''), after(''));
    return answer;
  }
  return answer.kind === 'context'
    ? { ...answer, text: after(answer.text) }
    : { kind: 'context', text: after('') };
}
