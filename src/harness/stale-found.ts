/**
 * After a command: files that it has written from what was there some time ago. Nobody could stop it,
 * so what others committed meanwhile and the file lacks now is told to both. It stays in its commit.
 */
import { join } from 'node:path';
import type { HookEvent } from '../adapter/hook-event.ts';
import { agentShown } from '../core/agent.ts';
import { decideTell } from '../core/decide/tell.ts';
import { areKin } from '../core/ids.ts';
import { lossesOf } from '../core/kept-lines.ts';
import type { AgentName } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import { literal } from '../core/pattern.ts';
import { type FileVersion, versionsOf } from '../git/file-versions.ts';
import { readRegular } from '../git/regular-file.ts';
import { operate } from '../loop/operate.ts';
import type { HarnessAgent } from './agent.ts';
import { changedByItself } from './attribute.ts';
import { effectsIn, keysWritten } from './command-effects.ts';
import { expected, isExplained } from './own-changes.ts';
import { knownOf, noteKnown } from './read-note.ts';
import { lacking } from './stale-denial.ts';

interface Undone {
  readonly path: string;
  /** What it lacks, newest first. */
  readonly since: readonly FileVersion[];
  readonly losses: ReturnType<typeof lossesOf>;
}

/** Files that were as HEAD has them before the command, and are not now. */
export async function tellUndone(
  agent: HarnessAgent,
  { cwd, tool }: Pick<HookEvent, 'cwd' | 'tool'>,
  changed: readonly string[],
  sinceMs: number,
): Promise<readonly string[]> {
  const { world } = agent;
  const named = tool.kind === 'shell' ? keysWritten(world, effectsIn(tool.command, cwd), cwd) : [];
  // It names the file, and no other call was at it meanwhile.
  const isOwn = (path: string): boolean =>
    named.includes(literal(path)) && !changedByItself(world, path, sinceMs);
  const undone = changed.flatMap((path) => undoneIn(agent, path, sinceMs, isOwn(path)) ?? []);
  const events = undone.flatMap(({ path, since }) =>
    makersOf(since, world.caller().name).map(({ maker, commit }) => ({ path, maker, commit })),
  );
  if (events.length > 0)
    await operate(world, (state, c) =>
      decideTell(
        world.caller(),
        (by) =>
          events.map(({ path, maker, commit }) => ({
            event: 'overwritten',
            agent: maker,
            by,
            patterns: [path],
            undone: commit,
          })),
        state,
        c,
      ),
    );
  return undone.map((one) => lacking(one));
}

/** Agents whose commits these are, each with its newest. */
function makersOf(
  since: readonly FileVersion[],
  me: string,
): readonly { readonly maker: AgentName; readonly commit: string }[] {
  const found = new Map<string, { readonly maker: AgentName; readonly commit: string }>();
  for (const { commit } of since) {
    const maker = agentShown(commit.agent ?? '');
    if (maker === null || maker.name === me || found.has(maker.id)) continue;
    found.set(maker.id, { maker, commit: commit.oid });
  }
  return [...found.values()];
}

function undoneIn(
  { world, who }: HarnessAgent,
  path: string,
  sinceMs: number,
  isOwn: boolean,
): Undone | null {
  const { repository } = world;
  const file = join(repository.top, path);
  const content = readRegular(file, limits.savedFileBytes);
  const known = knownOf(repository, who, file);
  if (content.kind !== 'file' || known === null || content.bytes.includes(0)) return null;
  const versions = versionsOf(repository, path);
  const before = versions[0]?.content ?? null;
  const now = content.bytes;
  // HEAD has moved with the file, or has come to it.
  if (before === null || before.equals(now)) return null;
  if ((versions[0]?.commit.committedAt ?? 0) > sinceMs) return null;
  if (isExplained(known, before, 0)) {
    if (isOwn) noteKnown(repository, who, file, now, null, 0);
    return null;
  }
  const contents = versions.flatMap((version) => version.content ?? []);
  const read = expected(known, contents);
  if (read === null) return null;
  const losses = lossesOf(read, before.toString('utf8'), now.toString('utf8'));
  const from = contents.findIndex((one) => one.toString('utf8') === read);
  const since = versions.slice(0, from < 1 ? 1 : from);
  const isOfOthers = since.some(
    ({ commit }) => !areKin(commit.agent?.split(' ')[0] ?? '', world.caller().name),
  );
  return losses.length === 0 || !isOfOthers ? null : { path, since, losses };
}
