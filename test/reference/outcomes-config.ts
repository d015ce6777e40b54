/** What `coord config` prints. */
import { z } from 'zod';
import { done, type Outcomes } from './outcome.ts';

export function config(verb: string): Outcomes {
  const setting = z.strictObject({
    key: z.string(),
    value: z.string(),
    origin: z.string().describe('default, or where git or the team says so'),
    default: z.string(),
    means: z.string(),
    takes: z.string(),
  });
  const changed = {
    key: z.string(),
    value: z.string().nullable(),
    where: z.enum(['local', 'global', 'team']),
  };
  return {
    done: [
      done(verb, 'settings', { settings: z.array(setting) }),
      done(verb, 'setting', { setting }).describe('with a key'),
      done(verb, ['set', 'unset'], changed).describe('with a value, or --unset'),
    ],
    refused: [],
  };
}
