/**
 * Where a program keeps git's hooks from its shells, and their git is not the session's: what these
 * would have judged of a commit is judged before the command, by what it says; and whose the commits
 * are that it has made is noted after it.
 */
import { relative, resolve } from 'node:path';
import type { Harness } from '../adapter/harness.ts';
import { harnessNamed } from '../adapter/harnesses.ts';
import type { RealWorld } from '../agent/world.ts';
import type { Oid } from '../core/ids.ts';
import { formatTime } from '../core/instant.ts';
import { basedOn } from '../draft/stage-base.ts';
import { changesIn } from '../git/changes.ts';
import { between } from '../git/commits.ts';
import { headOf } from '../git/head.ts';
import { listLocal, takeLocal, writeLocal } from '../git/local.ts';
import { namedFiles } from '../git/pathspec.ts';
import { placeAbove } from '../git/repository.ts';
import { afterMove } from '../guard/after-commit.ts';
import { type HookCaller, hookCaller, pausedFor } from '../guard/caller.ts';
import { beforeCommit } from '../guard/commit-hooks.ts';
import { heldPaths, type Problem } from '../guard/evaluate.ts';
import { committedPaths } from '../guard/foreseen.ts';
import { makersOf, noteMakers } from '../guard/makers.ts';
import { afterRefusedCommit } from '../guard/next-commit.ts';
import { isPartial, optionsOf } from '../guard/options.ts';
import type { Effects, GitCall } from '../guard/shell-effects.ts';
import { differing } from '../guard/work-tree.ts';
import type { Observation } from '../log/log-store.ts';
import { decisionContext } from '../loop/operate.ts';
import { reservationsHere } from '../loop/standing.ts';
import { refusalText } from '../render/guard.ts';
import { sharedFiles } from '../shim/files.ts';
import { dropShared } from '../shim/shared-file.ts';
import type { HarnessAgent } from './agent.ts';
import { sessionFile } from './edit-note.ts';
import { wayToShells } from './shells.ts';

export function isGitUnheard(
  harness: Harness,
  agent: HarnessAgent,
  env: NodeJS.ProcessEnv,
): boolean {
  return harness.withoutGitHooks === true && wayToShells(harness, agent, env) === 'nothing';
}

/** As the shells of this program have it, which work with the repository's own index. */
function shellOf({ marks }: Harness, { repository }: RealWorld): NodeJS.ProcessEnv {
  const { GIT_INDEX_FILE: _index, COORD_STAGE: _stage, ...env } = repository.git.env;
  return { ...env, ...Object.fromEntries(marks.map(({ variable }) => [variable, '1'])) };
}

/** Why a commit in the command is refused, in the words of the hook that does not run. */
export function refusedCommit(
  harness: Harness,
  { world }: HarnessAgent,
  at: Observation,
  { git }: Effects,
): string | null {
  const { repository } = world;
  const env = shellOf(harness, world);
  const setting = {
    leases: reservationsHere(world, at),
    folding: world.settings.folding,
    who: { name: () => world.caller().name, isAgent: true },
  };
  const added: string[] = [];
  for (const call of git.filter(({ cwd }) => placeAbove(cwd)?.top === repository.top)) {
    const [verb = '', ...words] = call.words;
    added.push(...takenBy(world, call));
    if (!isCommit(call) || pausedFor(world, at) !== null) continue;
    const caller: HookCaller = {
      ...hookCaller(world, at, env, call.cwd),
      command: () => ({ verb, words }),
    };
    const paths = isPartial(words) ? takenBy(world, call) : added;
    const judged = isPartial(words)
      ? { problems: [], next: [] }
      : beforeCommit(world, at, caller, env, call.cwd);
    const known = new Set(judged.problems.map(pathOfProblem));
    const more = heldPaths([...new Set(paths)], setting).filter(
      (problem) => !known.has(pathOfProblem(problem)),
    );
    const problems = [...judged.problems, ...more];
    if (problems.length === 0) continue;
    const next =
      more.length === 0
        ? judged.next
        : afterRefusedCommit(repository, problems, paths, caller.command());
    return refusalText(
      problems,
      {
        repository,
        basedOn: basedOn(repository, caller.stage),
        head: headOf(repository).oid,
        state: at.state,
        c: decisionContext(world, at),
        isAgent: true,
      },
      next,
    ).join('\n');
  }
  return null;
}

function pathOfProblem(problem: Problem): string {
  return 'path' in problem ? problem.path : '';
}

/** What it would take from the work tree: what is changed there, and files that it names. */
function takenBy(
  { repository }: RealWorld,
  { cwd, words: [verb = '', ...words] }: GitCall,
): readonly string[] {
  const { has, free, paths } = optionsOf(verb, words);
  const named = [...free, ...(paths ?? [])];
  const takes = ['add', 'stage', 'rm', 'mv', 'commit'].includes(verb);
  if (!takes || (verb === 'commit' && named.length === 0 && !has('a', 'all'))) return [];
  const files = new Set(named.map((name) => relative(repository.top, resolve(cwd, name))));
  const meant = named.length === 0 ? null : namedFiles(repository, cwd, named);
  return [...differing(repository), ...files].filter(
    (path) => (meant === null || meant.has(path)) && path !== '',
  );
}

const folder = 'heads';
const isCommit = ({ words }: GitCall): boolean => words[0] === 'commit';

/** Where HEAD stands before the command of this look, and how often it commits. */
export function noteHead({ world }: HarnessAgent, look: string, { git }: Effects): void {
  const { repository } = world;
  const times = git.filter(isCommit).length;
  if (times === 0) return;
  const text = `${headOf(repository).oid ?? 'none'} ${times}\n`;
  writeLocal(repository.gitDir, `${folder}/${look}`, text);
  // The shim sees by it that no file has changed, and that a commit was made it would not tell.
  dropShared(repository, sharedFiles.lookList, look);
}

/** What nobody has signed since is its own, as far as it has said that it commits. */
export async function claimCommits({ world, who }: HarnessAgent): Promise<void> {
  const { repository } = world;
  const session = sessionFile(who) ?? '';
  const noted = listLocal(repository.gitDir, folder)
    .filter((look) => look === session || look.startsWith(`${session}.`))
    .flatMap((look) => takeLocal(repository.gitDir, `${folder}/${look}`) ?? []);
  const { oid } = headOf(repository);
  if (noted.length === 0 || oid === null) return;
  const at = await world.store.observe();
  const shell = shellOf(harnessNamed(who.harness), world);
  const caller = hookCaller(world, at, shell, repository.top);
  for (const text of noted) claimSince(world, caller, text.trim(), oid);
  afterMove(world, caller);
}

function claimSince(world: RealWorld, caller: HookCaller, noted: string, head: Oid): void {
  const { repository } = world;
  const [before = '', times = ''] = noted.split(' ');
  if (before === head) return;
  const makerOf = makersOf(repository);
  const made = between(repository, before === 'none' ? null : before, head);
  const own = made.filter((commit) => makerOf(commit) === null).slice(-Number(times));
  noteMakers(repository, caller, own);
  for (const commit of own)
    world.tally.note(world.caller().name, {
      what: 'committed',
      ...committedPaths(changesIn(repository, commit.oid)),
      at: formatTime(world.clock.now().at),
      commit: commit.oid,
    });
}
