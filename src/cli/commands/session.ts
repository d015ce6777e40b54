import { hostname } from 'node:os';
import { mayTakeFamily, noteSession } from '../../agent/terminals.ts';
import { type RealWorld, realWorld } from '../../agent/world.ts';
import { showAgent } from '../../core/agent.ts';
import { agentNamed, familyOf } from '../../core/decide/enrol.ts';
import { overview } from '../../core/decide/look.ts';
import { CoordError } from '../../core/errors.ts';
import { exits } from '../../core/exits.ts';
import { hashKey } from '../../core/hash.ts';
import { areKin } from '../../core/ids.ts';
import { elapsedMs } from '../../core/instant.ts';
import { shellQuote } from '../../core/shell-line.ts';
import { dropDrafts } from '../../draft/published.ts';
import { openStage } from '../../draft/stage.ts';
import { retireStage } from '../../draft/stage-end.ts';
import { howToBegin, lostHooks, lostWords, missingHooks } from '../../git/hooks-in-force.ts';
import type { Repository } from '../../git/repository.ts';
import { decisionContext } from '../../loop/operate.ts';
import type { Outcome } from '../../loop/outcome.ts';
import {
  adoptSession,
  endSession,
  type SessionOpened,
  startSession,
  whoami as tellWho,
} from '../../loop/session.ts';
import { agentFacts } from '../../render/facts.ts';
import { ago } from '../../render/lines.ts';
import type { Report } from '../../render/report.ts';
import { renderEnded, renderSession, renderWhoami } from '../../render/session.ts';
import { pathBehind, sessionPath } from '../session-path.ts';
import { type Call, isOn, limitFlag, text, texts, type Verb, whole } from '../verb.ts';

/** The world of the agent that is named on the command line, one way or the other. */
function worldOf(call: Call): RealWorld {
  const [name] = call.positionals;
  if (name === undefined) return call.world();
  const said = text(call, 'agent');
  if (said !== undefined && said !== name && call.env['COORD_AGENT'] !== said)
    throw new CoordError('usage', `two names are given: '${name}' and '${said}'`);
  return realWorld({ cwd: call.cwd, env: call.env, agent: name, config: texts(call, 'config') });
}

/** A session that has begun: with a stage in this work tree, and the git that uses it. */
function opened(
  call: Call,
  world: RealWorld,
  result: 'started' | 'adopted',
  outcome: Outcome<SessionOpened>,
): Report {
  if (outcome.kind === 'refused') return renderSession(result, outcome);
  const { agent, key } = outcome.result;
  const { repository } = world;
  // Where it was begun is noted, for whoever loses its key.
  if (key !== null) noteSession(repository.commonDir, agent.id, hashKey(key));
  const stage = openStage(repository, agent);
  const more = { COORD_STAGE: stage.index, PATH: sessionPath(call.env) };
  return renderSession(result, outcome, {
    environment: more,
    notes: unguarded(repository),
    isForShell: isOn(call, 'shell'),
  });
}

/** Whoever begins here has been told nothing yet. */
function unguarded(repository: Repository): readonly string[] {
  const lost = lostHooks(repository);
  if (lost !== null) return [`note: ${lostWords(lost)}; coord install`];
  return missingHooks(repository).length === 0
    ? []
    : [`note: no hook of coord guards commits here: ${howToBegin(repository)}`];
}

function told(retired: ReturnType<typeof retireStage>): readonly string[] {
  return typeof retired === 'string'
    ? []
    : [`note: what was staged and not committed can come back: coord rescue show ${retired.kept}`];
}

const shellFlag = {
  name: 'shell',
  about: 'print export lines, to be evaluated by a shell',
} as const;

export const sessionStart: Verb = {
  words: ['session', 'start'],
  group: 'sessions',
  isTold: false,
  about: 'begin a session: from here on the name is yours alone',
  positional: {
    name: 'name',
    completes: 'agent',
    least: 0,
    most: 1,
    about: 'your name; children inside your session: alice/review',
  },
  flags: [
    shellFlag,
    {
      name: 'force',
      about:
        'take over a session of that name that this terminal has begun, or one whose terminal is gone',
    },
  ],
  examples: [
    [
      'eval "$(coord session start alice --shell)"',
      'in a shell: every coord command is alice from now',
    ],
    [
      'eval "$(coord session start alice --force --shell)"',
      'after a crash, or where its key got lost',
    ],
  ],
  run: async (call) => {
    const world = worldOf(call);
    const takes = isOn(call, 'force') ? await leftSession(world, world.caller().name) : null;
    const outcome = await startSession(world, call.env['COORD_SESSION'], takes);
    return opened(call, world, 'started', outcome);
  },
};

/** The session on record under this name, where nobody is left in it. */
async function leftSession(world: RealWorld, name: string): Promise<string | null> {
  const { state } = await world.store.observe();
  const agent = agentNamed(state, name);
  const session = agent?.session ?? null;
  if (agent === null || session === null) return null;
  const family = familyOf(state, session);
  const now = world.clock.now();
  const idleMs = Math.min(...family.map(({ id, active }) => elapsedMs(id, active, now)));
  return mayTakeFamily(world.repository.commonDir, family, session, idleMs) ? session : null;
}

