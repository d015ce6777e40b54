/**
 * `coord hook git <event>`: what the shim of git's hooks runs. A verdict of no is exit 1 and never
 * anything else; where coord itself fails, `coord.onError` decides. Silent in success.
 */

import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { RealWorld } from '../../agent/world.ts';
import { few } from '../../core/counted.ts';
import { decideTell } from '../../core/decide/tell.ts';
import { CoordError } from '../../core/errors.ts';
import { exits } from '../../core/exits.ts';
import { harmless, shorten } from '../../core/harmless.ts';
import { formatTime } from '../../core/instant.ts';
import { limits } from '../../core/limits.ts';
import { shellLine } from '../../core/shell-line.ts';
import { noteRefused, ofOthers, saveWork, unsavedWork } from '../../draft/saved-work.ts';
import { noteBranch } from '../../draft/stage-base.ts';
import { noteBase } from '../../draft/stage-base.ts';
import { baseOf } from '../../draft/stage-base.ts';
import { stashedPaths } from '../../git/changes.ts';
import { treeOf } from '../../git/files-at.ts';
import { headOf, isRebasing } from '../../git/head.ts';
import { treeOfIndex } from '../../git/index-file.ts';
import { takeLocal, writeLocal } from '../../git/local.ts';
import { openBare } from '../../git/repository.ts';
import { aboutProblems, aboutUnsaved } from '../../guard/audit.ts';
import { beforeCommand } from '../../guard/before-command.ts';
import { type HookCaller, hookCaller, isIdle, overrideOf, pausedFor } from '../../guard/caller.ts';
import { beforeCommit } from '../../guard/commit-hooks.ts';
import { signMessage } from '../../guard/sign-message.ts';
import { noteCommit } from '../../guard/after-commit.ts';
import { doneWith } from '../../guard/after-commit.ts';
import { afterCheckout } from '../../guard/after-commit.ts';
import { forgetOperation } from '../../guard/after-commit.ts';
import { afterMove } from '../../guard/after-commit.ts';
import { type Problem, pathsOf } from '../../guard/evaluate.ts';
import { noteKnown } from '../../guard/known.ts';
import { noteMakers, ownReplays } from '../../guard/makers.ts';
import { keepAndWait, waitAndRetry } from '../../guard/next-steps.ts';
import {
  endWatch,
  takeWatched,
  tellHolders,
  touchedByMove,
  watch,
} from '../../guard/overwritten.ts';
import { afterRefusedUpdate } from '../../guard/put-back.ts';
import { judgeRebase } from '../../guard/rebase.ts';
import { judgeHook, parseReceived } from '../../guard/receive.ts';
import { judgeTransaction } from '../../guard/ref-transaction.ts';
import { judgePush } from '../../guard/judge-push.ts';
import { readDeletions } from '../../guard/ref-lines.ts';
import { readLines } from '../../guard/ref-lines.ts';
import { isStashed, noteStash, type StashEntry } from '../../guard/stash-owner.ts';
import type { Observation } from '../../log/log-store.ts';
import { stayActive } from '../../loop/activity.ts';
import { release } from '../../loop/hold.ts';
import { decisionContext, operate } from '../../loop/operate.ts';
import { refusalText } from '../../render/guard.ts';
import { whyLine } from '../../render/refusal.ts';
import type { Report } from '../../render/report.ts';
import { harnessHook } from '../harness-hook.ts';
import type { Call, Verb } from '../verb.ts';

const quiet: Report = { ok: true, exit: exits.done, result: 'passed', facts: {}, says: [] };

interface Hooked {
  readonly call: Call;
  readonly world: RealWorld;
  readonly at: Observation;
  readonly caller: HookCaller;
}

const handlers: Readonly<
  Record<string, (hooked: Hooked, args: readonly string[]) => Report | Promise<Report>>
