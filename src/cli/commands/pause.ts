import { CoordError } from '../../core/errors.ts';
import { exits } from '../../core/exits.ts';
import { pauseLock } from '../../core/ids.ts';
import { formatDuration } from '../../core/instant.ts';
import { isPause } from '../../core/pause.ts';
import { breakLease } from '../../loop/hand-over.ts';
import { release } from '../../loop/hold.ts';
import { lock } from '../../loop/take.ts';
import { renderBroken, renderReleased, renderTaken } from '../../render/leases.ts';
import type { Report } from '../../render/report.ts';
import { duration, isOn, text, type Verb } from '../verb.ts';

export const pause: Verb = {
  words: ['pause'],
  group: 'between',
  about: 'switch the checks off for a while, on record',
  more: 'The guards let everything pass for everybody, and note it.',
  flags: [
    { name: 'for', value: 'time', about: 'how long: 5s to 24h; it ends by itself' },
    { name: 'reason', value: 'text', about: 'why, for everybody to see' },
    { name: 'end', about: 'switch them on again before that' },
  ],
  examples: [
    ['coord pause --for 1h --reason "moving the repository"', 'then coord status says so'],
    ['coord pause --end', 'it is done'],
  ],
  run: async (call): Promise<Report> => {
    const world = call.world();
    if (isOn(call, 'end')) {
      const at = await world.store.observe();
      const paused = [...at.state.leases.values()].find(isPause);
      const isOwn = paused === undefined || paused.agent.name === world.caller().name;
      const ended = isOwn
        ? renderReleased(await release(world, { by: 'lock', name: pauseLock }))
        : renderBroken(await breakLease(world, paused.id, 'the pause is over'));
      const says = ['the guards are on again'];
      return ended.ok ? { ok: true, exit: exits.done, result: 'ended', facts: {}, says } : ended;
    }
    const [ttlMs, reason = ''] = [duration(call, 'for'), text(call, 'reason')];
    if (ttlMs === undefined)
      throw new CoordError(
        'usage',
        'it is not said for how long',
        'coord pause --for 1h --reason <why>',
      );
    if (reason === '')
      throw new CoordError(
        'needs_reason',
        'a pause goes on record with its reason',
        'coord pause --for 1h --reason <why>',
      );
    const report = renderTaken(await lock(world, pauseLock, { ttlMs, reason, retry: ['status'] }));
    if (!report.ok) return report;
    return {
      ...report,
      result: 'paused',
      says: [
        `the guards are off for ${formatDuration(ttlMs)}, for everybody: ${reason}`,
        '  to switch them on before that: coord pause --end',
      ],
    };
  },
};
