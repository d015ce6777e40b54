/**
 * `coord hook git <event>`: what the shim of git's hooks runs. A verdict of no is exit 1 and never
 * anything else; where coord itself fails, `coord.onError` decides. Silent in success.
 */

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { RealWorld } from '../../agent/world.ts';
import { few } from '../../core/counted.ts';
import { decideTell } from '../../core/decide/tell.ts';
import { CoordError } from '../../core/errors.ts';
import { returnIndex } from '../../draft/index-before.ts';
import { followSparse, shareSparse } from '../../draft/sparse.ts';
import { headOf, isRebasing } from '../../git/head.ts';
import { writeLocal } from '../../git/local.ts';
import {
  afterCheckout,
  afterMove,
  doneWith,
  forgetOperation,
  noteCommit,
} from '../../guard/after-commit.ts';
import { hookCaller, isIdle } from '../../guard/caller.ts';
import { beforeCommit } from '../../guard/commit-hooks.ts';
import { keepDeletedBranches } from '../../guard/deleted-branches.ts';
import { type Problem, pathsOf } from '../../guard/evaluate.ts';
import { followWorkTree } from '../../guard/follow-work-tree.ts';
import { noteKnown } from '../../guard/known.ts';
import { keepAndWait, takenAlone } from '../../guard/next-steps.ts';
import { endWatch, takeWatched, tellHolders, tellOverwritten } from '../../guard/overwritten.ts';
import { lookAtAllLines } from '../../guard/overwritten-lines.ts';
import { judgeRebase } from '../../guard/rebase.ts';
import { signMessage } from '../../guard/sign-message.ts';
import { foreignOperation } from '../../guard/under-way.ts';
import type { Observation } from '../../log/log-store.ts';
import { stayActive } from '../../loop/activity.ts';
import { release } from '../../loop/hold.ts';
import { operate } from '../../loop/operate.ts';
import { warningLine } from '../../render/conflicts.ts';
import { keptLines } from '../../render/removal.ts';
import type { Report } from '../../render/report.ts';
import { sharedFiles } from '../../shim/files.ts';
import { writeShared } from '../../shim/shared-file.ts';
import { freshCollisions } from '../../work/conflicts/tell.ts';
import { harnessHook } from '../harness-hook.ts';
import { commandDuty, keepHeld, removesDuty } from '../hook/before-command.ts';
import { moveDuty, pushDuty, receive, transactionDuty } from '../hook/updates.ts';
import { type Hooked, noting, overrideMark, quiet, verdict } from '../hook/verdict.ts';
import type { Call, Verb } from '../verb.ts';

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
    const { world, at, caller } = hooked;
    const { repository } = world;
    const foreign = foreignOperation(world, at, caller);
    if (foreign !== null) return verdict(hooked, [foreign], headOf(repository).oid, ['git status']);
    const problems = judgeRebase(world, at, caller, args);
    if (problems.length === 0) return quiet;
    // git has made an autostash by now, which it leaves where no --abort finds it.
    const hasAutostash = existsSync(join(repository.gitDir, 'rebase-merge', 'autostash'));
    const restore = hasAutostash ? ['git rebase --quit && git stash pop -q --index'] : [];
    const lost = problems.flatMap((problem) => (problem.kind === 'lost' ? problem.commit : []));
    const again = caller.command() ?? { verb: 'rebase', words: args };
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
  command: async (hooked, args) => {
    await lookAtAllLines(hooked.world, hooked.at);
    return commandDuty(hooked, args);
  },
  removes: removesDuty,
  deleted: ({ world, at }) => noting(keptLines(keepDeletedBranches(world, at))),
  'after-command': async ({ call, world }) => {
    await tellOverwritten(world, endWatch(world, call.env['COORD_SHIM'] ?? ''));
    return quiet;
  },
  // A branch has moved by a command after which git runs no hook of its own.
  moved: async (hooked) => {
    // At the end of a rebase HEAD comes back to its branch after the branch has moved.
    if (!isRebasing(hooked.world.repository)) afterMove(hooked.world, hooked.caller);
    await tellWatched(hooked);
    return quiet;
  },
  // The session's git has changed which files are checked out, or a person's has.
  sparse: ({ call, world, at }, [who]) => {
    const env = { ...call.env, GIT_INDEX_FILE: call.env['COORD_STAGE'] ?? '' };
    const { stage } = hookCaller(world, at, env, call.cwd);
    if (who === 'person') followSparse(world.repository, stage);
    else shareSparse(world.repository, stage);
    return quiet;
  },
  // One was refused for which git had written files already.
  refused: async (hooked) => {
    returnIndex(hooked.world.repository);
    await tellWatched(hooked);
    return quiet;
  },
  'pre-push': pushDuty,
};

/** Of git's hooks, and of what coord's own git tells. */
export const gitEvents: readonly string[] = Object.keys(handlers);

async function tellWatched({ call, world }: Hooked): Promise<void> {
  await tellHolders(world, takeWatched(world, `moved-${call.env['COORD_GIT_PID'] ?? ''}`));
}

async function onPreCommit(hooked: Hooked): Promise<Report> {
  const { call, world, at, caller } = hooked;
  await lookAtAllLines(world, at);
  const {
    forwarded,
    problems,
    next,
    leftOut = [],
    unknownIn = [],
  } = beforeCommit(world, at, caller, call.env, call.cwd);
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
  const notes = [
    ...(leftOut.length === 0
      ? []
      : [`coord: note: left out what others have: ${few(pathsOf(leftOut))}`]),
    ...(unknownIn.length === 0
      ? []
      : [
          `coord: note: left out lines that nobody is known to have written, in ${few(unknownIn)}; if they are yours: ${takenAlone(unknownIn, null)}`,
        ]),
  ];
  return noting([...notes, ...collisionNotes(world, at)]);
}

/** What a commit here will collide with elsewhere is said while both can still be steered. */
function collisionNotes(world: RealWorld, at: Observation): readonly string[] {
  followWorkTree(world, at);
  return freshCollisions(world, true).map((one) => `coord: note: ${warningLine(one)}`);
}

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
  group: 'programs',
  looksByItself: true,
  isTold: false,
  isForPeople: false,
  exits:
    'of a git hook 1 means no; of a harness it is always 0, and the answer is in what is printed',
  about: 'answer the hooks of git and of agent programs',
  more: 'It is not for people.',
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
        `choose from git ${gitEvents.join(', ')}`,
      );
    const world = worldOf(call);
    if (world === null) return quiet;
    const at = await world.store.observe();
    if (isIdle(at)) {
      // Where others move the log from elsewhere, nothing that stands here tells that nobody has.
      if (at.remote === undefined)
        writeShared(world.repository, sharedFiles.idle, [], { tip: at.tip ?? '' });
      return quiet;
    }
    noteKnown(world, at);
    return duty({ call, world, at, caller: hookCaller(world, at, call.env, call.cwd) }, args);
  },
};
