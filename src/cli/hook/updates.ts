/** Updates of refs, stashes and pushes, as git's hooks tell of them. */

import { readFileSync } from 'node:fs';
import { exits } from '../../core/exits.ts';
import { harmless } from '../../core/harmless.ts';
import { knowsIndexBefore, noteReturn } from '../../draft/index-before.ts';
import { noteRefused, ofOthers, saveWork, unsavedWork } from '../../draft/saved-work.ts';
import { noteBase, noteBranch } from '../../draft/stage-base.ts';
import { stashedPaths } from '../../git/changes.ts';
import { treeOf } from '../../git/files-at.ts';
import { headOf, isRebasing } from '../../git/head.ts';
import { treeOfIndex } from '../../git/index-file.ts';
import { zeroOid } from '../../git/refs.ts';
import { openBare, type Repository } from '../../git/repository.ts';
import { is } from '../../git/verbs.ts';
import { afterMove } from '../../guard/after-commit.ts';
import type { HookCaller } from '../../guard/caller.ts';
import { noteDeletedBranches } from '../../guard/deleted-branches.ts';
import { pathsOf } from '../../guard/evaluate.ts';
import { judgePush } from '../../guard/judge-push.ts';
import { noteMakers, ownReplays } from '../../guard/makers.ts';
import { waitAndRetry } from '../../guard/next-steps.ts';
import { type Span, touchedByMove, watch } from '../../guard/overwritten.ts';
import { afterRefusedUpdate, keepsFiles } from '../../guard/put-back.ts';
import { judgeHook, parseReceived } from '../../guard/receive.ts';
import { beginsPick, readDeletions, readLines } from '../../guard/ref-lines.ts';
import { judgeTransaction } from '../../guard/ref-transaction.ts';
import { isStashed, noteStash } from '../../guard/stash-owner.ts';
import { foreignOperation } from '../../guard/under-way.ts';
import type { Report } from '../../render/report.ts';
import { sharedFiles } from '../../shim/files.ts';
import { writeShared } from '../../shim/shared-file.ts';
import type { Call } from '../verb.ts';
import { type Hooked, quiet, verdict } from './verdict.ts';

export function moveDuty({ world, caller }: Hooked): Report {
  noteBranch(world.repository, caller.stage);
  afterMove(world, caller);
  return quiet;
}

export function transactionDuty(hooked: Hooked): Report {
  const { call, world, at, caller } = hooked;
  const input = readFileSync(0, 'utf8');
  const [, stash] = /^[0-9a-f]+ ([0-9a-f]*[1-9a-f][0-9a-f]*) refs\/stash$/m.exec(input) ?? [];
  if (stash !== undefined) return stashDuty(hooked, stash);
  if (beginsPick(input)) return pickDuty(hooked);
  const lines = readLines(input);
  const deletions = readDeletions(world.repository, input);
  if (lines.length + deletions.length === 0) return quiet;
  const { repository } = world;
  const git = call.env['COORD_GIT_PID'];
  const { problems, head, fresh, made, newBase, movesTo, moves } = judgeTransaction(
    world,
    at,
    caller,
    { lines, deletions, git },
  );
  const returns =
    problems.length > 0 && isResetOfOwn(caller, movesTo) && knowsIndexBefore(repository, git);
  const update = { head: head.oid, movesTo, made, returns };
  const next = problems.length > 0 ? afterRefusedUpdate(world, caller, problems, update) : [];
  const report = problems.length > 0 ? verdict(hooked, problems, head.oid, next) : quiet;
  if (!report.ok) {
    noteRefused(repository, fresh);
    // Most commands change the index before git asks: refused or not, that is where it stands now.
    if (
      movesTo !== null &&
      treeOfIndex(repository, caller.stage.index) === treeOf(repository, movesTo)
    ) {
      if (returns) putIndexBack(hooked, movesTo);
      noteBase(repository, caller.stage, movesTo);
      if (moves !== null && !keepsFiles(caller.command())) tellAfterRefusal(hooked, moves);
    }
    return report;
  }
  noteMakers(
    repository,
    caller,
    isRebasing(repository) ? ownReplays(repository, caller, fresh) : made,
  );
  const to = newBase?.oid ?? moves?.to;
  if (deletions.length > 0) keepAfter(repository, deletions, to === undefined ? git : undefined);
  if (git === undefined || to === undefined) return report;
  const touched = moves === null ? [] : touchedByMove(world, at, caller, call.env, moves);
  if (touched.length > 0) watch(world, `moved-${git}`, touched);
  const isSessions = newBase !== null && newBase.stage.agentId !== null;
  const follows =
    isSessions && !isRebasing(repository) && !is(caller.command()?.verb ?? '', 'follows');
  // Noted for the shim, which puts it in place once git says that the update has gone through.
  const event = follows || touched.length > 0 ? 'moved' : '';
  const base = newBase?.stage.baseName ?? '';
  writeShared(repository, sharedFiles.pending, [git], { to, base, follows: event });
  return report;
}

