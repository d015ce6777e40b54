/**
 * What an agent is told: who else is here when it starts, and whatever concerned it since. At most
 * so many bytes.
 */

import type { RealWorld } from '../agent/world.ts';
import { nameOf, showAgent } from '../core/agent.ts';
import { counted } from '../core/counted.ts';
import type { DecisionContext } from '../core/decide/decision.ts';
import { agentNamed } from '../core/decide/enrol.ts';
import { overview } from '../core/decide/look.ts';
import { harmless, shorten } from '../core/harmless.ts';
import { areKin } from '../core/ids.ts';
import { type AgentName, describe, type Lease, type Wait } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import { collide } from '../core/overlap.ts';
import type { State } from '../core/state.ts';
import { headMoved, movedNote } from '../draft/head-moved.ts';
import { stageOf } from '../draft/stage-base.ts';
import { type LostHooks, lostHooks, lostWords, newlyLostHooks } from '../git/hooks-in-force.ts';
import type { Observation } from '../log/log-store.ts';
import { decisionContext } from '../loop/operate.ts';
import { warningLine } from '../render/conflicts.ts';
import { noteLines } from '../render/failure.ts';
import { activity, ago, timeLeft } from '../render/lines.ts';
import { unread, waiting } from '../show/inbox.ts';
import { freshCollisions } from '../work/conflicts/tell.ts';
import { howToWork } from './instructions.ts';

/** As many of these as there is room for, and how many are left out. */
function fitted(lines: readonly string[], mostBytes: number, whole: string): readonly string[] {
  const said = lines.map(harmless);
  const sizes = said.map((line) => Buffer.byteLength(line) + 1);
  const upTo = (count: number): number =>
    sizes.slice(0, count).reduce((sum, size) => sum + size, 0);
  if (upTo(said.length) <= mostBytes) return said;
  const ending = (count: number): string => `... and ${said.length - count} more: ${whole}`;
  let count = said.length - 1;
  while (count > 0 && upTo(count) + ending(count).length > mostBytes) count -= 1;
  return [...said.slice(0, count), ending(count)];
}

/** The same said of several times is said once, of the last. */
function messageLines(
  messages: readonly { readonly text: string; readonly at: number }[],
  c: DecisionContext,
): readonly string[] {
  const last = new Map<string, { readonly at: number; readonly times: number }>();
  for (const { text, at } of messages)
    last.set(text, { at, times: (last.get(text)?.times ?? 0) + 1 });
  return [...last].map(
    ([text, { at, times }]) =>
      `coord: ${text} (${times > 1 ? `${times} times, last ` : ''}${ago(at, c)})`,
  );
}

/** Messages and moved commits, or nothing. */
export async function news(world: RealWorld): Promise<string> {
  const at = await world.store.observe();
  const me = agentNamed(at.state, world.caller().name);
  if (me === null) return '';
  const c = decisionContext(world, at);
  const messages = messageLines(await unread(world, at, nameOf(me), null), c);
  const moved = headMoved(
    world.repository,
    stageOf(world.repository, me.id),
    c.now.at,
    world.settings.commitRate,
  );
  const head = [
    ...(moved === null ? [] : [movedNote(moved).replace(/^note: /, 'coord: ')]),
    ...lostLines(newlyLostHooks(world.repository)),
    ...freshCollisions(world, false).map((one) => `coord: ${warningLine(one)}`),
  ];
  return [
    ...head,
    ...fitted(messages, limits.newsBytes - Buffer.byteLength(head.join('\n')), 'coord inbox --all'),
  ].join('\n');
}

interface Company {
  /** It has just begun: what others did to it is told as well, if that is little. */
  readonly isStart: boolean;
  /** The project's own instructions say already how one works here. */
  readonly isInstructed: boolean;
  readonly more: readonly string[];
}

function lostLines(lost: LostHooks | null): readonly string[] {
  return lost === null ? [] : [`coord: ${lostWords(lost)}; tell your user: coord install`];
}

