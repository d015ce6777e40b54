import { eventFacts, eventLine } from '../../show/log-lines.ts';
import { followLog } from '../../show/follow.ts';
import { counted } from '../../core/counted.ts';
import { exits, type Report } from '../../report.ts';
import type { LoggedEntry } from '../../git/log-store.ts';
import { isOn, limitFlag, whole, type Call, type Verb } from '../verb.ts';

/** For people, unless they ask for more. */
const shownByDefault = 100;

/** Shows the last events of these and says how many there were, and whether anybody still reads. */
function show(call: Call, entries: readonly LoggedEntry[], limit: number): { readonly count: number; readonly isRead: boolean } {
  const rows = entries.flatMap((entry) => entry.events.map((event) => ({ entry, event })));
  const isRead = (limit === 0 ? [] : rows.slice(-limit)).every(({ entry, event }) => call.emit(eventFacts(entry, event), eventLine(entry, event)));
  return { count: rows.length, isRead };
}

export const log: Verb = {
  words: ['log'],
  about: 'what happened, oldest first; one JSON object a line with --json',
  flags: [
    { name: 'since', value: 'seq', about: 'only what came after this operation' },
    { name: 'follow', about: 'go on as it happens' },
    limitFlag,
  ],
  examples: [
    ['coord log', 'the latest'],
    ['coord log --since 120 --json', 'all after operation 120, for a program that remembers where it was'],
    ['coord log --follow', 'watch it happen'],
    ['git log -p refs/coord/log', 'the same with plain git'],
  ],
  run: async (call): Promise<Report> => {
    const world = call.world();
    const since = whole(call, 'since') ?? 0;
    const at = await world.store.glimpse();
    const entries = await world.store.history(at, since);
    const limit = whole(call, 'limit') ?? (call.json || since > 0 ? Number.MAX_SAFE_INTEGER : shownByDefault);
    const { count, isRead } = show(call, entries, limit);
    if (count > limit) call.tell(`... ${counted(count - limit, 'earlier event')}: coord log --limit ${count}`);
    if (isOn(call, 'follow') && isRead) {
      const signal = call.signal();
      await followLog(world, at, (fresh) => show(call, fresh, Number.MAX_SAFE_INTEGER).isRead, signal);
      return { ok: true, exit: signal.aborted ? exits.interrupted : exits.done, result: 'interrupted', facts: {}, says: [], silent: true };
    }
    return { ok: true, exit: exits.done, result: 'listed', facts: {}, says: [], silent: true };
  },
};