> = {
  'pre-commit': onPreCommit,
  'pre-merge-commit': onPreCommit,
  'prepare-commit-msg': ({ call, world, at, caller }, [file = '']) => {
    signMessage(world, at, caller, resolve(call.cwd, file));
    return quiet;
  },
  'commit-msg': ({ call, world, at, caller }, [file = '']) => {
    signMessage(world, at, caller, resolve(call.cwd, file));
    return quiet;
  },
  'post-commit': async ({ world, at, caller }) => {
    noteCommit(world, caller);
    forgetOperation(world);
    afterMove(world, caller);
    const ids = world.settings.afterCommit === 'release' ? doneWith(world, at, caller) : [];
    if (ids.length > 0) await release(world, { by: 'named', ids, patterns: [] });
    else await stayActive(world, true);
    return quiet;
  },
  // It works by git alone: what it holds is to be renewed.
  active: async ({ world }) => {
    await stayActive(world, true);
    return quiet;
  },
  'post-merge': moveDuty,
  'pre-rebase': (hooked, args) => {
    const problems = judgeRebase(hooked.world, hooked.at, hooked.caller, args);
    if (problems.length === 0) return quiet;
    const { repository } = hooked.world;
    // git has made an autostash by now, which it leaves where no --abort finds it.
    const hasAutostash = existsSync(join(repository.gitDir, 'rebase-merge', 'autostash'));
    const restore = hasAutostash ? ['git rebase --quit && git stash pop -q --index'] : [];
    const lost = problems.flatMap((problem) => (problem.kind === 'lost' ? problem.commit : []));
    const again = hooked.caller.command() ?? { verb: 'rebase', words: args };
    return verdict(hooked, problems, headOf(repository).oid, [
      ...restore,
      keepAndWait(repository, lost, pathsOf(problems, 'held'), again),
    ]);
  },
  'post-rewrite': moveDuty,
  'post-checkout': async ({ call, world, at, caller }, args) => {
    await afterCheckout(world, at, caller, args, call.env);
    return quiet;
  },
  'reference-transaction': transactionDuty,
  command: commandDuty,
  'after-command': async ({ call, world }) => {
    await tellHolders(world, endWatch(world, call.env['COORD_SHIM'] ?? ''));
    return quiet;
  },
  // A branch has moved by a command after which git runs no hook of its own.
  moved: async ({ call, world, caller }) => {
    // At the end of a rebase HEAD comes back to its branch after the branch has moved.
    if (!isRebasing(world.repository)) afterMove(world, caller);
    await tellHolders(world, takeWatched(world, `moved-${call.env['COORD_GIT_PID'] ?? ''}`));
    return quiet;
  },
  'pre-push': pushDuty,
};

function moveDuty({ world, caller }: Hooked): Report {
  noteBranch(world.repository, caller.stage);
  afterMove(world, caller);
  return quiet;
}

async function onPreCommit(hooked: Hooked): Promise<Report> {
  const { call, world, at, caller } = hooked;
  const { forwarded, problems, next } = beforeCommit(world, at, caller, call.env, call.cwd);
  const head = headOf(world.repository).oid;
  if (problems.length > 0) {
    keepHeld(world, at, pathsOf(problems, 'held'));
    return verdictOfCommit(hooked, problems, head, next);
  }
  if (forwarded.kind === 'unmerged') return quiet;
  if (forwarded.kind === 'baseless') {
    throw new CoordError(
      'git_failed',
      `the commit that your stage is based on is gone; it differs from HEAD in: ${forwarded.paths.slice(0, 20).join(', ')}`,
      'git reset -q, then add again what is yours',
    );
  }
  return quiet;
}