/** At the start of a session, and again after its context was cut down. */
export async function welcome(world: RealWorld, company: Company): Promise<string> {
  const at = await world.store.observe();
  const c = decisionContext(world, at);
  const { name } = world.caller();
  const { agents, leases, waits } = overview(at.state, c);
  const me = agentNamed(at.state, name);
  const others = agents.filter((agent) => !areKin(agent.name, name));
  const mine = leases.filter((lease) => lease.agent.name === name);
  const first = [
    `coord: you are ${me === null ? name : showAgent(me)}, ${others.length === 0 ? 'alone here' : `with ${counted(others.length, 'other')} here`}.`,
    ...lostLines(lostHooks(world.repository)),
    ...(company.isInstructed ? [] : [howToWork(world.settings.edit)]),
    ...(mine.length === 0 ? [] : [`You hold ${some(mine, (lease) => timeLeft(lease, c), 3)}.`]),
    ...mine.flatMap((lease) => (lease.kind === 'claim' ? lastNote(at.state, lease.bead) : [])),
    ...waits
      .filter((wait) => mine.some((lease) => blocks(lease, wait, c)))
      .map((wait) => `${showAgent(wait.agent)} waits for ${shorten(describe(wait), mostChars)}.`),
    ...(me === null ? [] : await toldOnce(world, at, nameOf(me), company.isStart, c)),
  ];
  const rest = [
    ...others.map((agent) => {
      const held = leases.filter((lease) => lease.agent.id === agent.id);
      return `- ${showAgent(agent)}, ${activity(agent.active.at, c)}${held.length === 0 ? '' : `: ${some(held, null, 2)}`}`;
    }),
    ...company.more,
  ];
  return fitted([...first, ...rest], limits.welcomeBytes, 'coord status').join('\n');
}

/** Of what somebody holds or asks for. */
const mostChars = 40;
const mostReason = 80;

/** Those that were renewed last, by what they hold; each perhaps with something about it. */
function some(
  leases: readonly Lease[],
  about: ((lease: Lease) => string) | null,
  most: number,
): string {
  const shown = leases
    .slice(0, most)
    .map(
      (lease) =>
        `${shorten(describe(lease), mostChars)}${about === null ? '' : ` (${about(lease)})`}`,
    );
  const left = leases.length - shown.length;
  return `${shown.join(', ')}${left === 0 ? '' : ` and ${left} more`}`;
}

function lastNote(state: State, bead: string): readonly string[] {
  return noteLines(state.beads.records.get(bead))
    .slice(0, 4)
    .map((line) => shorten(line, 2 * mostReason));
}

/** Is this wait for what the lease has? */
function blocks(lease: Lease, wait: Wait, { folding }: DecisionContext): boolean {
  if (lease.kind !== 'reservation' || wait.kind !== 'reservation')
    return describe(lease) === describe(wait);
  return wait.patterns.some((wanted) =>
    lease.patterns.some((held) => collide(held, wanted, folding)),
  );
}

/**
 * What others did to it, if that is little; requests that are open are said again, for their answer
 * is due. Whatever is not said now comes with the next news.
 */
async function toldOnce(
  world: RealWorld,
  at: Observation,
  me: AgentName,
  isStart: boolean,
  c: DecisionContext,
): Promise<readonly string[]> {
  const { messages, markRead } = await waiting(world, at, me);
  const lines = messageLines(messages, c);
  const isLittle = Buffer.byteLength(lines.join('\n')) <= limits.welcomeNewsBytes;
  if (isStart && isLittle) markRead();
  const open = [...at.state.requests.values()].filter(
    ({ id, to }) => to.id === me.id && !messages.some(({ request }) => request === id),
  );
  return [
    ...open.map(
      (request) =>
        `${showAgent(request.from)} asks you for ${shorten(describe(request.what), mostChars)}: ${shorten(request.reason, mostReason)}; answer it: coord answer ${request.id} accept, decline, or defer --eta 10m`,
    ),
    ...(isStart && isLittle ? lines : []),
    ...(isStart && !isLittle
      ? [`${counted(messages.length, 'message')} for you: coord inbox`]
      : []),
  ];
}
