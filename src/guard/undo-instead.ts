/**
 * A file that several change is put back by git whole: where that is what was asked for, what takes
 * back the caller's own lines alone.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { RealWorld } from '../agent/world.ts';
import { literal } from '../core/pattern.ts';
import { shellLine } from '../core/shell-line.ts';
import type { Unsaved } from '../draft/saved-work.ts';
import type { GitCommand } from '../git/git-command.ts';
import { argumentOf } from '../git/paths.ts';
import { namedFiles } from '../git/pathspec.ts';
import { effectOf } from './effects.ts';
import { optionsOf } from './options.ts';

/** Null where it would not do what was meant, or there is nothing of the caller's. */
export function undoInstead(
  { repository, caller }: RealWorld,
  cwd: string,
  command: GitCommand,
  unsaved: readonly Unsaved[],
): string | null {
  const { verb, words } = command;
  const effect = effectOf([verb, ...words], (path) => existsSync(resolve(cwd, path)));
  if (effect.kind !== 'paths' || !isFromHead(command)) return null;
  const named = namedFiles(repository, cwd, effect.paths);
  const { name } = caller();
  const reached = unsaved.filter(({ path }) => named?.has(path) === true);
  const own = reached.filter(({ agent }) => agent?.name === name);
  if (
    own.length === 0 ||
    reached.some(({ agent, lines }) => agent?.name !== name && lines === null)
  )
    return null;
  const paths = [...new Set(own.map(({ path }) => path))];
  return shellLine(
    'coord',
    'undo',
    '--',
    ...paths.map((path) => argumentOf({ repository, cwd }, literal(path))),
  );
}

/** Names files, and no other commit to take them from. */
function isFromHead({ verb, words }: GitCommand): boolean {
  const { has, free, paths } = optionsOf(verb, words);
  if (verb === 'restore') return !has('s', 'source');
  return verb === 'checkout' && (paths === null || free.every((word) => word === 'HEAD'));
}
