/**
 * What concerns an agent and was done by others: told once, at its next call that has somebody to
 * tell it to. Where it has been read to is kept locally; losing that tells it again.
 */

import type { RealWorld } from '../agent/world.ts';
import { nameOf, showAgent } from '../core/agent.ts';
import { agentNamed } from '../core/decide/enrol.ts';
import type { Event } from '../core/event.ts';
import { targetOf } from '../core/event-words.ts';
import { exits } from '../core/exits.ts';
import { shorten } from '../core/harmless.ts';
import { areKin } from '../core/ids.ts';
import { formatDuration, formatTime } from '../core/instant.ts';
import type { AgentName } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import { readLocal, writeLocal } from '../git/local.ts';
import type { LoggedEntry, Observation } from '../log/log-store.ts';
import { decisionContext } from '../loop/operate.ts';
import { ago } from '../render/lines.ts';
import type { Report } from '../render/report.ts';

interface Message {
  readonly seq: number;
  readonly at: number;
  readonly text: string;
  /** The request that it tells of, if it is one. */
  readonly request: string | null;
}

interface Waiting {
  readonly messages: readonly Message[];
  /** They have been told. */
  markRead(): void;
}

/** What others did to it: words for those events that it could not have seen itself. */
export function inboxWords(event: Event, me: AgentName): string | null {
  const overridden = overrideOf(event, me);
  if (overridden !== null) return overridden;
  const by = event.by;
  if (event.agent.id !== me.id || by === undefined || areKin(by.name, me.name)) return null;
  const what = shorten(targetOf(event), 200);
  const reason =
    typeof event['reason'] === 'string' && event['reason'] !== ''
      ? `: ${shorten(event['reason'], 200)}`
      : '';
  switch (event.event) {
    case 'expired':
      return `your lease of ${what} had run out and ${showAgent(by)} has taken it over`;
    case 'broken':
      return `${showAgent(by)} has broken your lease of ${what}${reason}`;
    case 'overwritten':
      if (typeof event['commit'] === 'string')
        return `${showAgent(by)} has left your commit ${event['commit'].slice(0, 10)} on no branch; git branch kept-${event['commit'].slice(0, 10)} ${event['commit']} keeps it`;
      if (typeof event['undone'] === 'string')
        return `a command of ${showAgent(by)} wrote ${what} from what stood there before your commit ${event['undone'].slice(0, 10)}: the file lacks that now, the commit has it`;
      if (event['known'] === false)
        return `${what}, which you hold, changed while a command of ${showAgent(by)} ran; who changed it is not known`;
      return `a command of ${showAgent(by)} has changed ${what}, which you hold${typeof event['saved'] === 'string' ? `; what was there before: coord rescue show ${event['saved']}` : ''}`;
    case 'taken':
      return `you had stalled, and ${showAgent(by)} has taken ${what} over${reason}`;
    case 'asked':
      return `${showAgent(by)} asks you for ${what}${reason}; answer it: coord answer ${String(event['request'])} accept, decline, or defer --eta 10m`;
    case 'answered':
      return `${showAgent(by)} ${{ accept: 'gives up', decline: 'keeps', defer: 'needs more time for' }[String(event['verdict'])] ?? 'answered about'} ${what}${typeof event['eta'] === 'number' ? `, about ${formatDuration(event['eta'] * 1_000)}` : ''}${reason}`;
    case 'request-closed':
      return `your request for ${what} is over: it is not held any more as it was then, or nobody answered for a day`;
    case 'transferred':
      return `${showAgent(by)} has given you ${what}${reason}`;
    default:
      return null;
  }
}

/** Somebody has committed past a lease of mine, and has said why. */
function overrideOf(event: Event, me: AgentName): string | null {
  const holders =
    event.event === 'overridden' && Array.isArray(event['holders'])
      ? (event['holders'] as readonly unknown[])
      : [];
  const isMine = holders.some(
    (one) => typeof one === 'object' && one !== null && 'id' in one && one.id === me.id,
  );
  if (!isMine || areKin(event.agent.name, me.name)) return null;
  const reason = typeof event['reason'] === 'string' ? `: "${shorten(event['reason'], 200)}"` : '';
  return `${showAgent(event.agent)} overrode your lease on ${shorten(targetOf(event), 200)}${reason}`;
}

function cursor(me: AgentName): string {
  return `inbox/${me.id}`;
}

export function messagesIn(entries: readonly LoggedEntry[], me: AgentName): readonly Message[] {
  return entries.flatMap(({ seq, at, events }) =>
    events.flatMap((event): Message[] => {
      const text = inboxWords(event, me);
      const request = event.event === 'asked' ? String(event['request']) : null;
      return text === null ? [] : [{ seq, at, text, request }];
    }),
  );
}

/** From where it was read to last; for an agent that never read, from where it began. */
async function entriesFor(
  world: RealWorld,
  at: Observation,
  me: AgentName,
  read: number | null,
): Promise<readonly LoggedEntry[]> {
  const startedAt = at.state.agents.get(me.id)?.startedAt ?? Number.POSITIVE_INFINITY;
  for (const back of read === null ? [16, 64, limits.inboxEntries] : [limits.inboxEntries]) {
    const from = Math.max(0, read ?? 0, at.seq - back);
    const entries = at.seq <= from ? [] : await world.store.history(at, from);
    if (from === 0 || back === limits.inboxEntries || (entries[0]?.at ?? 0) < startedAt)
      return entries;
  }
  return [];
}

/** What it has not been told yet, or all since then. */
export async function waiting(
  world: RealWorld,
  at: Observation,
  me: AgentName,
  since: number | null = null,
): Promise<Waiting> {
  const { commonDir } = world.repository;
  const kept = readLocal(commonDir, cursor(me));
  const read = since ?? (kept === null ? null : Number(kept));
  return {
    messages: messagesIn(await entriesFor(world, at, me, read), me),
    markRead: () => {
      if (read !== at.seq || kept === null) writeLocal(commonDir, cursor(me), `${at.seq}\n`);
    },
  };
}

export async function unread(
  world: RealWorld,
  at: Observation,
  me: AgentName,
  since: number | null,
): Promise<readonly Message[]> {
  const { messages, markRead } = await waiting(world, at, me, since);
  markRead();
  return messages;
}

/** What is new to whoever asks, or with `all` what was told before too. */
export async function inboxReport(world: RealWorld, all: boolean): Promise<Report> {
  const at = await world.store.observe();
  const me = agentNamed(at.state, world.caller().name);
  const messages = me === null ? [] : await unread(world, at, nameOf(me), all ? 0 : null);
  const c = decisionContext(world, at);
  return {
    ok: true,
    exit: exits.done,
    result: messages.length === 0 ? 'nothing' : 'told',
    facts: {
      messages: messages.map((message) => ({
        seq: message.seq,
        at: formatTime(message.at),
        text: message.text,
      })),
    },
    says:
      messages.length === 0
        ? ['nothing new']
        : messages.map((message) => `${ago(message.at, c)}  ${message.text}`),
  };
}
