/**
 * A session of an agent harness is one agent, however it calls. Which one is kept in a small file a
 * session, with the key that opens it; programs that the harness starts find it by what stands in
 * their environment.
 */
import type { Harness } from '../adapter/harness.ts';
import { harnesses } from '../adapter/harnesses.ts';
import { hashKey } from '../core/hash.ts';
import { dropLocal, listLocal, readLocal, writeLocal } from '../git/local.ts';
import { isGone, isMark, type ProcessMark } from '../git/process-mark.ts';
import { nearestAbove, programIn } from './agent-programs.ts';

export interface HarnessSession {
  readonly harness: string;
  readonly session: string;
  /** Set where one of its subagents calls. */
  readonly subagent: string | null;
}

export interface KnownSession {
  readonly name: string;
  readonly agentId: string;
  readonly key: string;
  /** Of the program, where that is known. */
  readonly process?: ProcessMark;
}

/** As what harnesses put into the environment of the programs that they start. */
export function sessionInEnvironment(env: NodeJS.ProcessEnv): HarnessSession | null {
  const said = (name: string | undefined): string | null => (name && env[name]) || null;
  for (const { name, sessionVariable, threadVariable } of harnesses) {
    const session = said(sessionVariable);
    const thread = said(threadVariable);
    // Its first thread has the id of the session itself.
    if (session !== null)
      return { harness: name, session, subagent: thread === session ? null : thread };
  }
  return null;
}

/** What whoever calls a tool of ours would have in its environment, as far as the call says so. */
export function callerEnvironment(meta: unknown): NodeJS.ProcessEnv {
  const said = (from: unknown, name: string): unknown =>
    typeof from === 'object' && from !== null
      ? (from as Readonly<Record<string, unknown>>)[name]
      : undefined;
  for (const { callField, sessionVariable, threadVariable } of harnesses) {
    const call = callField === undefined ? undefined : said(meta, callField);
    const [session, thread] = [said(call, 'session_id'), said(call, 'thread_id')];
    if (sessionVariable === undefined || typeof session !== 'string' || session === '') continue;
    return {
      [sessionVariable]: session,
      ...(threadVariable === undefined || typeof thread !== 'string'
        ? {}
        : { [threadVariable]: thread }),
    };
  }
  return {};
}

/** The harness that has started us, as far as it says so. */
export function harnessIn(env: NodeJS.ProcessEnv): Harness | null {
  const name = sessionInEnvironment(env)?.harness ?? programIn(env)?.name;
  return harnesses.find((harness) => harness.name === name) ?? null;
}

/** `claude-3f2a91bc`: the end of the session's own id, so that one is found by the other. */
export function nameFor({ harness, session }: HarnessSession): string {
  return `${harness}-${endOf(session)}`;
}

export function childName(parent: string, subagent: string): string {
  return `${parent}/${endOf(subagent)}`;
}

/**
 * Many ids begin alike, with the time; those that are too short to tell apart are mixed up first.
 */
function endOf(id: string): string {
  const letters = id.toLowerCase().replace(/[^a-z0-9]/g, '');
  return letters.length >= 16 ? letters.slice(-8) : hashKey(id).slice(0, 8);
}

/** `@claude-<session>`: stands for the key where others may read along. */
export function keyReference(session: HarnessSession): string {
  return `@${fileName(session)}`;
}

function fileName({ harness, session }: HarnessSession): string {
  return `${harness}-${/^[A-Za-z0-9_-]{1,100}$/.test(session) ? session : hashKey(session)}`;
}

export function parseKnown(text: string | null): KnownSession | null {
  try {
    const said = JSON.parse(text ?? 'null') as Readonly<Record<string, unknown>>;
    const { name, agentId, key, process } = said;
    return typeof name === 'string' && typeof agentId === 'string' && typeof key === 'string'
      ? { name, agentId, key, ...(isMark(process) ? { process } : {}) }
      : null;
  } catch {
    return null;
  }
}

export function knownSession(commonDir: string, session: HarnessSession): KnownSession | null {
  return parseKnown(readLocal(commonDir, `sessions/${fileName(session)}`));
}

/** All sessions that are known here, of one program or of any. */
function knownSessions(
  commonDir: string,
  program = '',
): readonly { readonly who: HarnessSession; readonly known: KnownSession }[] {
  return listLocal(commonDir, 'sessions').flatMap((file) => {
    const [, harness = '', session = ''] = /^([a-z]+)-(.+)$/.exec(file) ?? [];
    if (session === '' || (program !== '' && harness !== program)) return [];
    const known = parseKnown(readLocal(commonDir, `sessions/${file}`));
    return known === null ? [] : [{ who: { harness, session, subagent: null }, known }];
  });
}

/**
 * Of a program that gives its shells no id of a session: the one of the process above us. Where
 * several are of that very process, it is not known which.
 */
export function sessionAbove(commonDir: string, program: string): KnownSession | null {
  const sessions = knownSessions(commonDir, program).flatMap(({ known }) =>
    known.process === undefined ? [] : [{ known, process: known.process }],
  );
  const [first, ...more] = nearestAbove(sessions);
  return first === undefined || more.length > 0 ? null : first.known;
}

/** Sessions whose program has ended without a word, as one does that is killed. */
export function sessionsGone(commonDir: string): readonly HarnessSession[] {
  return knownSessions(commonDir)
    .filter(({ known }) => known.process !== undefined && isGone(known.process))
    .map(({ who }) => who);
}

/** The key that a reference stands for; anything else is the key itself. */
export function keyBehind(commonDir: string, said: string): string {
  const name = /^@([a-z]+-[A-Za-z0-9_-]{1,100})$/.exec(said)?.[1];
  return name === undefined
    ? said
    : (parseKnown(readLocal(commonDir, `sessions/${name}`))?.key ?? said);
}

export function keepSession(commonDir: string, session: HarnessSession, known: KnownSession): void {
  writeLocal(commonDir, `sessions/${fileName(session)}`, `${JSON.stringify(known)}\n`, 0o600);
}

export function dropSession(commonDir: string, session: HarnessSession): void {
  dropLocal(commonDir, `sessions/${fileName(session)}`);
}
