/**
 * Before an edit of a file that several may change at once: what it would do is computed and judged
 * against the lines that others have there, and announced, so that it is known later whose it is.
 */
import type { HookEvent } from '../adapter/hook-event.ts';
import type { RealWorld } from '../agent/world.ts';
import { agentNamed } from '../core/decide/enrol.ts';
import { areKin } from '../core/ids.ts';
import type { Owner, Range } from '../core/lines/record.ts';
import { type Change, inBytes } from '../core/patch-text.ts';
import { pathOf } from '../core/pattern.ts';
import { announce } from '../draft/announce.ts';
import { lineFileAt } from '../draft/line-store.ts';
import { whyAlone } from '../draft/shareable.ts';
import { anyOperation } from '../git/head.ts';
import { keepOverwritten } from '../guard/overwritten-lines.ts';
import type { Observation } from '../log/log-store.ts';
import { isHeldBy } from '../loop/standing.ts';

/** The files of an edit, and what becomes of each. */
export interface LineEdit {
  readonly path: string;
  readonly changes: readonly Change[];
}

/** Null where one of the files is for one at a time, or what becomes of it is not known. */
export function lineEdits(
  { repository, settings }: RealWorld,
  told: HookEvent,
  keys: readonly string[],
  pathOfOne: (path: string) => string | null,
): readonly LineEdit[] | null {
  if (settings.editMode !== 'lines' || told.tool.kind !== 'edit') return null;
  if (anyOperation(repository) !== null) return null;
  const { changes } = told.tool;
  const edits = keys.map((key) => ({
    path: pathOf(key) ?? '',
    changes: changes.filter(({ path }) => pathOfOne(path) === pathOf(key)).map(inBytes),
  }));
  const isKnown = edits.every(({ path, changes: some }) => path !== '' && some.length > 0);
  const isAlone = ({ path }: LineEdit): boolean =>
    lineFileAt(repository, path) === null && whyAlone(repository, path) !== null;
  return isKnown && !edits.some(isAlone) ? edits : null;
}

interface InTheWay {
  readonly path: string;
  readonly ranges: readonly Range[];
}

/**
 * Announces all of them; the first that others are in the way of, or `unknown` where one has to have
 * the file alone: what becomes of it is not known, or lines of nobody at work are touched.
 */
export async function announceAll(
  world: RealWorld,
  at: Observation,
  edits: readonly LineEdit[],
): Promise<InTheWay | 'unknown' | null> {
  const { name } = world.caller();
  const owner = agentNamed(at.state, name)?.id;
  if (owner === undefined) return 'unknown';
  const isKin = (other: Owner): boolean => {
    const agent = at.state.agents.get(other);
    return agent !== undefined && other !== owner && areKin(agent.name, name);
  };
  for (const { path, changes } of edits) {
    const since = world.clock.now().at;
    const asked = (): ReturnType<typeof announce> =>
      announce(world.repository, { path, owner, changes, since, at: world.clock.now().at, isKin });
    let judged = asked();
    for (; judged.kind === 'busy'; judged = asked()) await world.clock.sleep(stepMs);
    if (judged.kind === 'unknown') return 'unknown';
    if (judged.kind === 'collides')
      // Else whoever has the file alone may touch these lines as well.
      return judged.ranges.some(({ owner }) => isHeldBy(world, at, path, owner))
        ? { path, ranges: judged.ranges }
        : 'unknown';
    await keepOverwritten(world, at, judged.looked);
  }
  return null;
}

const stepMs = 20;
