/** What makes a new work tree ready: what git ignores is copied or linked, and a command is run. */
import type { RealWorld } from '../../agent/world.ts';
import { matches } from '../../core/overlap.ts';
import { elsewhere } from '../../git/environment.ts';
import { type Brought, bringIgnored, copyIgnored } from '../../git/ignored-content.ts';
import type { Repository } from '../../git/repository.ts';
import { seenFrom, type WorkTree, workTreesOf } from '../../git/work-trees.ts';
import { runProgram } from '../shell.ts';

export interface Prepared extends Brought {
  /** The command of the recipe: null where there is none, else what came of it. */
  readonly run: {
    readonly command: string;
    readonly came: 'ran' | 'failed' | 'not_allowed';
  } | null;
}

export async function prepare(
  world: RealWorld,
  tree: WorkTree,
  variables: Readonly<Record<string, string>>,
): Promise<Prepared> {
  const { settings, repository } = world;
  const isAny = (patterns: readonly string[]) => (path: string) =>
    patterns.some((pattern) => matches(pattern, path, settings.folding));
  const from = sourceOf(repository);
  const copied = copyIgnored(from, tree.path, isAny(settings.workCopy));
  const brought = bringIgnored(from, tree.path, [], isAny(settings.workLink));
  const all = { ...brought, copied: [...copied, ...brought.copied] };
  const command = settings.workRun;
  if (command === '') return { ...all, run: null };
  if (!settings.allow.includes(command)) return { ...all, run: { command, came: 'not_allowed' } };
  const env = { ...elsewhere(repository.git.env), ...variables };
  const { code } = await runProgram(['/bin/sh', '-c', command], tree.path, env);
  return { ...all, run: { command, came: code === 0 ? 'ran' : 'failed' } };
}

/** The main work tree has what others get copies of; where there is none, the one that asks. */
function sourceOf(repository: Repository): Repository {
  const main = workTreesOf(repository).find(({ isMain, isThere }) => isMain && isThere);
  return main === undefined ? repository : seenFrom(repository, main);
}
