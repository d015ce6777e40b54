import { isOfOtherTerminal, noteTerminal } from '../../agent/terminals.ts';
import { isActive } from '../../core/decide/decision.ts';
import { CoordError } from '../../core/errors.ts';
import { exits } from '../../core/exits.ts';
import { describe } from '../../core/lease.ts';
import { collide } from '../../core/overlap.ts';
import { shellLine } from '../../core/shell-line.ts';
import { argumentOf, keyOf, precheck } from '../../git/paths.ts';
import { decisionContext } from '../../loop/operate.ts';
import { modeFrom, reserve as reservePatterns } from '../../loop/take.ts';
import { leaseFacts } from '../../render/facts.ts';
import { renderTaken } from '../../render/leases.ts';
import type { Report } from '../../render/report.ts';
import { oddities } from '../odd-patterns.ts';
import { uncommitted } from '../uncommitted.ts';
import { type Call, duration, isOn, reasonFlag, ttlFlag, type Verb } from '../verb.ts';
import { sameAgain, wishOf } from '../wish.ts';

export const reserve: Verb = {
  words: ['reserve'],
  group: 'reservations',
  waits: true,
  about: 'reserve files, directories or patterns',
  more: 'All of them are granted, or none.',
  positional: {
    name: 'pattern',
    least: 1,
    most: Number.POSITIVE_INFINITY,
    about: 'a file, a directory, or a pattern: src/**/*.ts, docs/{a,b}.md, [a-z]?.c',
  },
  flags: [
    ttlFlag,
    reasonFlag,
    { name: 'shared', about: 'for readers: others may share it, nobody may have it alone' },
    {
      name: 'lines',
      about: 'for several editors of one file: others in this work tree may have lines of it too',
    },
    { name: 'literal', about: 'take the arguments as names, whatever characters they have' },
    {
      name: 'mine',
      about: 'for a person: also what you reserved in another terminal that is open',
    },
    { name: 'wide', about: 'allow a pattern that takes the whole repository; needs --reason' },
    {
      name: 'yield',
      about:
        'with --wait: where that would never end, give up what you hold without uncommitted ' +
        'changes, and wait for all of it together',
    },
  ],
  examples: [
    [
      'coord reserve src/auth.ts --reason "fix login"',
      'one file, for 15 minutes from your last activity',
    ],
    ["coord reserve src/api 'test/api/**' --ttl 30m", 'a directory and a pattern, together'],
    ['coord reserve src/auth.ts --wait 5m', 'stand in line if somebody holds it'],
    ['coord reserve --lines src/app.ts', 'one file that several in this work tree edit'],
    ["coord reserve --literal 'app/[id]/page.tsx'", 'a name that looks like a pattern'],
  ],
  run: async (call) => {
    const isLiteral = isOn(call, 'literal');
    if (isOn(call, 'yield') && (duration(call, 'wait') ?? 0) === 0) {
      throw new CoordError(
        'usage',
        '--yield goes with --wait',
        'coord reserve --wait 2m --yield <pattern>',
      );
    }
    const mode = modeFrom({ shared: isOn(call, 'shared'), lines: isOn(call, 'lines') });
    precheck(call.positionals, call.cwd, isLiteral);
    const wish = wishOf(call);
    const world = call.world();
    const place = { repository: world.repository, cwd: call.cwd };
    const patterns = call.positionals.map((arg) => keyOf(place, arg, isLiteral));
    const yields = isOn(call, 'yield') ? { yields: { changed: uncommitted(call) } } : {};
    const isPerson = world.caller().kind === 'person';
    const elsewhere = isPerson && !isOn(call, 'mine') ? await heldElsewhere(call, patterns) : null;
    if (elsewhere !== null) return elsewhere;
    const outcome = await reservePatterns(world, patterns, {
      ...wish,
      ...yields,
      mode,
      wide: isOn(call, 'wide'),
      retryWith: (more) => [...(wish.retry ?? []), ...more.map((key) => argumentOf(place, key))],
    });
    if (isPerson && outcome.kind === 'done') {
      const { state } = await world.store.observe();
      noteTerminal(
        world.repository.commonDir,
        outcome.result.leases.map(({ id }) => id),
        new Set(state.leases.keys()),
      );
    }
    const report = renderTaken(outcome);
    const odd = isLiteral ? [] : oddities(call.positionals, patterns);
    return odd.length === 0
      ? report
      : {
          ...report,
          facts: { ...report.facts, notes: odd },
          notes: [...(report.notes ?? []), ...odd],
        };
  },
};

/**
 * Two unknown agents under one login are not to become one: the second terminal says whose it is.
 */
async function heldElsewhere(call: Call, patterns: readonly string[]): Promise<Report | null> {
  const world = call.world();
  const at = await world.store.observe();
  const { name } = world.caller();
  const c = decisionContext(world, at);
  const { folding } = world.settings;
  const lease = [...at.state.leases.values()].find(
    (one) =>
      one.kind === 'reservation' &&
      one.agent.name === name &&
      isActive(one, c) &&
      one.patterns.some((held) => patterns.some((wanted) => collide(held, wanted, folding))) &&
      isOfOtherTerminal(world.repository.commonDir, one.id),
  );
  if (lease === undefined) return null;
  const next = shellLine('coord', 'reserve', '--mine', ...sameAgain(call));
  const facts = { refusal: { kind: 'held' }, blockers: [leaseFacts(lease, at.state, c)], next };
  const notes = [
    `refused: ${describe(lease)} is reserved in another terminal of ${name}`,
    `  next: ${next}`,
  ];
  return { ok: false, exit: exits.refused, result: 'refused', facts, says: [], notes };
}
