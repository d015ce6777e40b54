import { reserve as reservePatterns } from '../../coord.ts';
import { CoordError } from '../../core/errors.ts';
import { argumentOf, keyOf, precheck } from '../../git/paths.ts';
import { uncommitted } from '../uncommitted.ts';
import { wishOf } from '../wish.ts';
import { duration, isOn, reasonFlag, ttlFlag, type Verb } from '../verb.ts';

export const reserve: Verb = {
  words: ['reserve'],
  about: 'reserve files, directories or patterns, all of them or none',
  positional: { name: 'pattern', least: 1, most: Number.POSITIVE_INFINITY, about: 'a file, a directory, or a pattern: src/**/*.ts, docs/{a,b}.md, [a-z]?.c' },
  flags: [
    ttlFlag, reasonFlag,
    { name: 'shared', about: 'for readers: others may share it, nobody may have it alone' },
    { name: 'literal', about: 'take the arguments as names, whatever characters they have' },
    { name: 'wide', about: 'allow a pattern that takes the whole repository; needs --reason' },
    {
      name: 'yield',
      about: 'with --wait: where that would never end, give up what you hold without uncommitted '
        + 'changes, and wait for all of it together',
    },
  ],
  examples: [
    ['coord reserve src/auth.ts --reason "fix login"', 'one file, for 15 minutes from your last activity'],
    ["coord reserve src/api 'test/api/**' --ttl 30m", 'a directory and a pattern, together'],
    ['coord reserve src/auth.ts --wait 5m', 'stand in line if somebody holds it'],
    ["coord reserve --literal 'app/[id]/page.tsx'", 'a name that looks like a pattern'],
  ],
  run: (call) => {
    const isLiteral = isOn(call, 'literal');
    if (isOn(call, 'yield') && (duration(call, 'wait') ?? 0) === 0) {
      throw new CoordError(
        'usage',
        '--yield goes with --wait',
        'coord reserve --wait 2m --yield <pattern>',
      );
    }
    precheck(call.positionals, call.cwd, isLiteral);
    const wish = wishOf(call);
    const world = call.world();
    const place = { repository: world.repository, cwd: call.cwd };
    const patterns = call.positionals.map((arg) => keyOf(place, arg, isLiteral));
    const yields = isOn(call, 'yield') ? { yields: { changed: uncommitted(call) } } : {};
    return reservePatterns(world, patterns, {
      ...wish, ...yields,
      mode: isOn(call, 'shared') ? 'shared' : 'exclusive', wide: isOn(call, 'wide'),
      retryWith: (more) => [...wish.retry ?? [], ...more.map((key) => argumentOf(place, key))],
    });
  },
};
