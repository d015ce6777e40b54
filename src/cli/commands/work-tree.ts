/** `coord work`: units of work in work trees of their own. */
import { resolve } from 'node:path';
import type { RealWorld } from '../../agent/world.ts';
import { parseReason } from '../../core/ids.ts';
import type { WorkTree } from '../../git/work-trees.ts';
import { decisionContext } from '../../loop/operate.ts';
import { renderEnded } from '../../render/work-ended.ts';
import { renderRestored, renderStarted, renderTrees } from '../../render/work-trees.ts';
import { trackerOf } from '../../work/tracker.ts';
import { abandonWork, finishWork } from '../../work/worktree/end.ts';
import { listTrees } from '../../work/worktree/list.ts';
import { treeMeant } from '../../work/worktree/place.ts';
import { settledTrees } from '../../work/worktree/remove.ts';
import { keptMeant, restoreWork } from '../../work/worktree/restore.ts';
import { adoptWork, startWork } from '../../work/worktree/start.ts';
import { sessionPath } from '../session-path.ts';
import { type Call, isOn, reasonFlag, text, ttlFlag, type Verb } from '../verb.ts';
import { wishOf } from '../wish.ts';

const shellFlag = {
  name: 'shell',
  about: 'print lines that lead there, to be evaluated by a shell',
} as const;

const forceFlag = { name: 'force', about: 'also where the tracker has it as not ready' } as const;

const whichTree: NonNullable<Verb['positional']> = {
  name: 'bead',
  completes: 'bead',
  least: 0,
  most: 1,
  about: 'its bead or its path; the work tree around you unless it is said',
};

function shellOf(call: Call): { readonly path: string; readonly isForShell: boolean } {
  return { path: sessionPath(call.env), isForShell: isOn(call, 'shell') };
}

async function meant(call: Call, world: RealWorld): Promise<WorkTree> {
  // Whatever it is about, a log that cannot be read stops it here.
  await world.store.observe();
  return treeMeant(settledTrees(world.repository), call.positionals[0], call.cwd);
}

export const workStart: Verb = {
  words: ['work', 'start'],
  group: 'work',
  isTold: false,
  waits: true,
  about: 'claim a bead and begin it in a work tree of its own',
  more: 'The work tree is on a branch of its own and has what the team settings say it needs. Edits in it take no leases: its branch is merged when it is done.',
  positional: { name: 'bead', completes: 'bead', least: 1, most: 1, about: 'the id of the bead' },
  flags: [
    { name: 'from', value: 'rev', about: 'the commit to begin with', usual: 'HEAD' },
    shellFlag,
    forceFlag,
    { ...ttlFlag, usual: { setting: 'coord.claimttl' } },
    reasonFlag,
  ],
  examples: [
    ['eval "$(coord work start bd-42 --shell)"', 'claim it, and go there'],
    ['coord work start bd-42 --from origin/main', 'begin with what the others have'],
  ],
  run: async (call) => {
    const world = call.world();
    const wish = {
      ...wishOf(call),
      bead: call.positionals[0] ?? '',
      from: text(call, 'from'),
      isForced: isOn(call, 'force'),
      key: call.env['COORD_SESSION'],
    };
    const outcome = await startWork(world, trackerOf(world, call.env), wish);
    return renderStarted('started', outcome, shellOf(call));
  },
};

export const workAdopt: Verb = {
  words: ['work', 'adopt'],
  group: 'work',
  isTold: false,
  about: 'go on with the work that somebody has left',
  more: 'It is where they left it, uncommitted changes too. Their claim has to be over, or stalled.',
  positional: whichTree,
  flags: [shellFlag, forceFlag, reasonFlag],
  examples: [['eval "$(coord work adopt bd-42 --shell)"', 'its agent was killed']],
  run: async (call) => {
    const world = call.world();
    const tree = await meant(call, world);
    const wish = { ...wishOf(call), isForced: isOn(call, 'force'), key: call.env['COORD_SESSION'] };
    const outcome = await adoptWork(world, trackerOf(world, call.env), tree, wish);
    return renderStarted('adopted', outcome, shellOf(call));
  },
};

export const workList: Verb = {
  words: ['work', 'list'],
  group: 'work',
  isTold: false,
  about: 'show all linked work trees, and what is kept of others',
  more: 'These are also those that agent programs and git worktree add have made.',
  flags: [],
  examples: [['coord work list', 'whose they are, and what is not committed there']],
  run: async (call) => {
    const world = call.world();
    const at = await world.store.observe();
    const { trees, kept } = listTrees(world, at);
    return renderTrees(trees, kept, decisionContext(world, at));
  },
};

export const workFinish: Verb = {
  words: ['work', 'finish'],
  group: 'work',
  isTold: false,
  about: 'finish a bead, and remove its work tree',
  more: 'All has to be committed. The branch stays, to be merged; the folder goes once nobody is in it.',
  positional: whichTree,
  flags: [{ name: 'no-change', about: 'there was nothing to commit; with a reason' }, reasonFlag],
  examples: [
    ['coord work finish', 'in the work tree itself'],
    ['coord work finish bd-42', 'from elsewhere: then its folder goes at once'],
  ],
  run: async (call) => {
    const world = call.world();
    const tree = await meant(call, world);
    const wish = {
      noChange: isOn(call, 'no-change'),
      reason: parseReason(text(call, 'reason') ?? ''),
    };
    return renderEnded('finished', await finishWork(world, trackerOf(world, call.env), tree, wish));
  },
};

export const workAbandon: Verb = {
  words: ['work', 'abandon'],
  group: 'work',
  isTold: false,
  about: 'give a bead up, and remove its work tree',
  more: 'It takes any linked work tree, by its path. What is in no other place is kept first: coord work restore brings it back.',
  positional: whichTree,
  flags: [reasonFlag],
  examples: [
    ['coord work abandon bd-42 --reason "the other way is better"', 'nothing of it is lost'],
    ['coord work abandon ../old-tree', 'one that somebody else has made'],
  ],
  run: async (call) => {
    const world = call.world();
    const tree = await meant(call, world);
    const reason = parseReason(text(call, 'reason') ?? '');
    return renderEnded(
      'abandoned',
      await abandonWork(world, trackerOf(world, call.env), tree, reason),
    );
  },
};

export const workRestore: Verb = {
  words: ['work', 'restore'],
  group: 'work',
  isTold: false,
  about: 'bring a removed work tree or branch back',
  more: 'Byte for byte, with what was staged and what git ignores.',
  positional: {
    name: 'id',
    least: 1,
    most: 1,
    about: 'as coord work list shows it, or the path or branch that it was',
  },
  flags: [{ name: 'to', value: 'dir', about: 'where to', usual: 'where it was' }],
  examples: [['coord work restore fix-login-1a2b3c4d', 'as coord work list shows it']],
  run: async (call) => {
    const world = call.world();
    const to = text(call, 'to');
    await world.store.observe();
    const kept = keptMeant(world, call.positionals[0] ?? '');
    return renderRestored(
      await restoreWork(world, kept, to === undefined ? undefined : resolve(call.cwd, to)),
    );
  },
};
