/** What becomes of git's commands under the guard, with another git. Needs: newer git. */
import { describe } from 'vitest';
import { newerGit } from '../support/newer-git.ts';
import { commandsUnder } from './command-rows.ts';

const path = newerGit();

describe('a newer git', () => commandsUnder({ init: [], path }));
describe('a newer git, reftable', () => commandsUnder({ init: ['--ref-format=reftable'], path }));
