/**
 * In which terminal a person has reserved what. A person is one agent in all of them, but a second live
 * terminal may be somebody else under the same login: it has to say that it is the same person.
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
