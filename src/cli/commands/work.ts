import { CoordError } from '../../core/errors.ts';
import { parseBead, parseReason } from '../../core/ids.ts';
import {
  renderClaimed,
  renderFinished,
  renderGivenUp,
  renderLetGo,
  renderReady,
} from '../../render/work.ts';
import { claimBead, claimNext } from '../../work/claim.ts';
import { finish, giveUp, letGo } from '../../work/finish.ts';
import { readyBeads } from '../../work/ready.ts';
import { trackerOf } from '../../work/tracker.ts';
import {
  type Call,
  type Flag,
  isOn,
  limitFlag,
  reasonFlag,
  text,
  texts,
  ttlFlag,
  type Verb,
  whole,
} from '../verb.ts';
import { wishOf } from '../wish.ts';

const tagFlag: Flag = {
  name: 'tag',
  value: 'word',
  many: true,
  about: 'what you are good at; adds to the setting coord.tags',
};

function tagsOf(call: Call): readonly string[] {
  return [...call.world().settings.tags, ...texts(call, 'tag')];
}

export const claim: Verb = {
  words: ['claim'],
  group: 'work',
  waits: true,
  about: 'claim a bead (an issue): exactly one agent gets it',
  positional: { name: 'bead', completes: 'bead', least: 0, most: 1, about: 'the id of the bead' },
  flags: [
    { ...ttlFlag, usual: { setting: 'coord.claimttl' } },
    reasonFlag,
    tagFlag,
    { name: 'next', about: 'the first that is ready and suits you, in one step' },
    { name: 'take', about: 'take it over from an agent that has stalled; it is told' },
    { name: 'again', about: 'although it is done: it is open again with your claim' },
    { name: 'force', about: 'although the tracker has no such bead, or it waits for others' },
  ],
  examples: [
    ['coord claim bd-42', 'for 45 minutes from your last activity'],
    ['coord claim --next', 'whatever is most urgent and ready'],
    ['coord claim bd-42 --json', 'who has it, if not you'],
  ],
  run: async (call) => {
    const [named] = call.positionals;
    const isNext = isOn(call, 'next');
    if (isNext === (named !== undefined))
      throw new CoordError(
        'usage',
        isNext ? 'a bead is named, and --next as well' : 'no bead is named',
        'coord claim <bead>, or coord claim --next',
      );
    const bead = named === undefined ? null : parseBead(named);
    const world = call.world();
    const tracker = trackerOf(world, call.env);
    if (bead === null)
      return renderClaimed(await claimNext(world, tracker, tagsOf(call), wishOf(call)));
    const claimed = await claimBead(
      world,
      tracker,
      bead,
      { ...wishOf(call), take: isOn(call, 'take'), again: isOn(call, 'again') },
      isOn(call, 'force'),
    );
    return renderClaimed(claimed);
  },
};

export const done: Verb = {
  words: ['done'],
  group: 'work',
  about: 'end a bead of yours, once its commit passes the gate',
  positional: { name: 'bead', completes: 'bead', least: 1, most: 1, about: 'the id of the bead' },
  flags: [
    {
      name: 'commit',
      value: 'rev',
      about: 'the commit that finished it; the last one that names it unless it is said',
      usual: 'the last one that names the bead since its claim',
    },
    { name: 'no-change', about: 'there was nothing to commit; with a reason' },
    { name: 'reason', value: 'text', about: 'kept with it' },
  ],
  examples: [
    ['coord done bd-42', 'its commit, its evidence, its claim: all there, or what is missing'],
    ['coord done bd-42 --no-change --reason "it was fixed by bd-40"', 'nothing to commit'],
  ],
  run: async (call) => {
    const world = call.world();
    const finished = await finish(world, trackerOf(world, call.env), {
      bead: call.positionals[0] ?? '',
      commit: text(call, 'commit'),
      noChange: isOn(call, 'no-change'),
      reason: parseReason(text(call, 'reason') ?? ''),
    });
    return renderFinished(finished);
  },
};

export const next: Verb = {
  words: ['next'],
  group: 'work',
  about: 'show what could be begun now, best first for you',
  flags: [tagFlag, { ...limitFlag, usual: '20' }],
  examples: [
    ['coord next', 'by priority, then by what suits you'],
    ['coord next --tag gpu', 'beads labelled needs:gpu too'],
  ],
  run: async (call) => {
    const world = call.world();
    const ready = await readyBeads(world, trackerOf(world, call.env), tagsOf(call));
    return renderReady(ready, whole(call, 'limit') ?? 20);
  },
};

export const unclaim: Verb = {
  words: ['unclaim'],
  group: 'work',
  about: 'give up a bead',
  more: 'What its tracker says of it is left alone unless you say --reopen.',
  positional: { name: 'bead', completes: 'bead', least: 1, most: 1, about: 'the id of the bead' },
  flags: [
    { name: 'reopen', about: 'open it in the tracker again' },
    { name: 'failed', about: 'the work failed; after three times it waits for a person' },
    {
      name: 'cause',
      value: 'word',
      about: 'why it failed, such as shared-state; stats counts them',
    },
    { name: 'log', value: 'file', about: 'its last lines are kept for the next one' },
    { name: 'try', value: 'text', about: 'with --failed: what the next one should try' },
    { name: 'reason', value: 'text', about: 'why; with --failed the next one reads it' },
  ],
  examples: [
    ['coord unclaim bd-42 --reopen', 'somebody else may have it'],
    ['coord unclaim bd-42 --failed --cause shared-state --log test.log', 'and why'],
  ],
  run: async (call) => {
    const bead = parseBead(call.positionals[0] ?? '');
    const [cause, reason, log] = [
      text(call, 'cause') ?? '',
      text(call, 'reason') ?? '',
      text(call, 'log'),
    ];
    const world = call.world();
    const tracker = trackerOf(world, call.env);
    const reopens = isOn(call, 'reopen');
    if (isOn(call, 'failed') || cause !== '' || log !== undefined)
      return renderGivenUp(
        await giveUp(
          world,
          tracker,
          {
            bead,
            reason,
            cause,
            log: log === undefined ? undefined : resolveFrom(call, log),
            next: text(call, 'try') ?? '',
          },
          reopens,
        ),
      );
    if (text(call, 'try') !== undefined) throw new CoordError('usage', '--try goes with --failed');
    return renderLetGo(await letGo(world, tracker, { bead, reason }, reopens));
  },
};

function resolveFrom({ cwd }: Call, file: string): string {
  return file.startsWith('/') ? file : `${cwd}/${file}`;
}
