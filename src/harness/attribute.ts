/**
 * Whose change it is, after a shell command: free files are reserved for whoever changed them, and
 * a holder whose file has changed learns of it. Nobody is said to have done what is not known:
 * another call, or a person's editor, may have been at the file at the same time.
 */
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Tool } from '../adapter/hook-event.ts';
import type { RealWorld } from '../agent/world.ts';
import type { Lease } from '../core/lease.ts';
import { collide, covers } from '../core/overlap.ts';
import { literal } from '../core/pattern.ts';
import { looksBefore } from '../draft/maybe-by.ts';
import { snapshotsIn } from '../draft/snapshot.ts';
import { listLocal } from '../git/local.ts';
import { tellOverwritten } from '../guard/overwritten.ts';
import { type Look, looksUnderWay } from '../guard/work-tree.ts';
import type { Observation } from '../log/log-store.ts';
import { decisionContext } from '../loop/operate.ts';
import { standingReservations } from '../loop/standing.ts';
import { reserve } from '../loop/take.ts';
import { sharedFiles } from '../shim/files.ts';
import { sharedPath } from '../shim/shared-file.ts';
import type { HarnessAgent } from './agent.ts';
import { attributeLines } from './attribute-lines.ts';
import { effectsIn, isOfOthers, keysWritten } from './command-effects.ts';
import { changedOthers } from './denial.ts';
import { ownLeases } from './edit.ts';
import { noteEdit, sessionFile } from './edit-note.ts';

interface Command {
  readonly cwd: string;
  readonly tool: Tool;
}

interface Hit {
  readonly path: string;
  readonly lease: Lease;
  /** The command names it, or nobody else was at work here. */
  readonly isCertain: boolean;
}

export async function attribute(
  agent: HarnessAgent,
  { cwd, tool }: Command,
  changed: readonly string[],
  before: Look,
  look: string,
): Promise<readonly string[]> {
  const { world } = agent;
  const at = await world.store.observe();
  const { folding } = world.settings;
  const others = standingReservations(world, at).filter(isOfOthers(world));
  const named = tool.kind === 'shell' ? keysWritten(world, effectsIn(tool.command, cwd), cwd) : [];
  const leaseOn = (path: string, id?: string): Lease | undefined =>
    others.find(
      (lease) =>
        (id === undefined || lease.agent.id === id) &&
        lease.patterns.some((held) => collide(held, literal(path), folding)),
    );
  const isNamed = (path: string): boolean =>
    named.some((key) => collide(key, literal(path), folding));
  const isCertain = (path: string): boolean =>
    looksBefore(world.repository, path).every((name) => name === look);
  const shared = await attributeLines(world, at, changed, {
    isCertain,
    look,
    wasChanged: (path) => before.marks.has(path),
  });
  const isShared = new Set(shared.map(({ path }) => path));
  const whole = changed.filter((path) => !isShared.has(path));
  const hits = [
    ...whole.flatMap((path): readonly Hit[] => {
      const lease = leaseOn(path);
      if (lease === undefined) return [];
      if (!isNamed(path) && changedByItself(world, path, before.atMs)) return [];
      return [{ path, lease, isCertain: isNamed(path) || isAlone(agent, at, lease) }];
    }),
  ];
  await tell(world, hits);
  const ofLines = shared.flatMap(({ path, overwritten }) =>
    overwritten.flatMap((id): readonly Hit[] => {
      const lease = leaseOn(path, id);
      return lease === undefined ? [] : [{ path, lease, isCertain: isNamed(path) }];
    }),
  );
  const free = whole.filter((path) => leaseOn(path) === undefined);
  await take(agent, at, free, isCertain);
  return said(world, at, cwd, [...hits, ...ofLines]);
}

/** What is free becomes its own; and that it was at what is its own, others can see from now. */
async function take(
  agent: HarnessAgent,
  at: Observation,
  changed: readonly string[],
  isCertain: (path: string) => boolean,
): Promise<void> {
  const { world } = agent;
  const { name } = world.caller();
  const { folding } = world.settings;
  const own = standingReservations(world, at).filter((lease) => lease.agent.name === name);
  const isOwn = (path: string): boolean =>
    own.some(({ patterns }) => patterns.some((held) => covers(held, literal(path), folding)));
  noteEdit(
    world,
    agent.who,
    at,
    ownLeases(world, at, decisionContext(world, at)),
    changed.filter(isOwn).map((path) => join(world.repository.top, path)),
  );
  if (world.settings.edit !== 'auto') return;
  const free = changed.filter((path) => !isOwn(path) && isCertain(path));
  for (let i = 0; i < Math.min(free.length, 256); i += 64)
    await reserve(world, free.slice(i, i + 64).map(literal), { edited: true });
}

/** Each holder once for what is known, and once for what is not. */
async function tell(world: RealWorld, hits: readonly Hit[]): Promise<void> {
  for (const isCertain of [true, false])
    await tellOverwritten(
      world,
      hits
        .filter((hit) => hit.isCertain === isCertain)
        .map(({ path, lease }) => ({ path, agent: lease.agent })),
      isCertain ? {} : { known: false },
    );
}

/** One text for what is known, one for what is not. */
function said(
  world: RealWorld,
  at: Observation,
  cwd: string,
  hits: readonly Hit[],
): readonly string[] {
  const { repository } = world;
  const place = { repository, cwd, state: at.state, c: decisionContext(world, at) };
  return [true, false].flatMap((isCertain) => {
    const some = hits.filter((hit) => hit.isCertain === isCertain);
    const [first] = some;
    if (first === undefined) return [];
    const saved = snapshotsIn(repository).find(({ agentId }) => agentId === first.lease.agent.id);
    return [changedOthers(place, some, saved?.id ?? null, isCertain)];
  });
}

/** Nobody else has a call under way here, and the holder is a program that tells its calls. */
function isAlone(caller: HarnessAgent, { state }: Observation, { agent }: Lease): boolean {
  return state.agents.get(agent.id)?.kind === 'agent' && isAloneAtWork(caller);
}

function isAloneAtWork({ world, who }: HarnessAgent): boolean {
  const own = sessionFile(who) ?? '';
  const isOther = (look: string): boolean => look !== own && !look.startsWith(`${own}.`);
  return !looksUnderWay(world.repository).some(isOther);
}

/** Some session was at this file in the meantime by a call of its own, as its note tells. */
export function changedByItself({ repository }: RealWorld, path: string, sinceMs: number): boolean {
  const file = join(repository.top, path);
  return listLocal(repository.commonDir, 'edits').some(
    (session) =>
      (statSync(sharedPath(repository, sharedFiles.edit, session, resolve(file)), {
        throwIfNoEntry: false,
      })?.mtimeMs ?? 0) >= sinceMs,
  );
}
