/**
 * Who made a commit here, where its trailer does not say so: `git am` and `commit-tree` write none,
 * and a commit that is taken over keeps the one it has. Kept locally; without it the trailer
 * counts.
 */
import { showAgent } from '../core/agent.ts';
import type { Oid } from '../core/ids.ts';
import { type CommitFacts, factsOf } from '../git/commits.ts';
import { beingReplayed } from '../git/head.ts';
import { appendLocal, readLocal, writeLocal } from '../git/local.ts';
import type { Repository } from '../git/repository.ts';
import { sharedFiles } from '../shim/files.ts';
import { sharedName } from '../shim/shared-file.ts';
import type { HookCaller } from './caller.ts';
import { isBy } from './evaluate.ts';

const makersFile = sharedName(sharedFiles.makers);

/** So many commits are remembered; who made an older one is told by its trailer. */
const mostLines = 2_000;
const aPerson = '-';

/** The agent that made it, or null for a person. */
type MakerOf = (commit: CommitFacts) => string | null;

export function makersOf({ commonDir }: Repository): MakerOf {
  let known: ReadonlyMap<Oid, string> | null = null;
  return (commit) => {
    known ??= readMakers(commonDir);
    const noted = known.get(commit.oid);
    return noted === undefined ? commit.agent : noted === aPerson ? null : noted;
  };
}

function readMakers(commonDir: string): ReadonlyMap<Oid, string> {
  const lines = (readLocal(commonDir, makersFile) ?? '').split('\n');
  return new Map(
    lines.flatMap((line) => {
      const [, oid, maker] = /^([0-9a-f]{40,64}) (.+)$/.exec(line) ?? [];
      return oid === undefined || maker === undefined ? [] : [[oid, maker] as const];
    }),
  );
}

/**
 * Of the commits that a rebase makes: they stay whose they were. One of the caller's own may have
 * lost its trailer on the way, where its message was written anew.
 */
export function ownReplays(
  repository: Repository,
  { who }: HookCaller,
  commits: readonly CommitFacts[],
): readonly CommitFacts[] {
  const oid = beingReplayed(repository);
  const source = oid === null ? null : factsOf(repository, oid);
  if (source === null) return [];
  const maker = makersOf(repository)(source);
  return (maker === null ? !who.isAgent : isBy(maker, who)) ? commits : [];
}

/** Notes those of these commits that are not what their trailers say. */
export function noteMakers(
  { commonDir }: Repository,
  caller: HookCaller,
  commits: readonly CommitFacts[],
): void {
  const { who, agent } = caller;
  const isTold = (commit: CommitFacts): boolean =>
    commit.agent === null ? !who.isAgent : who.isAgent && isBy(commit.agent, who);
  const maker = !who.isAgent ? aPerson : agent === null ? who.name() : showAgent(agent);
  const lines = commits.filter((commit) => !isTold(commit)).map(({ oid }) => `${oid} ${maker}\n`);
  if (lines.length === 0) return;
  const old = readLocal(commonDir, makersFile) ?? '';
  if (old.length < mostLines * 80) appendLocal(commonDir, makersFile, lines.join(''));
  else
    writeLocal(
      commonDir,
      makersFile,
      [...old.split('\n').slice(-mostLines / 2), ...lines].join('\n'),
    );
}
