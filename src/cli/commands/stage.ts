/** `coord stage status` and `stage refresh`: the index of this session. */

import { statSync } from 'node:fs';
import { few } from '../../core/counted.ts';
import { agentNamed } from '../../core/decide/enrol.ts';
import { CoordError } from '../../core/errors.ts';
import { exits } from '../../core/exits.ts';
import { limits } from '../../core/limits.ts';
import { mergeForward } from '../../draft/merge.ts';
import { type Forwarded, refresh } from '../../draft/stage.ts';
import {
  baseOf,
  behindOf,
  noteBranch,
  repositoryStage,
  type Stage,
  stageOf,
} from '../../draft/stage-base.ts';
import type { BothSides } from '../../draft/staged-ahead.ts';
import { headOf } from '../../git/head.ts';
import { isLocked, stagedSince } from '../../git/index-file.ts';
import { whyLeft } from '../../log/lock-recovery.ts';
import { lockOf, removeLock } from '../../log/ref-lock.ts';
import { actorOf } from '../../loop/operate.ts';
import { describeCommit } from '../../render/guard.ts';
import type { Report } from '../../render/report.ts';
import { type Call, isOn, type Verb } from '../verb.ts';

/**
 * The index of the caller in this work tree: its own, or else the repository's, which hooks keep
 * current too.
 */
async function stageOfCaller(call: Call): Promise<Stage> {
  const world = call.world();
  const agent = agentNamed((await world.store.observe()).state, world.caller().name);
  const own = agent === null ? null : stageOf(world.repository, agent.id);
  const shared = repositoryStage(world.repository);
  const stage = own !== null && baseOf(world.repository, own) !== null ? own : shared;
  if (baseOf(world.repository, stage) === null)
    throw new CoordError(
      'usage',
      `${world.caller().name} has no stage in this work tree`,
      'eval "$(coord session start <name> --shell)"',
    );
  return stage;
}

export const stageStatus: Verb = {
  words: ['stage', 'status'],
  group: 'commits',
  isTold: false,
  about: 'show what is staged in your session',
  more: 'It says whether HEAD has moved since.',
  flags: [],
  examples: [['coord stage status', 'before a commit']],
  run: async (call) => {
    const { repository } = call.world();
    const stage = await stageOfCaller(call);
    const [base, head] = [baseOf(repository, stage), headOf(repository).oid];
    const staged =
      base === null ? [] : stagedSince(repository, stage.index, base).map(({ path }) => path);
    const behind = behindOf(repository, stage);
    const isCurrent = base === head && !staged.some((path) => behind.has(path));
    return {
      ok: true,
      exit: exits.done,
      result: isCurrent ? 'current' : 'behind',
      facts: { stage: stage.index, base, head, staged },
      says: [
        base === head
          ? 'stage is at HEAD'
          : `HEAD has moved since: ${base?.slice(0, 10) ?? 'none'} to ${head?.slice(0, 10) ?? 'none'}; it comes along before your next commit`,
        ...staged.map((path) =>
          behind.has(path)
            ? `  staged  ${path}, which was changed since (coord stage refresh --merge)`
            : `  staged  ${path}`,
        ),
      ],
    };
  },
};

function lockedReport(why: string): Report {
  return {
    ok: false,
    exit: exits.tryAgain,
    result: 'locked',
    facts: {},
    says: [],
    notes: [`coord: the stage is locked: ${why}`, '  try: again in a moment'],
  };
}

/** A lock that stays the same for a second and is provably nobody's goes; else why it may not. */
async function untilUnlocked(call: Call, { index }: Stage): Promise<string | null> {
  const { repository, clock } = call.world();
  const first = lockOf(index);
  for (let waitedMs = 0; waitedMs < limits.orphanLockMs; waitedMs += 50) {
    if (lockOf(index)?.inode !== first?.inode || first === null) return null;
    await clock.sleep(50);
  }
  const why = whyLeft(repository);
  if (why === null && first !== null) removeLock(first);
  return why;
}

function told(isDone: boolean, result: string, says: readonly string[]): Report {
  const lines = isDone ? { says } : { says: [], notes: says };
  return { ok: isDone, exit: isDone ? exits.done : exits.refused, result, facts: {}, ...lines };
}