/** What `session start --shell` has exported goes again. */
function withoutSession(call: Call, report: Report): Report {
  if (!isOn(call, 'shell') || !report.ok) return report;
  return {
    ...report,
    says: [
      'unset COORD_AGENT COORD_SESSION COORD_STAGE',
      `export PATH=${shellQuote(pathBehind(call.env))}`,
    ],
  };
}

/** Where its variables stay, the next command would begin anew under the name. */
function stillSet({ env, flags }: Call): readonly string[] {
  if (flags.get('shell') === true || (env['COORD_SESSION'] ?? '') === '') return [];
  return [
    'note: this shell still has the variables of the session: unset COORD_AGENT COORD_SESSION COORD_STAGE',
  ];
}

export const sessionAdopt: Verb = {
  words: ['session', 'adopt'],
  group: 'sessions',
  isTold: false,
  about: 'take a session over from elsewhere, with all it holds',
  more: 'The old key is worth nothing then.',
  flags: [{ name: 'token', value: 'token', about: 'the token that its start printed' }, shellFlag],
  examples: [['eval "$(coord session adopt --token $TOKEN --shell)"', 'after a restart']],
  run: async (call) => {
    const token = text(call, 'token');
    if (token === undefined)
      throw new CoordError(
        'usage',
        'no token is given',
        'coord session adopt --token <token>; coord session start printed it',
      );
    const world = call.world();
    return opened(call, world, 'adopted', await adoptSession(world, token, hostname()));
  },
};

export const sessionEnd: Verb = {
  words: ['session', 'end'],
  group: 'sessions',
  isTold: false,
  about: 'end a session: all that it holds is free',
  more: 'Its children end too.',
  positional: { name: 'name', completes: 'agent', least: 0, most: 1, about: 'the agent' },
  flags: [
    { name: 'handoff', about: 'the work goes on: leave word on its beads, or its leases to --to' },
    {
      name: 'to',
      value: 'agent',
      completes: 'agent',
      about: 'with --handoff: who gets all it holds',
    },
    { name: 'reason', value: 'text', about: 'with --handoff: what they should know' },
    {
      name: 'shell',
      about: 'print lines that undo what start has exported, to be evaluated by a shell',
    },
  ],
  examples: [
    ['eval "$(coord session end --shell)"', 'at the end of the work, in the shell that began it'],
    ['coord session end', 'where nothing was exported'],
    [
      'coord session end --handoff --to bob --reason "half done, see the branch"',
      'bob goes on with it',
    ],
  ],
  run: async (call) => {
    const world = worldOf(call);
    const isHandOff = isOn(call, 'handoff');
    if (!isHandOff && (text(call, 'to') ?? text(call, 'reason')) !== undefined)
      throw new CoordError('usage', '--to and --reason go with --handoff');
    const to = text(call, 'to');
    if (to !== undefined && areKin(to, world.caller().name))
      throw new CoordError(
        'usage',
        `${to} ends with this session`,
        'hand over to an agent of another session',
      );
    const outcome = await endSession(
      world,
      isHandOff ? { to: text(call, 'to') ?? null, reason: text(call, 'reason') ?? '' } : undefined,
    );
    const report = renderEnded(outcome);
    // It ended elsewhere: the shell is told to forget it all the same.
    if (report.refusal === 'nothing_matched' && isOn(call, 'shell'))
      return withoutSession(call, {
        ok: true,
        exit: exits.done,
        result: 'gone',
        facts: {},
        says: [],
        notes: ['note: this session has ended before'],
      });
    if (outcome.kind === 'refused') return report;
    dropDrafts(world.repository, [outcome.result.agent]);
    const notes = [
      ...(report.notes ?? []),
      ...told(retireStage(world.repository, outcome.result.agent.id)),
      ...stillSet(call),
    ];
    return withoutSession(call, { ...report, notes });
  },
};

export const sessionList: Verb = {
  words: ['session', 'list'],
  group: 'sessions',
  isTold: false,
  about: 'show who is on record, last active first',
  flags: [limitFlag],
  examples: [['coord session list --json', 'for programs']],
  run: async (call) => {
    const world = call.world();
    const at = await world.store.observe();
    const c = decisionContext(world, at);
    const agents = overview(at.state, c).agents;
    const shown = agents.slice(0, whole(call, 'limit') ?? agents.length);
    return {
      ok: true,
      exit: exits.done,
      result: 'listed',
      facts: {
        agents: shown.map(agentFacts),
        ...(shown.length < agents.length ? { total: agents.length } : {}),
      },
      says:
        shown.length === 0
          ? ['nobody is on record']
          : shown.map(
              (agent) =>
                `${showAgent(agent)}  ${agent.kind} on ${agent.host}, last active ${ago(agent.active.at, c)}`,
            ),
    };
  },
};

export const whoami: Verb = {
  words: ['whoami'],
  group: 'sessions',
  about: 'show which agent your commands act as',
  more: 'It is registered if it is new.',
  flags: [],
  examples: [['coord whoami --json', 'name, id and kind']],
  run: async (call) => renderWhoami(await tellWho(call.world())),
};
