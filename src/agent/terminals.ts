/**
 * In which terminal what was begun. A person is one agent in all of them, but a second live terminal may
 * be somebody else under the same login: it has to say that it is the same person. A session whose
 * terminal is gone, and one of this very terminal whose key got lost, may be taken over.
 */
import { dropLocal, listLocal, readLocal, writeLocal } from '../git/local.ts';
import { isOpen, terminalOf } from './identity.ts';

const folder = 'terminals';

export function noteTerminal(commonDir: string, leases: readonly string[], standing: ReadonlySet<string>): void {
  for (const id of leases) writeLocal(commonDir, `${folder}/${id}`, `${terminalOf()}\n`);
  for (const id of listLocal(commonDir, folder)) if (!standing.has(id)) dropLocal(commonDir, `${folder}/${id}`);
}

/** Another terminal than this one, which is still open, has reserved it. */
export function isOfOtherTerminal(commonDir: string, lease: string): boolean {
  const terminal = (readLocal(commonDir, `${folder}/${lease}`) ?? '').trim();
  return terminal !== '' && terminal !== terminalOf() && isOpen(terminal);
}

const sessions = 'sessions';

/** `session` as it is on record: the hash of its key. */
export function noteSession(commonDir: string, agentId: string, session: string): void {
  writeLocal(commonDir, `${sessions}/${agentId}`, `${session} ${terminalOf()}\n`);
}

/** It began here, and nobody is left in its terminal but perhaps the caller. */
export function mayTakeSession(commonDir: string, agentId: string, session: string): boolean {
  const [noted = '', ...terminal] = (readLocal(commonDir, `${sessions}/${agentId}`) ?? '').trim().split(' ');
  const where = terminal.join(' ');
  return noted === session && (where === terminalOf() || !isOpen(where));
}
