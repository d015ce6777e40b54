import { nameOf } from '../../core/agent.ts';
import { counted } from '../../core/counted.ts';
import type { Event } from '../../core/event.ts';
import { exits } from '../../core/exits.ts';
import { toJson } from '../../core/harmless.ts';
import type { LoggedEntry, Observation } from '../../log/log-store.ts';
import type { Report } from '../../render/report.ts';
import { followLog } from '../../show/follow.ts';
import { eventFacts, eventLine, noteFacts, noteLine } from '../../show/log-lines.ts';
import { type Call, isOn, limitFlag, type Verb, whole } from '../verb.ts';

/** For people, unless they ask for more. */
const shownByDefault = 100;

/** Shows the last events of these and says how many there were, and whether anybody still reads. */
function show(
  call: Call,
  entries: readonly LoggedEntry[],
  limit: number,
): { readonly count: number; readonly isRead: boolean } {
  const rows = entries.flatMap((entry) => entry.events.map((event) => ({ entry, event })));
  const isRead = (limit === 0 ? [] : rows.slice(-limit)).every(({ entry, event }) =>
    call.emit(eventFacts(entry, event), eventLine(entry, event)),
  );
  return { count: rows.length, isRead };
}

/** By its own id; a commit by what it is. Who did it may be on record by then, under another id. */
function markOf({ event, id, at, commit, agent }: Event): string {
  return typeof id === 'string' ? id : toJson([event, at, commit, agent.name]);
}

/** What waits for a writer of the log is shown at once, and not again when it is there. */
class Notes {
  readonly #call: Call;
  readonly #shown = new Set<string>();

  constructor(call: Call) {
    this.#call = call;
  }

  /** False once nobody reads any more. */
  show(notes: readonly Event[]): boolean {
    const fresh = notes.filter((event) => !this.#shown.has(markOf(event)));
    for (const event of fresh) this.#shown.add(markOf(event));
    return fresh.every((event) => this.#call.emit(noteFacts(event), noteLine(event)));
  }

  without(entry: LoggedEntry): LoggedEntry {
    return { ...entry, events: entry.events.filter((event) => !this.#shown.delete(markOf(event))) };
  }
}

export const log: Verb = {
  words: ['log'],
  group: 'seeing',
  waits: true,
  about: 'show what happened, oldest first',
  more: 'With --json one object a line.',
  flags: [
    { name: 'since', value: 'seq', about: 'only what came after this operation', usual: '0' },
    { name: 'follow', about: 'go on as it happens' },
    { ...limitFlag, usual: '100; all with --json or --since' },
  ],
  examples: [
    ['coord log', 'the latest'],
    [
      'coord log --since 120 --json',
      'all after operation 120, for a program that remembers where it was',
    ],
    ['coord log --follow', 'watch it happen'],
    ['git log -p refs/coord/log', 'the same with plain git'],
  ],
  run: async (call): Promise<Report> => {
    const world = call.world();
    const since = whole(call, 'since') ?? 0;
    const at = await world.store.glimpse();
    const entries = await world.store.history(at, since);
    const limit =
      whole(call, 'limit') ?? (call.json || since > 0 ? Number.MAX_SAFE_INTEGER : shownByDefault);
    call.heading('   SEQ  WHEN (UTC)           WHAT');
    const { count, isRead } = show(call, entries, limit);
    const waiting = (seen: Observation): readonly Event[] =>
      world.tally.pending([...seen.state.agents.values()].map(nameOf));
    const notes = new Notes(call);
    const isHeard = isRead && notes.show(waiting(at));
    if (count > limit)
      call.tell(`... ${counted(count - limit, 'earlier event')}: coord log --limit ${count}`);
    if (isOn(call, 'follow') && isHeard) {
      const signal = call.signal();
      const showFresh = (fresh: readonly LoggedEntry[], seen: Observation): boolean =>
        show(
          call,
          fresh.map((entry) => notes.without(entry)),
          Number.MAX_SAFE_INTEGER,
        ).isRead && notes.show(waiting(seen));
      await followLog(world, at, showFresh, signal);
      return {
        ok: true,
        exit: signal.aborted ? exits.interrupted : exits.done,
        result: 'interrupted',
        facts: {},
        says: [],
        silent: true,
      };
    }
    return { ok: true, exit: exits.done, result: 'listed', facts: {}, says: [], silent: true };
  },
};