/** Once the branches are gone; of what goes and moves in one step whoever looks next keeps it. */
function keepAfter(
  repository: Repository,
  deletions: readonly string[],
  git: string | undefined,
): void {
  if (!noteDeletedBranches(repository, deletions) || git === undefined) return;
  const to = zeroOid(repository);
  writeShared(repository, sharedFiles.pending, [git], { to, follows: 'deleted' });
}

/** git has reset the repository's own index, and nothing else. */
function isResetOfOwn({ stage, command }: HookCaller, movesTo: string | null): boolean {
  return movesTo !== null && stage.agentId === null && keepsFiles(command());
}

/** As it was, once no ref is locked any more. */
function putIndexBack({ call, world }: Hooked, to: string): void {
  noteReturn(world.repository);
  const git = call.env['COORD_GIT_PID'] ?? '';
  writeShared(world.repository, sharedFiles.pending, [git], { to, follows: 'refused' });
}

/** In the merge of somebody else it would take the place of what git keeps of that one. */
function pickDuty(hooked: Hooked): Report {
  const { world, at, caller } = hooked;
  const foreign = foreignOperation(world, at, caller);
  if (foreign === null) return quiet;
  const { oid } = headOf(world.repository);
  const update = { head: oid, movesTo: null, made: [] };
  return verdict(hooked, [foreign], oid, afterRefusedUpdate(world, caller, [foreign], update));
}

/** git has written files before it asked: their holders are told once no ref is locked any more. */
function tellAfterRefusal({ call, world, at, caller }: Hooked, span: Span): void {
  const git = call.env['COORD_GIT_PID'];
  if (git === undefined) return;
  const touched = touchedByMove(world, at, caller, call.env, span);
  if (touched.length === 0) return;
  watch(world, `moved-${git}`, touched);
  writeShared(world.repository, sharedFiles.pending, [git], { to: span.to, follows: 'refused' });
}

/** Somebody pushes to the stack of stashes: git takes the files away next. */
function stashDuty({ call, world, at, caller }: Hooked, entry: string): Report {
  const { repository } = world;
  // What is there already is packed, or stands on top again.
  if (isStashed(repository, entry)) return quiet;
  if (caller.who.isAgent) noteStash(repository, entry, world.caller().name);
  const theirs = ofOthers(world, unsavedWork(world, at));
  const stashed = new Set(stashedPaths(repository, entry));
  const taken = theirs.filter(({ path }) => stashed.has(path));
  const git = call.env['COORD_GIT_PID'];
  if (taken.length === 0 || git === undefined) return quiet;
  // Where one lock is on all refs, the entry itself keeps it.
  if (repository.refs === 'files') saveWork(world, taken, `git stash of ${world.caller().name}`);
  watch(world, `moved-${git}`, taken);
  writeShared(repository, sharedFiles.pending, [git], { to: entry, follows: 'moved' });
  return quiet;
}

export function pushDuty(hooked: Hooked): Report {
  const { world, at, caller } = hooked;
  const tips = readFileSync(0, 'utf8')
    .split('\n')
    // What was done in a work tree of coord's took no leases.
    .filter((line) => !line.startsWith('refs/heads/coord/'))
    .flatMap((line) => /^\S+ ([0-9a-f]{40,64}) refs\/heads\/\S+ [0-9a-f]+$/.exec(line)?.[1] ?? [])
    .filter((oid) => !/^0+$/.test(oid));
  const problems = tips.length === 0 ? [] : judgePush(world, at, caller, tips);
  return problems.length > 0
    ? verdict(hooked, problems, headOf(world.repository).oid, [
        waitAndRetry(pathsOf(problems), caller.command()),
      ])
    : quiet;
}

/** Of a server: the repository has no work tree, and what came is not in it yet. */
export function receive(call: Call): Report {
  const problems = judgeHook(
    openBare(call.cwd, call.env),
    parseReceived(readFileSync(0, 'utf8')),
    call.env['COORD_UPDATE_OF'] ?? null,
  );
  if (problems.length === 0) return quiet;
  return {
    ok: false,
    exit: exits.refused,
    result: 'refused',
    facts: { problems: problems.length },
    says: [],
    notes: ['coord: refused', ...problems.slice(0, 20).map((problem) => `  ${harmless(problem)}`)],
  };
}