function transactionDuty(hooked: Hooked): Report {
  const { call, world, at, caller } = hooked;
  const input = readFileSync(0, 'utf8');
  const [, stash] = /^[0-9a-f]+ ([0-9a-f]*[1-9a-f][0-9a-f]*) refs\/stash$/m.exec(input) ?? [];
  if (stash !== undefined) return stashDuty(hooked, stash);
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
  const report =
    problems.length > 0
      ? verdict(
          hooked,
          problems,
          head.oid,
          afterRefusedUpdate(world, caller, problems, { head: head.oid, movesTo, made }),
        )
      : quiet;
  if (!report.ok) {
    noteRefused(repository, fresh);
    // Most commands change the index before git asks: refused or not, that is where it stands now.
    if (
      movesTo !== null &&
      treeOfIndex(repository, caller.stage.index) === treeOf(repository, movesTo)
    )
      noteBase(repository, caller.stage, movesTo);
    return report;
  }
  noteMakers(
    repository,
    caller,
    isRebasing(repository) ? ownReplays(repository, caller, fresh) : made,
  );
  const to = newBase?.oid ?? moves?.to;
  if (git === undefined || to === undefined) return report;
  const touched = moves === null ? [] : touchedByMove(world, at, caller, call.env, moves);
  if (touched.length > 0) watch(world, `moved-${git}`, touched);
  const isSessions = newBase !== null && newBase.stage.folder !== null;
  const follows =
    isSessions && !isRebasing(repository) && !hasOwnHook.includes(caller.command()?.verb ?? '');
  // Noted for the shim, which puts it in place once git says that the update has gone through.
  const event = follows || touched.length > 0 ? 'moved' : '';
  writeLocal(
    repository.gitDir,
    `pending-${git}`,
    `${to}\n${newBase?.stage.baseName ?? ''}\n${event}\n`,
  );
  return report;
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
  writeLocal(repository.gitDir, `pending-${git}`, `${entry}\n\nmoved\n`);
  return quiet;
}

/** After these git runs a hook by which the repository's own index comes along. */
const hasOwnHook: readonly string[] = ['commit', 'merge', 'pull', 'checkout', 'switch', 'rebase'];

