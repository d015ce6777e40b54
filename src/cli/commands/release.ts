import { CoordError } from '../../core/errors.ts';
import { parseFreeLockName } from '../../core/ids.ts';
import { keyOf, precheck } from '../../git/paths.ts';
import { release as releaseSelection, selectionOf } from '../../loop/hold.ts';
import { renderReleased } from '../../render/leases.ts';
import { uncommitted } from '../uncommitted.ts';
import { type Call, isOn, type Verb } from '../verb.ts';

/** The leases that positional arguments name: by id, else by pattern. */
export function namedSelection(call: Call): ReturnType<typeof selectionOf> {
  if (isOn(call, 'all')) return { by: 'all' };
  if (call.positionals.length === 0)
    throw new CoordError('usage', 'nothing is named', 'name ids or patterns, or say --all');
  const isLiteral = isOn(call, 'literal');
  precheck(call.positionals, call.cwd, isLiteral);
  const place = { repository: call.world().repository, cwd: call.cwd };
  return selectionOf(call.positionals, (arg) => keyOf(place, arg, isLiteral));
}

export const release: Verb = {
  words: ['release'],
  group: 'reservations',
  about: 'give up what you hold',
  more: 'It can be named by lease id or by pattern, or --all of it.',
  positional: {
    name: 'id or pattern',
    completes: 'lease',
    least: 0,
    most: Number.POSITIVE_INFINITY,
    about: 'a pattern frees itself and the plain paths it matches',
  },
  flags: [
    { name: 'all', about: 'everything you hold: reservations, claims and locks' },
    {
      name: 'unchanged',
      about: 'of what you hold paths without uncommitted changes in this work tree',
    },
    { name: 'literal', about: 'take the arguments as names, whatever characters they have' },
  ],
  examples: [
    ['coord release src/auth.ts', 'one file'],
    ["coord release 'src/**'", 'that pattern, and every single file below src'],
    ['coord release --all', 'everything'],
    ['coord release --unchanged', 'what you have not touched, or have committed'],
  ],
  run: async (call) => {
    if (!isOn(call, 'unchanged'))
      return renderReleased(await releaseSelection(call.world(), namedSelection(call)));
    if (isOn(call, 'all') || call.positionals.length > 0) {
      throw new CoordError('usage', '--unchanged stands alone', 'coord release --unchanged');
    }
    const selection = { by: 'unchanged', changed: uncommitted(call) } as const;
    return renderReleased(await releaseSelection(call.world(), selection));
  },
};

export const unlock: Verb = {
  words: ['unlock'],
  group: 'locks',
  about: 'give up a lock',
  positional: { name: 'name', completes: 'lock', least: 1, most: 1, about: 'the lock' },
  flags: [],
  examples: [['coord unlock deploy', 'let the next one have it']],
  run: async (call) => {
    const name = parseFreeLockName(call.positionals[0] ?? '');
    return renderReleased(await releaseSelection(call.world(), { by: 'lock', name }));
  },
};
