/**
 * What others have committed since a stage was last at HEAD, told to its agent at its own next
 * call: at most once a minute, and where commits come fast, as one digest every five. Nobody is
 * called for it.
 */

import { counted } from '../core/counted.ts';
import { shorten } from '../core/harmless.ts';
import { limits } from '../core/limits.ts';
import { changesBetween } from '../git/changes.ts';
import { headOf } from '../git/head.ts';
import { stagedSince } from '../git/index-file.ts';
import { readLocal, writeLocal } from '../git/local.ts';
import type { Repository } from '../git/repository.ts';
import { runGit } from '../git/run-git.ts';
import { baseOf, type Stage, stageFolder } from './stage-base.ts';

interface HeadMoved {
  readonly commits: number;
  readonly touched: readonly string[];
}

/** Null where there is nothing to tell, or it was told a moment ago. */
export function headMoved(
  repository: Repository,
  stage: Stage,
  wallMs: number,
  ratePerMinute: number,
): HeadMoved | null {
  const [base, { oid: head }] = [baseOf(repository, stage), headOf(repository)];
  if (stage.agentId === null || base === null || head === null || base === head) return null;
  const told = `${stageFolder(stage.agentId)}/told`;
  const [at = '0', of = '', every = '0'] = (readLocal(repository.gitDir, told) ?? '').split(' ');
  if (of === head || Math.abs(wallMs - Number(at)) < Number(every)) return null;
  const ask = (...args: readonly string[]): string =>
    runGit(repository.git, [`--git-dir=${repository.gitDir}`, ...args])
      .stdout.toString('utf8')
      .trim();
  const commits = Number(ask('rev-list', '--count', `${base}..${head}`));
  const lately = Number(
    ask('rev-list', '--count', `--since=${Math.floor(wallMs / 1_000) - 60}`, `${base}..${head}`),
  );
  writeLocal(
    repository.gitDir,
    told,
    `${wallMs} ${head} ${lately > ratePerMinute ? limits.digestMs : limits.adviceMs}`,
  );
  if (!(commits > 0)) return null;
  const changed = new Set(changesBetween(repository, base, head).map(({ path }) => path));
  return {
    commits,
    touched: stagedSince(repository, stage.index, base)
      .map(({ path }) => path)
      .filter((path) => changed.has(path)),
  };
}

export function movedNote({ commits, touched }: HeadMoved): string {
  const what =
    touched.length === 0
      ? 'your staged files are unaffected'
      : `${touched.length} of your staged files changed there too: ${shorten(touched.join(', '), 200)}`;
  return `note: HEAD moved by ${counted(commits, 'commit')}; ${what}`;
}
