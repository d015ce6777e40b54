/**
 * A log in a real repository, in the format that git init is told, for the contract of log stores.
 */

import { openRepository } from '../../src/git/repository.ts';
import { GitLogStore } from '../../src/log/git-log-store.ts';
import { type Environment, repository } from '../support/repository.ts';
import type { Kind } from './log-store-contract.ts';

export function gitKind(name: string, init: readonly string[], env: Environment = {}): Kind {
  return {
    name,
    make: () => {
      const repo = repository({ init, env });
      return {
        open: () =>
          new GitLogStore(openRepository(repo.top, repo.env), {
            wallMs: () => Date.UTC(2026, 0, 1),
            random: () => 0.5,
            sleep: async () => {},
          }),
        pack: () => {
          repo.git('pack-refs', '--all');
          repo.git('gc', '-q', '--prune=now');
        },
      };
    },
  };
}
