/** What may stand in a team's file, for editors that know JSON Schema. */
import { z } from 'zod';
import { isTrue, type Setting } from '../../src/core/setting.ts';
import { teamKey, teamSettings } from '../../src/core/team.ts';
import { publish } from './shapes.ts';

function takenBy({ words, takes, isMany, between }: Setting<unknown>): z.ZodType {
  if (words?.every((word) => isTrue(word) !== null)) return z.boolean();
  if (words !== undefined) return z.enum(words as [string, ...string[]]);
  if (takes.startsWith('a whole number')) return z.number().int().positive();
  if (isMany === true || between !== undefined) return z.union([z.array(z.string()), z.string()]);
  return z.string();
}

function described(setting: Setting<unknown>): z.ZodType {
  const usual = setting.usual === '' ? 'nothing' : setting.usual;
  return takenBy(setting)
    .optional()
    .describe(`${setting.means} It takes ${setting.takes}; by default ${usual}.`);
}

const command = z.union([z.string(), z.array(z.string()).min(1)]);

export const teamSchema: z.ZodType = z.strictObject({
  $schema: z.string().optional(),
  remote: z
    .string()
    .regex(/^[\w.][\w./-]*$/)
    .optional()
    .describe('The remote that has the log, by its name in each clone: coord init uses it.'),
  gate: z
    .looseObject({ require: z.array(command).optional() })
    .optional()
    .describe('What has to have passed before work is finished. coord runs none of it by itself.'),
  ...Object.fromEntries(teamSettings.map((setting) => [teamKey(setting), described(setting)])),
});
publish('team', "A team's settings: .coord.json at the top of its repository", teamSchema);
