/**
 * A work tree is moved out of the way before it is taken away, so that nobody comes into it by its
 * path. A note says where it is and which process does that: whoever was killed in between leaves
 * nothing half done.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CoordError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { localPath, wallAge } from './local.ts';
import { isGone, markOf, type ProcessMark } from './process-mark.ts';
import type { Repository } from './repository.ts';
import type { WorkTree } from './work-trees.ts';

interface Removal {
  readonly id: string;
  readonly aside: string;
  readonly path: string;
  readonly gitDir: string;
  /** Null where processes cannot be told apart. */
  readonly by: ProcessMark | null;
  readonly at: number;
}

const lockText = 'coord is removing it\n';

function notePath({ commonDir }: Pick<Repository, 'commonDir'>, id: string): string {
  return localPath(commonDir, `removing/${id}`);
}

/** git is told to leave it alone meanwhile. */
export function setAside(repository: Repository, tree: WorkTree): WorkTree {
  const { id, path, gitDir } = tree;
  const other = noteOf(notePath(repository, id));
  if (other !== null && isAlive(other))
    throw new CoordError('busy', `somebody is removing '${path}'`, 'coord work list');
  const aside = join(dirname(path), `.${basename(path)}.removing-${id.slice(-8)}`);
  const note: Removal = { id, aside, path, gitDir, by: markOf(process.pid), at: Date.now() };
  mkdirSync(dirname(notePath(repository, id)), { recursive: true });
  writeFileSync(notePath(repository, id), JSON.stringify(note));
  try {
    writeFileSync(join(gitDir, 'locked'), lockText);
    renameSync(path, aside);
  } catch (error) {
    undo(repository, note);
    throw notMoved(path, error);
  }
  return { ...tree, path: aside };
}

function notMoved(path: string, error: unknown): CoordError {
  const why = error instanceof Error ? error.message : String(error);
  return new CoordError(
    'not_writable',
    `'${path}' cannot be moved: ${why}`,
    'coord work list',
    error,
  );
}

/** As it was before: in its place, and not locked. */
export function putWhereItWas(repository: Repository, { id }: WorkTree): void {
  const note = noteOf(notePath(repository, id));
  if (note !== null) undo(repository, note);
}

function undo(repository: Repository, { id, aside, path, gitDir }: Removal): void {
  if (existsSync(aside)) {
    // Somebody has put something else there: both stay, and git keeps its hands off.
    if (existsSync(path)) throw notMoved(aside, new Error(`'${path}' is there`));
    renameSync(aside, path);
  }
  rmSync(join(gitDir, 'locked'), { force: true });
  rmSync(notePath(repository, id), { force: true });
}

/** What git knows of it. */
export function forgetTree({ commonDir }: Repository, { gitDir }: WorkTree): void {
  rmSync(gitDir, { recursive: true, force: true });
  try {
    rmdirSync(join(commonDir, 'worktrees'));
  } catch {
    // There are others.
  }
}

/** A link in it is taken away itself, never what it leads to. */
export function takeAway(repository: Repository, { id, path }: WorkTree): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    throw new CoordError(
      'not_writable',
      `'${path}' cannot be removed: ${error instanceof Error ? error.message : String(error)}`,
      'give yourself the right to write there, then coord sweep',
      error,
    );
  }
  rmSync(notePath(repository, id), { force: true });
}

/** What a killed process has begun is taken back, or brought to its end where all was kept. */
export function settleRemovals(repository: Repository): void {
  for (const note of notesIn(repository)) {
    if (isAlive(note)) continue;
    if (existsSync(note.gitDir)) {
      if (!existsSync(note.path) || !existsSync(note.aside)) undo(repository, note);
    } else {
      rmSync(note.aside, { recursive: true, force: true });
      rmSync(notePath(repository, note.id), { force: true });
    }
  }
}

/** Without a view of processes somebody may be at it for a while. */
function isAlive({ by, at }: Removal): boolean {
  return by === null ? wallAge(at) < limits.commandMs : !isGone(by);
}

function notesIn({ commonDir }: Repository): readonly Removal[] {
  const folder = localPath(commonDir, 'removing');
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => noteOf(join(folder, name)) ?? []);
}

function noteOf(file: string): Removal | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Removal;
  } catch {
    return null;
  }
}
