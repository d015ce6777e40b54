/**
 * In which terminal what was begun. A person is one agent in all of them, but a second live
 * terminal may be somebody else under the same login: it has to say that it is the same person. A
 * session whose terminal is gone, and one of this very terminal whose key got lost, may be taken
 * over.
 */

import type { Agent } from '../core/agent.ts';
import { limits } from '../core/limits.ts';
import { dropLocal, listLocal, readLocal, writeLocal } from '../git/local.ts';
import { processOf } from '../git/processes.ts';

/**
 * The leading process of this terminal and when it started: the same for all commands of one
 * terminal.
 */
export function terminalOf(): string {
  const own = processOf('self');
  return own === null
    ? String(process.ppid)
    : `${own.leader} ${processOf(own.leader)?.startedAt ?? ''}`;
}

/** Does a terminal control this process, as it does whatever somebody types there? */
export function isAtTerminal(): boolean {
  return processOf('self')?.hasTerminal === true;
}

/** Is somebody still there? Where that cannot be told, nobody is. */
function isOpen(terminal: string): boolean {
  const [leader = '', since = ''] = terminal.split(' ');
  return since !== '' && processOf(leader)?.startedAt === since;
}

const folder = 'terminals';

export function noteTerminal(
  commonDir: string,
  leases: readonly string[],
  standing: ReadonlySet<string>,
): void {
  for (const id of leases) writeLocal(commonDir, `${folder}/${id}`, `${terminalOf()}\n`);
  for (const id of listLocal(commonDir, folder))
    if (!standing.has(id)) dropLocal(commonDir, `${folder}/${id}`);
}

/** Another terminal than this one, which is still open, has reserved it. */
export function isOfOtherTerminal(commonDir: string, lease: string): boolean {
  const terminal = (readLocal(commonDir, `${folder}/${lease}`) ?? '').trim();
  return terminal !== '' && terminal !== terminalOf() && isOpen(terminal);
}

const sessions = 'sessions';

/** `session` as it is on record: the hash of its key. */
export function noteSession(commonDir: string, agentId: string, session: string): void {
  writeLocal(
    commonDir,
    `${sessions}/${agentId}`,
    `${session} ${isAtTerminal() ? 'terminal' : 'none'} ${terminalOf()}\n`,
  );
}

/**
 * A session is of a name and its children, which share its key: whoever takes it has them all. So
 * nobody may be left with the name itself, which stands first, nor with a child that began in a
 * terminal of its own.
 */
export function mayTakeFamily(
  commonDir: string,
  family: readonly Agent[],
  session: string,
  idleMs: number,
): boolean {
  const [head, ...children] = family;
  const isLeft = ({ id }: Agent): boolean => mayTakeSession(commonDir, id, session, idleMs);
  const beganHere = ({ id }: Agent): boolean =>
    readLocal(commonDir, `${sessions}/${id}`)?.startsWith(`${session} `) === true;
  return (
    head !== undefined && isLeft(head) && children.filter(beganHere).every((child) => isLeft(child))
  );
}

/**
 * It began in this clone, and either in this very terminal, or its terminal is closed. What has no
 * terminal of its own says nothing by its end, since many programs start each command apart: then
 * nobody may have worked in it for a while.
 */
function mayTakeSession(
  commonDir: string,
  agentId: string,
  session: string,
  idleMs: number,
): boolean {
  const [noted = '', kind = '', ...terminal] = (
    readLocal(commonDir, `${sessions}/${agentId}`) ?? ''
  )
    .trim()
    .split(' ');
  const where = terminal.join(' ');
  if (noted !== session) return false;
  if (kind === 'terminal') return where === terminalOf() || !isOpen(where);
  return !isOpen(where) && idleMs >= limits.abandonedSessionMs;
}
