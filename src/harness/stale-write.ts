/**
 * A file that is written as a whole from what was there some time ago takes back what others have
 * changed since, whoever holds it now. Such a write is refused once, with what it would take back:
 * then its agent has read it.
 */
import { statSync } from 'node:fs';
import { cksum } from '../core/cksum.ts';
import { lossesOf } from '../core/kept-lines.ts';
import { limits } from '../core/limits.ts';
import type { Change } from '../core/patch-text.ts';
import { pathOf } from '../core/pattern.ts';
import { type FileVersion, versionsOf } from '../git/file-versions.ts';
import { readRegular } from '../git/regular-file.ts';
import type { HarnessAgent } from './agent.ts';
import { sessionFile } from './edit-note.ts';
import { expected, isExplained } from './own-changes.ts';
import { type Known, knownOf, noteKnown, noteOwn, writerOf, writingNow } from './read-note.ts';
import { deniedStale, deniedWhileWriting, type Stale } from './stale-denial.ts';

/**
 * Why one of these must not be made of the files as they are; else they are noted as its own. `keys`
 * has those that are to be guarded.
 */
export function refusedStale(
  agent: HarnessAgent,
  changes: readonly Change[],
  keys: ReadonlyMap<string, string>,
): string | null {
  const { world, who } = agent;
  const { repository } = world;
  // Whose session has no name can't be told that it has read.
  if (sessionFile(who) === null) return null;
  const whole = changes.flatMap((change) => {
    const key = pathOf(keys.get(change.path) ?? '');
    return change.kind === 'whole' && key !== null && key !== '' ? [{ ...change, key }] : [];
  });
  const stale = whole.flatMap(({ path, key, text }) => judged(agent, path, key, text) ?? []);
  if (stale.length > 0) return deniedStale(world, stale);
  const { at } = world.clock.now();
  for (const { path, key, text } of whole) {
    const now = contentOf(path);
    // First said, then looked: of two that are let through at once at least one sees the other.
    noteKnown(repository, who, path, now ?? Buffer.alloc(0), text, at);
    const other = writingNow(repository, who, path, now, at);
    if (other === null) continue;
    noteKnown(repository, who, path, now ?? Buffer.alloc(0), null, at);
    return deniedWhileWriting(world, key, other);
  }
  const edited = changes.filter(({ kind }) => kind === 'replace');
  for (const path of new Set(edited.map((change) => change.path)))
    noteOwn(
      repository,
      who,
      path,
      edited.filter((change) => change.path === path),
    );
  return null;
}

function contentOf(path: string): Buffer | null {
  const content = readRegular(path, limits.savedFileBytes);
  return content.kind === 'file' ? content.bytes : null;
}

function judged(agent: HarnessAgent, path: string, key: string, next: string): Stale | null {
  const { world, who } = agent;
  const { repository } = world;
  const now = contentOf(path);
  const changedMs = statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0;
  if (now === null || now.equals(Buffer.from(next))) return null;
  const known = knownOf(repository, who, path);
  if (known !== null && isExplained(known, now, changedMs)) return null;
  const versions = versionsOf(repository, key);
  const contents = versions.flatMap(({ content }) => content ?? []);
  const read = known === null ? null : expected(known, contents);
  const isText = !now.includes(0);
  const losses = isText ? lossesOf(read, now.toString('utf8'), next) : [];
  if (isText && losses.length === 0) return null;
  noteKnown(repository, who, path, now, null, 0);
  return {
    path: key,
    isKnown: known !== null,
    losses,
    since: versions[0]?.content?.equals(now) === true ? broughtBy(versions, known) : [],
    writer: writerOf(repository, path, now),
    changedMs,
  };
}

/** The commits since it was read; of what was never read the last one. */
function broughtBy(versions: readonly FileVersion[], known: Known | null): readonly FileVersion[] {
  if (known === null) return versions.slice(0, 1);
  const from = versions.findIndex(
    ({ content }) => content !== null && cksum(content) === known.sum,
  );
  // A commit is dated by the second.
  return from >= 0
    ? versions.slice(0, from)
    : versions.filter(({ commit }) => commit.committedAt >= known.atMs - 1_000);
}