function refreshed(forwarded: Forwarded, call: Call): Report {
  switch (forwarded.kind) {
    case 'same':
      return told(true, 'current', ['stage is at HEAD']);
    case 'forwarded':
      return told(true, 'forwarded', ['stage was brought to HEAD; what is staged stays staged']);
    case 'restored':
      return {
        ...told(true, 'restored', ['stage was damaged and is as it was last known to be good']),
        notes: ['note: look at it before you commit: git status'],
      };
    case 'locked':
      return lockedReport('another git is writing to it');
    case 'unmerged':
      return told(false, 'unmerged', [
        'coord: a merge is not finished in the stage',
        '  next: git status',
      ]);
    case 'baseless': {
      const lines = [
        'coord: the commit that the stage is based on is gone; it differs from HEAD in:',
        ...forwarded.paths.slice(0, 20).map((path) => `  ${path}`),
        '  next: git reset -q, then add again what is yours',
      ];
      return { ...told(false, 'baseless', lines), facts: { paths: forwarded.paths } };
    }
    case 'both':
      return bothReport(forwarded.paths, isOn(call, 'quiet'));
  }
}

function bothReport(paths: readonly BothSides[], isQuiet: boolean): Report {
  const lines = [
    'coord: HEAD has moved, and what you staged was changed there too',
    ...paths.map(
      ({ path, by }) =>
        `  ${path}: by ${by === null ? 'a commit that came since' : describeCommit(by)}`,
    ),
    ...(isQuiet ? [] : ['  next: coord stage refresh --merge']),
  ];
  const facts = paths.map(({ path, by }) => ({
    path,
    by: by === null ? null : { commit: by.oid, subject: by.subject, agent: by.agent },
  }));
  return { ...told(false, 'both', lines), facts: { paths: facts } };
}

async function mergedReport(call: Call, stage: Stage): Promise<Report> {
  const world = call.world();
  const { oid } = headOf(world.repository);
  const done =
    oid === null
      ? null
      : mergeForward(world.repository, stage, oid, actorOf(world, await world.store.observe()));
  if (done === null) return lockedReport('another git is writing to it');
  const { merged, conflicts, kept } = done;
  if (conflicts.length === 0)
    return {
      ok: true,
      exit: exits.done,
      result: 'merged',
      facts: { paths: merged },
      says: [`merged ${few(merged)} with what others have committed`],
    };
  return {
    ok: false,
    exit: exits.refused,
    result: 'conflict',
    facts: { paths: merged, conflicts, kept },
    says: [],
    notes: [
      `coord: ${few(conflicts)} ${conflicts.length === 1 ? 'conflicts' : 'conflict'} with what others have committed, and ${conflicts.length === 1 ? 'is' : 'are'} staged as in HEAD now`,
      ...(kept === null ? [] : [`  next: coord rescue diff ${kept}`]),
    ],
  };
}

export const stageRefresh: Verb = {
  words: ['stage', 'refresh'],
  group: 'commits',
  isTold: false,
  exits: '75 if the index is locked',
  about: 'bring your stage to HEAD, keeping what is staged',
  flags: [
    {
      name: 'merge',
      about: 'what others have changed as well is merged with what you staged, as git merges',
    },
    { name: 'lazy', about: 'not if that was done a moment ago' },
    { name: 'now', about: 'at once (the default)' },
  ],
  examples: [
    ['coord stage refresh', 'after others have committed'],
    ['coord stage refresh --merge', 'where they changed what you staged'],
  ],
  run: async (call) => {
    const { repository, clock } = call.world();
    const stage = await stageOfCaller(call);
    const age = clock.now().at - (statSync(stage.index, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (isOn(call, 'lazy') && age < limits.stageLazyMs && !isLocked(stage.index))
      return refreshed({ kind: 'same' }, call);
    // Said by hand: whoever asks for it has seen which branch HEAD is on.
    if (!isOn(call, 'quiet')) noteBranch(repository, stage);
    const why = await untilUnlocked(call, stage);
    if (why !== null) return lockedReport(why);
    const forwarded = refresh(repository, stage);
    return forwarded.kind === 'both' && isOn(call, 'merge')
      ? mergedReport(call, stage)
      : refreshed(forwarded, call);
  },
};
