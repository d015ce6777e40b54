/** Everything the use cases need of the world, built once for a process and passed along. */
import type { Caller } from '../core/decide/enrol.ts';
import type { Settings } from '../core/settings.ts';
import { readSettings } from '../git/config.ts';
import { GitLogStore } from '../git/git-log-store.ts';
import type { LogStore } from '../git/log-store.ts';
import { openRepository, type Repository } from '../git/repository.ts';
import { systemClock, type Clock } from './clock.ts';
import { identify } from './identity.ts';
import { systemRandom, type Random } from './random.ts';
import { SeenFile } from './seen.ts';
import { localTally, type Tally } from './tally.ts';

export interface World {
  readonly store: LogStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: Settings;
  readonly tally: Tally;
  /** Asked only where it matters: a person's name costs a question to git. */
  caller(): Caller;
}

export interface RealWorld extends World {
  readonly repository: Repository;
  readonly store: GitLogStore;
}

export interface Surroundings {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly agent?: string | undefined;
  /** `key=value` settings of this one command. */
  readonly config?: readonly string[];
}

export function realWorld({ cwd, env, agent, config }: Surroundings): RealWorld {
  const repository = openRepository(cwd, env);
  const clock = systemClock(new SeenFile(repository.commonDir));
  const random = systemRandom;
  let caller: Caller | null = null;
  let settings: Settings | null = null;
  return {
    repository, clock, random,
    // Read when first needed: doctor has to be able to say which one is wrong.
    get settings() {
      return settings ??= readSettings(repository, config ?? []);
    },
    store: new GitLogStore(repository, { wallMs: () => clock.now().at, random: () => random.fraction(), sleep: (ms) => clock.sleep(ms) }),
    tally: localTally(repository.commonDir),
    caller: () => (caller ??= identify(repository, agent, env)),
  };
}
