import { collide } from '../../core/overlap.ts';
import { literal } from '../../core/pattern.ts';
import { linesHere } from '../../draft/line-counts.ts';
import { keyOf, precheck } from '../../git/paths.ts';
import { lookAtAllLines } from '../../guard/overwritten-lines.ts';
import { check as checkPatterns } from '../../loop/hold.ts';
import { renderChecked } from '../../render/leases.ts';
import { isOn, type Verb } from '../verb.ts';
import { sameAgain } from '../wish.ts';

export const check: Verb = {
  words: ['check'],
  group: 'reservations',
  exits: '1 only if another holds it',
  about: 'say whether you may edit paths: free, mine, shared, held',
  more: 'It changes nothing. The exit code is 1 if any of them is held by another.',
  positional: {
    name: 'path',
    least: 1,
    most: Number.POSITIVE_INFINITY,
    about: 'files, directories or patterns',
  },
  flags: [{ name: 'literal', about: 'take the arguments as names, whatever characters they have' }],
  examples: [
    ['coord check src/auth.ts', 'who holds it, if anybody'],
    ['coord check src/api --json | jq .blockers', 'all that is in the way'],
  ],
  run: async (call) => {
    const isLiteral = isOn(call, 'literal');
    precheck(call.positionals, call.cwd, isLiteral);
    const world = call.world();
    const { repository, settings } = world;
    const keys = call.positionals.map((arg) =>
      keyOf({ repository, cwd: call.cwd }, arg, isLiteral),
    );
    const checked = await checkPatterns(world, keys, sameAgain(call));
    await lookAtAllLines(world, checked.at);
    const isAsked = (path: string): boolean =>
      keys.some((key) => collide(key, literal(path), settings.folding));
    let lines: ReturnType<typeof linesHere> | null = null;
    return renderChecked(checked, (id) =>
      (lines ??= linesHere(repository, checked.at, isAsked)).filter(
        ({ agent }) => agent?.id === id,
      ),
    );
  },
};
