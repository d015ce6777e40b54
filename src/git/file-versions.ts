/** A file as the newest commits that changed it have it. */
import { limits } from '../core/limits.ts';
import { type CommitFacts, logArgs, parseCommits } from './commits.ts';
import { askObjects } from './read-objects.ts';
import type { Repository } from './repository.ts';
import { runGit } from './run-git.ts';

export interface FileVersion {
  readonly commit: CommitFacts;
  /** Null where it has taken the file away. */
  readonly content: Buffer | null;
}

/** Newest first; none where git cannot say. */
export function versionsOf(repository: Repository, path: string): readonly FileVersion[] {
  if (path.includes('\n')) return [];
  const args = [...logArgs, `--max-count=${limits.readVersions}`, 'HEAD', '--', path];
  const { code, stdout } = runGit(repository.git, [`--git-dir=${repository.gitDir}`, ...args]);
  const commits = code === 0 ? parseCommits(stdout.toString('utf8')) : [];
  if (commits.length === 0) return [];
  const found = askObjects(
    repository,
    commits.map(({ oid }) => `${oid}:${path}`),
  );
  return commits.map((commit, i) => ({
    commit,
    content: found[i]?.kind === 'blob' ? found[i].body : null,
  }));
}
