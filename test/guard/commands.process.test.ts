/** What becomes of git's commands under the guard, with the system's git. */
import { describe } from 'vitest';
import { commandsUnder } from './command-rows.ts';

describe("the system's git", () => commandsUnder({ init: [] }));
