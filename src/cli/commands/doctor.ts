import { type RealWorld, realWorld } from '../../agent/world.ts';
import { showAgent } from '../../core/agent.ts';
import { decideEndUnfit } from '../../core/decide/mend.ts';
import { decideRaise } from '../../core/decide/raise.ts';
import { CoordError } from '../../core/errors.ts';
import { formats } from '../../core/format.ts';
import { describe, whyUnfit } from '../../core/lease.ts';
import { examine } from '../../doctor/examine.ts';
import { examined, type Finding, fail, note, ok } from '../../doctor/findings.ts';
import { clearLocks } from '../../doctor/git-locks.ts';
import { hookSurprises } from '../../doctor/hook-surprises.ts';
import { tryHooks } from '../../doctor/scratch.ts';
import { settingsOf } from '../../doctor/settings.ts';
import { missingHooks } from '../../git/hooks-in-force.ts';
import { placesOf } from '../../harness/places.ts';
import { proveHarnesses } from '../../harness/proof.ts';
import type { Observation } from '../../log/log-store.ts';
import { repairLog } from '../../log/repair.ts';
import { actorOf, operate } from '../../loop/operate.ts';
import { reserve } from '../../loop/take.ts';
import { repairRemote } from '../../remote/repair.ts';
import { renderFindings } from '../../render/doctor.ts';
import { isOn, texts, type Verb } from '../verb.ts';

const damaged: ReadonlySet<string> = new Set([
  'log_malformed',
  'log_rewound',
  'log_erased',
  'object_missing',
]);

async function fixLog(world: RealWorld): Promise<readonly string[]> {
  const { local, repository, clock, random, settings } = world;
  try {
    await local.observe();
    return [];
  } catch (error) {
    if (!(error instanceof CoordError) || !damaged.has(error.code)) throw error;
    const c = {
      now: clock.now(),
      graceMs: settings.graceMs,
      stalledMs: settings.stalledMs,
      breakMs: settings.breakMs,
      folding: settings.folding,
      newId: () => random.id(),
    };
    const { seq, base, restored } = await repairLog(local, repository, c, random.nonce());
    return [
      `${error.message}; it goes on as operation ${seq} from ${base === null ? 'what the view shows' : base.slice(0, 12)}`,
      ...restored.map(
        (lease) => `put back ${describe(lease)} of ${showAgent(lease.agent)}, lease ${lease.id}`,
      ),
    ];
  }
}

/** Through the loop like any other change, so that whoever holds the log decides. */
async function fixUnfit(world: RealWorld): Promise<readonly string[]> {
  const seen = await observeIfWhole(world);
  if (seen === null || ![...seen.state.leases.values()].some((lease) => whyUnfit(lease) !== null))
    return [];
  const outcome = await operate(world, (state) => decideEndUnfit(actorOf(world, seen), state));
  if (outcome.kind === 'refused') return [];
  return outcome.result.leases.map(
    (lease) =>
      `ended lease ${lease.id} of ${showAgent(lease.agent)}, which no coord has granted: ${whyUnfit(lease) ?? ''}`,
  );
}

interface Mended {
  readonly fixed: readonly string[];
  /** What could not be done, such as a log that a server with an older coord will not have raised. */
  readonly found: readonly Finding[];
}

const untouched: Mended = { fixed: [], found: [] };

/** On request, and only once everybody at work reads it: nobody is shut out. */
async function raiseFormat(world: RealWorld): Promise<Mended> {
  const seen = await observeIfWhole(world);
  if (seen === null || seen.tip === null) return untouched;
  const outcome = await operate(world, (state, c) =>
    decideRaise(actorOf(world, seen), state, c),
  ).catch((error: unknown) => {
    if (error instanceof CoordError) return error;
    throw error;
  });
  if (outcome instanceof CoordError) {
    // A server that cannot be reached is named by its own check.
    if (outcome.code === 'arbiter_unreachable') return untouched;
    const why = `the log could not be raised to format ${formats.newest}: ${outcome.message}`;
    return { fixed: [], found: [note('format', why, outcome.hint)] };
  }
  if (outcome.kind === 'refused' || !outcome.result.isRaised) return untouched;
  const fixed = [
    `raised the log from format ${seen.state.meta.version} to ${formats.newest}; who comes with an older coord is told which one to install`,
  ];
  return { fixed, found: [] };
}

/** A log that cannot be read now is said to be so by its own check. */
function observeIfWhole({ store }: RealWorld): Promise<Observation | null> {
  return store.observe().catch((error: unknown) => {
    if (error instanceof CoordError) return null;
    throw error;
  });
}

/** Of the log on a remote, from what this clone has seen of it. */
async function fixRemote(world: RealWorld): Promise<readonly string[]> {
  const remoteLog = await world.store.remoteLog();
  if (remoteLog === null)
    throw new CoordError(
      'bad_remote',
      'no remote has the log: it is in this repository',
      'coord doctor --fix',
    );
  const { clock, random, settings } = world;
  await remoteLog.copy.mend();
  const circumstances = {
    now: clock.now(),
    graceMs: settings.graceMs,
    stalledMs: settings.stalledMs,
    breakMs: settings.breakMs,
    folding: settings.folding,
    isRemote: true,
    newId: () => random.id(),
  };
  const mended = await repairRemote(remoteLog.copy, {
    by: actorOf(world, await remoteLog.copied()),
    nonce: random.nonce(),
    circumstances,
  });
  if (mended === null) return [];
  const { how, seq, restored, lost } = mended;
  return [
    `the log on '${remoteLog.remoteRef.location.remote}' was ${how}, as operation ${seq}`,
    ...restored.map(
      (lease) => `it has ${describe(lease)} of ${showAgent(lease.agent)}, lease ${lease.id}`,
    ),
    ...lost.map(
      (lease) =>
        `it has not ${describe(lease)} of ${showAgent(lease.agent)}, lease ${lease.id}: that was granted to somebody else meanwhile`,
    ),
  ];
}

