/** Everything the use cases need of the world, built once for a process and passed along. */
import { agentNamed, type Caller } from '../core/decide/enrol.ts';
import { renewalDueMs } from '../core/decide/renew.ts';
import type { RemoteLocation } from '../core/record.ts';
import type { Settings } from '../core/settings.ts';
import type { State } from '../core/state.ts';
import { readSettings } from '../git/config.ts';
import { openRepository, type Repository } from '../git/repository.ts';
import { GitLogStore } from '../log/git-log-store.ts';
import type { World } from '../loop/world.ts';
import { logBeside } from '../remote/log-beside.ts';
import { LogInUse } from '../remote/log-in-use.ts';
import { OfflineLog } from '../remote/offline-log.ts';
import { RemoteLogStore } from '../remote/remote-log-store.ts';
import { noteDue, persons } from '../shim/due.ts';
import { isHere, noteHere } from '../shim/here.ts';
import { systemClock } from './clock.ts';
import { identify, isAtTerminal } from './identity.ts';
import { systemRandom } from './random.ts';
import { SeenFile } from './seen.ts';
import { localTally } from './tally.ts';
import { mayTakeSession } from './terminals.ts';

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

export function realWorld({
  cwd,
  env,
  agent,
  config,
  tell,
  isPatient,
  self,
}: Surroundings): RealWorld {
  const repository = openRepository(cwd, env);
  const clock = systemClock(new SeenFile(repository.commonDir));
  const random = systemRandom;
  let caller: Caller | null = null;
  let settings: Settings | null = null;
  const storeWorld = {
    wallMs: () => clock.now().at,
    random: () => random.fraction(),
    sleep: (ms: number) => clock.sleep(ms),
  };
  const local = new GitLogStore(repository, storeWorld);
  const readOnce = (): Settings => (settings ??= readSettings(repository, config ?? []));
  const connect = (moved: RemoteLocation): RemoteLogStore =>
    new RemoteLogStore(repository, moved, {
      wallMs: () => clock.now().at,
      uptimeMs: () => clock.now().uptimeMs,
      clock: clock.now().domain,
      watch: clock.watch,
      random: () => random.fraction(),
      sleep: (ms) => clock.sleep(ms),
      tell: tell ?? (() => {}),
      sign: readOnce().sign,
      pushesView: readOnce().remoteView,
      isPatient: isPatient === true,
    });
  /**
   * For the sessions one by one, and for persons together: agents without a session start coord
   * anyhow.
   */
  const noteDueOf = (agentId: string, state: State): void => {
    const { agents, meta } = state;
    const c = { now: clock.now(), graceMs: readOnce().graceMs, isRemote: meta.moved !== undefined };
    const agent = agents.get(agentId);
    if (agent !== undefined && agent.session !== null) {
      noteDue(repository.commonDir, agentId, renewalDueMs(state, [agent], c));
    } else if (agent === undefined || agent.kind === 'person') {
      const here = [...agents.values()].filter(
        ({ kind, id }) => kind === 'person' && isHere(repository, id),
      );
      noteDue(repository.commonDir, persons, renewalDueMs(state, here, c));
    }
  };
  const noteWriter = (agentId: string, state: State): void => {
    noteHere(repository, agentId);
    noteDueOf(agentId, state);
  };
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
    store: new LogInUse(
      local,
      connect,
      new OfflineLog(repository, storeWorld),
      () => readOnce().offline === 'advisory',
      noteWriter,
      () => logBeside(repository),
    ),
    connectRemote: connect,
    tally: localTally(repository.commonDir),
    caller: () => (caller ??= identify(repository, agent, env)),
    // An agent may be a second one of that name: only a person at a terminal is told.
    mayTakeOver: ({ id }, state) => {
      const session = state.agents.get(id)?.session ?? null;
      return (
        session !== null && isAtTerminal() && mayTakeSession(repository.commonDir, id, session, 0)
      );
    },
    noteDue: (state) => {
      const { name } = (caller ??= identify(repository, agent, env));
      noteDueOf(agentNamed(state, name)?.id ?? '', state);
    },
  };
}
