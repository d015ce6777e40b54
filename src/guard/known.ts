/**
 * What the hooks may know without starting coord: where the log stood, and how the paths begin that
 * are held. A path that begins otherwise is free for as long as the log stands there
 * (hooks/git-free).
 */
import type { RealWorld } from '../agent/world.ts';
import { shellQuote } from '../core/shell-line.ts';
import type { Observation } from '../log/log-store.ts';
import { standingReservations } from '../loop/standing.ts';
import { sharedFiles } from '../shim/files.ts';
import { dropShared, readShared, writeShared } from '../shim/shared-file.ts';

/** With more of them the hooks would look at each path for too long. */
const mostBeginnings = 200;

/** As a pattern of the shell's `case`, each beginning quoted. */
export function noteKnown(world: RealWorld, at: Observation): void {
  const {
    repository,
    settings: { folding },
  } = world;
  // Where others move the log from elsewhere, nothing that stands here tells that nobody has.
  if (at.remote !== undefined || at.tip === null) return;
  if (readShared(repository, sharedFiles.known)?.startsWith(`${at.tip}\n`) === true) return;
  const patterns = standingReservations(world, at).flatMap((lease) => lease.patterns);
  const beginnings = [...new Set(patterns.map(beginning))];
  const isPlain = !folding.ignoreCase && !folding.composeUnicode;
  if (
    !isPlain ||
    beginnings.length > mostBeginnings ||
    beginnings.some((text) => /[\0\n]/.test(text))
  ) {
    dropShared(repository, sharedFiles.known);
    return;
  }
  // A file in the place of a folder is in the way of what is held in it.
  const folders = new Set(beginnings.flatMap(foldersOf));
  const cases = [...beginnings.map((text) => `${quoted(text)}*`), ...[...folders].map(quoted)].join(
    '|',
  );
  writeShared(repository, sharedFiles.known, [], { tip: at.tip, beginnings: cases });
}

function foldersOf(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
}

function quoted(text: string): string {
  return text === '' ? "''" : shellQuote(text);
}

/** What every path that a pattern matches begins with. */
function beginning(pattern: string): string {
  const [plain = ''] = /^[^*?[{\\]*/.exec(pattern) ?? [];
  return plain.replace(/\/$/, '');
}
