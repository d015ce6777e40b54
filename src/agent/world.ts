/** Everything the use cases need of the world, built once for a process and passed along. */
import { agentNamed, type Caller, familyOf } from '../core/decide/enrol.ts';
import { renewalDueMs } from '../core/decide/renew.ts';
import type { RemoteLocation } from '../core/record.ts';
import type { Settings } from '../core/settings.ts';
import type { State } from '../core/state.ts';
import { readSettings } from '../git/config.ts';
import { openRepository, type Repository } from '../git/repository.ts';
import { workTreeId } from '../git/work-tree-id.ts';
import { GitLogStore } from '../log/git-log-store.ts';
import type { Random, World } from '../loop/world.ts';
import { logBeside } from '../remote/log-beside.ts';
import { LogInUse } from '../remote/log-in-use.ts';
import { OfflineLog } from '../remote/offline-log.ts';
import { RemoteLogStore } from '../remote/remote-log-store.ts';
import type { RemoteWorld } from '../remote/remote-world.ts';
import { isApart } from '../shim/apart.ts';
import { noteDue, persons } from '../shim/due.ts';
import { isHere, noteHere } from '../shim/here.ts';
import { machineMark, type SystemClock, systemClock } from './clock.ts';
import { identify } from './identity.ts';
import { systemRandom } from './random.ts';
import { SeenFile } from './seen.ts';
import { localTally } from './tally.ts';
import { isAtTerminal, mayTakeFamily } from './terminals.ts';

export interface RealWorld extends World {
  readonly repository: Repository;
  readonly store: LogInUse;
  /** This repository's own log, whether it is the truth or only says where that is. */
  readonly local: GitLogStore;
  connectRemote(moved: RemoteLocation): RemoteLogStore;
}

interface Surroundings {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly agent?: string | undefined;
  /** `key=value` settings of this one command. */
  readonly config?: readonly string[];
  /** For people, about what takes long. */
  readonly tell?: (line: string) => void;
  /** It looks by itself, so what was so a moment ago is enough. */
  readonly isPatient?: boolean;
  readonly self?: readonly string[];
}

export function realWorld(surroundings: Surroundings): RealWorld {
  const { cwd, env, agent, config, self } = surroundings;
  const repository = openRepository(cwd, env);
  const clock = systemClock(new SeenFile(repository.commonDir));
  const random = systemRandom;
  let caller: Caller | null = null;
  let settings: Settings | null = null;
  let workTree: string | undefined;
  const callerOnce = (): Caller => (caller ??= identify(repository, agent, env));
  const readOnce = (): Settings => (settings ??= readSettings(repository, config ?? []));
  const storeWorld = {
    wallMs: () => clock.now().at,
    random: () => random.fraction(),
    sleep: (ms: number) => clock.sleep(ms),
  };
  const local = new GitLogStore(repository, storeWorld);
  const connectRemote = (moved: RemoteLocation): RemoteLogStore =>
    new RemoteLogStore(repository, moved, remoteWorld(surroundings, clock, random, readOnce()));
  const noteDueOf = (agentId: string, state: State): void =>
    noteRenewal(repository, clock, readOnce().graceMs, agentId, state);
  const noteWriter = (agentId: string, state: State): void => {
    noteHere(repository, agentId);
    noteDueOf(agentId, state);
  };
  const isAdvised = (): boolean => readOnce().offline === 'advisory';
  const offline = new OfflineLog(repository, storeWorld);
  return {
    repository,
    clock,
    random,
    self: self ?? [],
    // Read when first needed: doctor has to be able to say which one is wrong.
    get settings() {
      return readOnce();
    },
    local,
    store: new LogInUse(local, connectRemote, offline, isAdvised, noteWriter, () =>
      logBeside(repository),
    ),
    connectRemote,
    tally: localTally(repository.commonDir),
    caller: callerOnce,
    workTree: () => (workTree ??= workTreeId(repository, machineMark(), () => random.nonce())),
    isApart: () => isApart(repository),
    // An agent may be a second one of that name: only a person at a terminal is told.
    mayTakeOver: ({ id }, state) => {
      const session = state.agents.get(id)?.session ?? null;
      const isLeft = (): boolean =>
        mayTakeFamily(repository.commonDir, familyOf(state, session ?? ''), session ?? '', 0);
      return session !== null && isAtTerminal() && isLeft();
    },
    noteDue: (state) => noteDueOf(agentNamed(state, callerOnce().name)?.id ?? '', state),
  };
}

function remoteWorld(
  { tell, isPatient }: Surroundings,
  clock: SystemClock,
  random: Random,
  { sign, remoteView }: Settings,
): RemoteWorld {
  return {
    wallMs: () => clock.now().at,
    uptimeMs: () => clock.now().uptimeMs,
    clock: clock.now().domain,
    watch: clock.watch,
    random: () => random.fraction(),
    sleep: (ms) => clock.sleep(ms),
    tell: tell ?? (() => {}),
    sign,
    pushesView: remoteView,
    isPatient: isPatient === true,
  };
}

/**
 * For the sessions one by one, and for persons together: agents without a session start coord
 * anyhow.
 */
function noteRenewal(
  repository: Repository,
  clock: SystemClock,
  graceMs: number,
  agentId: string,
  state: State,
): void {
  const { agents, meta } = state;
  const c = { now: clock.now(), graceMs, isRemote: meta.moved !== undefined };
  const agent = agents.get(agentId);
  if (agent !== undefined && agent.session !== null) {
    noteDue(repository, agentId, renewalDueMs(state, [agent], c));
  } else if (agent === undefined || agent.kind === 'person') {
    const here = [...agents.values()].filter(
      ({ kind, id }) => kind === 'person' && isHere(repository, id),
    );
    noteDue(repository, persons, renewalDueMs(state, here, c));
  }
}