async function fixView({ local }: RealWorld): Promise<readonly string[]> {
  const at = await local.observe();
  const stale = local.staleView(at.state);
  if (stale.length === 0) return [];
  const failed = await local.mendView(at);
  return failed.length < stale.length
    ? [`${stale.length - failed.length} refs of the view show again what the log holds`]
    : [];
}

/** A block has to block, also past the other hooks; what is free has to pass. */
async function provenHooks(
  { repository }: RealWorld,
  env: NodeJS.ProcessEnv,
): Promise<readonly Finding[]> {
  if (missingHooks(repository).length > 0) return [];
  const proof = await tryHooks(repository, async (top, own) => {
    await reserve(
      realWorld({ cwd: top, env: { ...own, PATH: env['PATH'] }, agent: 'doctor-one' }),
      ['held'],
      {},
    );
  });
  const wrong = [
    ...(proof.blocks ? [] : ['a commit on a held path went through']),
    ...(proof.blocksPastHooks ? [] : ['so did one past the other hooks']),
    ...(proof.letsPass ? [] : ['a commit on a free path did not']),
  ];
  return [
    wrong.length === 0
      ? ok(
          'proof',
          'tried in a throw-away repository: a held path is refused, also past the other hooks, and a free one passes',
        )
      : fail('proof', `tried in a throw-away repository: ${wrong.join(', ')}`, 'coord install'),
  ];
}

/** A denial has to deny, by the very command that a harness would run. */
function provenHarnesses({ repository }: RealWorld, env: NodeJS.ProcessEnv): readonly Finding[] {
  return proveHarnesses(repository, placesOf(env, repository)).map(
    ({ harness, file, isOfOneMachine, wrong, untried, notInForce }) => {
      const remedy = `coord install --harness ${harness}`;
      if (wrong.length === 0 && notInForce !== undefined)
        return note(harness, `not in force: '${file}' is in order, but ${notInForce}`);
      if (untried !== undefined) return note(harness, `'${file}' was not tried: ${untried}`);
      if (wrong.length > 0) return fail(harness, `${file}: ${wrong.join(', ')}`, remedy);
      return isOfOneMachine
        ? note(harness, `'${file}' names places of this machine: it works on no other`, remedy)
        : ok(
            harness,
            `tried as '${file}' has it: an edit of what another session holds is refused`,
          );
    },
  );
}

async function mended(world: RealWorld, isRemote: boolean): Promise<Mended> {
  const before = [
    ...(await clearLocks(world.repository, (ms) => world.clock.sleep(ms))),
    ...(await fixLog(world)),
    ...(await fixUnfit(world)),
    ...(await fixView(world)),
  ];
  const { fixed, found } = await raiseFormat(world);
  return { fixed: [...before, ...fixed, ...(isRemote ? await fixRemote(world) : [])], found };
}

/** What is known only by trying it: the hooks, and what agent programs run. */
export async function tried(world: RealWorld, env: NodeJS.ProcessEnv): Promise<readonly Finding[]> {
  return [
    ...(await examined('hooks', () => hookSurprises(world.repository, env))),
    ...(await examined('proof', () => provenHooks(world, env))),
    ...(await examined('harnesses', () => provenHarnesses(world, env))),
  ];
}

export const doctor: Verb = {
  words: ['doctor'],
  group: 'setup',
  exits: '1 only if something needs mending',
  about: 'check that everything is in order',
  more: 'It says which promises hold here, which settings apply, and where they come from.',
  flags: [
    {
      name: 'fix',
      about: 'mend what can be mended without losing a live lease, and say what was done',
    },
    {
      name: 'remote',
      about:
        'with --fix: also the log on the remote, where it was erased, put back or written over, from what this clone has seen of it',
    },
  ],
  examples: [
    ['coord doctor', 'exit 1 only if something needs mending'],
    ['coord doctor --fix', 'and mend it'],
    ['coord doctor --fix --remote', 'the log on the server as well'],
  ],
  run: async (call) => {
    const world = call.world();
    const isFix = isOn(call, 'fix');
    if (isOn(call, 'remote') && !isFix)
      throw new CoordError(
        'usage',
        '--remote goes with --fix',
        'coord doctor --fix --remote; coord remote probe looks at the server',
      );
    const { fixed, found } = isFix ? await mended(world, isOn(call, 'remote')) : untouched;
    const findings = [
      ...(await examine(world)).filter(({ check }) => found.every((one) => one.check !== check)),
      ...found,
      ...(await tried(world, call.env)),
    ];
    return renderFindings(findings, fixed, settingsOf(world.repository, texts(call, 'config')));
  },
};