function pushDuty(hooked: Hooked): Report {
  const { world, at, caller } = hooked;
  const tips = readFileSync(0, 'utf8')
    .split('\n')
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
function receive(call: Call): Report {
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

const overrideMark = 'overridden';

/**
 * Before its commit stands an override is in the log; where refs are locked, the note is carried by
 * whoever writes next.
 */
async function verdictOfCommit(
  hooked: Hooked,
  problems: readonly Problem[],
  head: string | null,
  next: readonly string[],
): Promise<Report> {
  const report = verdict(hooked, problems, head, next);
  const { call, world } = hooked;
  if (report.ok) writeLocal(world.repository.gitDir, overrideMark, call.env['COORD_GIT_PID'] ?? '');
  if (report.ok) await operate(world, (state, c) => decideTell(world.caller(), () => [], state, c));
  return report;
}

function verdict(
  { call, world, at, caller }: Hooked,
  problems: readonly Problem[],
  head: string | null,
  next: readonly string[],
): Report {
  const { repository } = world;
  const why = overrideOf(call.env, caller.who) ?? pausedFor(world, at);
  const facts = { at: formatTime(world.clock.now().at), ...aboutProblems(problems) };
  // git asks twice about a commit whose own hooks it runs.
  const isTold =
    why !== null &&
    call.env['COORD_GIT_PID'] !== undefined &&
    takeLocal(repository.gitDir, overrideMark) === call.env['COORD_GIT_PID'];
  const id = isTold
    ? ''
    : world.tally.note(caller.who.name(), {
        what: why === null ? 'blocked' : 'overridden',
        ...facts,
        ...(why === null ? {} : { reason: why }),
      });
  if (why !== null) return quiet;
  const notes = refusalText(
    problems,
    {
      repository,
      base: baseOf(repository, caller.stage),
      head,
      state: at.state,
      c: decisionContext(world, at),
      isAgent: caller.who.isAgent,
    },
    next,
  );
  return {
    ok: false,
    exit: exits.refused,
    result: 'refused',
    facts: { problems: problems.length, ...(id === '' ? {} : { refusal: { id } }) },
    says: [],
    notes: [...notes, ...whyLine(id)],
  };
}

/** Whoever has staged what another holds may give it up now with a command that no hook sees. */
function keepHeld(world: RealWorld, at: Observation, paths: readonly string[]): void {
  if (paths.length === 0) return;
  const theirs = ofOthers(world, unsavedWork(world, at)).filter(({ path }) => paths.includes(path));
  if (theirs.length > 0)
    saveWork(world, theirs, `a commit of ${world.caller().name} that was refused`);
}

/** The git of a session asks before it runs a command. */
function commandDuty(
  { call, world, at }: Hooked,
  [verb = '', ...words]: readonly string[],
): Report {
  const caller = hookCaller(
    world,
    at,
    { ...call.env, GIT_INDEX_FILE: call.env['COORD_STAGE'] ?? '' },
    call.cwd,
  );
  const before = beforeCommand(
    { world, at, caller, cwd: call.cwd, isWider: call.env['COORD_WIDER'] === '1' },
    { verb, words },
  );
  const why = overrideOf(call.env, caller.who) ?? pausedFor(world, at);
  const refused = (notes: readonly string[], facts: Readonly<Record<string, unknown>>): Report => {
    const command = shorten(shellLine('git', verb, ...words), limits.commandChars);
    if (why !== null) {
      world.tally.note(caller.who.name(), {
        what: 'overridden',
        at: formatTime(world.clock.now().at),
        command,
        ...facts,
        reason: why,
      });
      return quiet;
    }
    const id = world.tally.note(caller.who.name(), {
      what: 'blocked',
      at: formatTime(world.clock.now().at),
      command,
      ...facts,
    });
    return {
      ok: false,
      exit: exits.refused,
      result: 'refused',
      facts: id === '' ? {} : { refusal: { id } },
      says: [],
      notes: [...notes, ...whyLine(id)],
    };
  };
  switch (before.kind) {
    case 'go':
      if (before.watched.length > 0) watch(world, call.env['COORD_SHIM'] ?? '', before.watched);
      return quiet;
    case 'problems':
      return refused(
        refusalText(
          before.problems,
          {
            repository: world.repository,
            base: null,
            head: null,
            state: at.state,
            c: decisionContext(world, at),
            isAgent: caller.who.isAgent,
          },
          before.next,
        ),
        aboutProblems(before.problems),
      );
    case 'stashed':
      return refused(
        [
          `coord: refused: ${stashedBy(before.others)}`,
          ...before.next.map((step) => `  next: ${step}`),
        ],
        { why: 'stashed', entries: before.others.slice(0, 20) },
      );
    case 'wipes':
      return refused(
        [
          `coord: refused: ${shellLine('git', verb, ...words)} would overwrite uncommitted changes of others`,
          ...before.what.slice(0, 20).map((line) => `  ${line}`),
          ...before.next.map((step) => `  next: ${step}`),
        ],
        { why: 'unsaved', ...aboutUnsaved(before.unsaved) },
      );
  }
}

function stashedBy(entries: readonly StashEntry[]): string {
  const by = [...new Set(entries.map(({ agent }) => agent ?? 'a person'))];
  return `${few(entries.map(({ name }) => name))} ${entries.length === 1 ? 'was' : 'were'} stashed by ${few(by)}`;
}

/**
 * Null in a bare repository: nobody works there, and what is pushed to it is its server's to judge.
 */
function worldOf(call: Call): RealWorld | null {
  try {
    return call.world();
  } catch (error) {
    if (error instanceof CoordError && error.code === 'bare_repository') return null;
    throw error;
  }
}

export const hook: Verb = {
  words: ['hook'],
  about: 'what the hooks of git and of agent harnesses run; not for people',
  positional: {
    name: 'kind and event',
    least: 2,
    most: 100_000,
    about: 'git and the name of the hook, with its arguments; or a harness and a moment',
  },
  flags: [],
  examples: [
    ['coord hook git pre-commit', "as git's hook does"],
    ['coord hook claude before-edit', 'as Claude Code does, with its payload on standard input'],
  ],
  run: async (call) => {
    const [kind = '', event = '', ...args] = call.positionals;
    if (kind !== 'git') return harnessHook(call, kind, event);
    if (event === 'pre-receive' || event === 'update') return receive(call);
    const duty = handlers[event];
    if (duty === undefined)
      throw new CoordError(
        'usage',
        `there is no hook 'git ${event}'`,
        `choose from git ${Object.keys(handlers).join(', ')}`,
      );
    const world = worldOf(call);
    if (world === null) return quiet;
    const at = await world.store.observe();
    if (isIdle(at)) {
      // Where others move the log from elsewhere, nothing that stands here tells that nobody has.
      if (at.remote === undefined)
        writeLocal(world.repository.commonDir, 'idle', `${at.tip ?? ''}\n`);
      return quiet;
    }
    noteKnown(world, at);
    return duty({ call, world, at, caller: hookCaller(world, at, call.env, call.cwd) }, args);
  },
};
