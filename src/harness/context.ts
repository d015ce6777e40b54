/**
 * What an agent is told: who else is here when it starts, and whatever concerned it since. At most
 * so many bytes.
 */

import type { RealWorld } from '../agent/world.ts';
import { nameOf, showAgent } from '../core/agent.ts';
import { agentNamed } from '../core/decide/enrol.ts';
import { overview } from '../core/decide/look.ts';
import { harmless, shorten } from '../core/harmless.ts';
import { areKin } from '../core/ids.ts';
import { describe } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import { headMoved, movedNote } from '../draft/head-moved.ts';
import { stageOf } from '../draft/stage-base.ts';
import { type LostHooks, lostHooks, lostWords, newlyLostHooks } from '../git/hooks-in-force.ts';
import { decisionContext } from '../loop/operate.ts';
import { noteLines } from '../render/failure.ts';
import { ago, timeLeft } from '../render/lines.ts';
import { unread } from '../show/inbox.ts';

function fitted(lines: readonly string[], mostBytes: number): string {
  const kept: string[] = [];
  let left = mostBytes - 40;
  for (const line of lines.map(harmless)) {
    left -= Buffer.byteLength(line) + 1;
    if (left < 0) return [...kept, `... and more: coord status`].join('\n');
    kept.push(line);
  }
  return kept.join('\n');
}

/** Messages and moved commits, or nothing. */
export async function news(world: RealWorld): Promise<string> {
  const at = await world.store.observe();
  const me = agentNamed(at.state, world.caller().name);
  if (me === null) return '';
  const c = decisionContext(world, at);
  const messages = (await unread(world, at, nameOf(me), null)).map(
    (message) => `${message.text} (${ago(message.at, c)})`,
  );
  const moved = headMoved(
    world.repository,
    stageOf(world.repository, me.id),
    c.now.at,
    world.settings.commitRate,
  );
  const lines = [
    ...messages,
    ...(moved === null ? [] : [movedNote(moved).replace(/^note: /, '')]),
    ...toldOf(newlyLostHooks(world.repository)),
  ];
  return lines.length === 0
    ? ''
    : fitted(
        lines.map((line) => `coord: ${line}`),
        limits.newsBytes,
      );
}

function toldOf(lost: LostHooks | null): readonly string[] {
  return lost === null ? [] : [`${lostWords(lost)}; tell your user: coord install`];
}

/** At the start of a session, and again after its context was cut down. */
export async function welcome(world: RealWorld, more: readonly string[] = []): Promise<string> {
  const at = await world.store.observe();
  const c = decisionContext(world, at);
  const { name } = world.caller();
  const { agents, leases, waits } = overview(at.state, c);
  const me = agentNamed(at.state, name);
  const mine = leases.filter((lease) => lease.agent.name === name);
  const others = agents.filter((agent) => !areKin(agent.name, name));
  const holding = (id: string): string =>
    leases
      .filter((lease) => lease.agent.id === id)
      .map((lease) => `${shorten(describe(lease), 120)} (${timeLeft(lease, c)})`)
      .join(', ');
  return fitted(
    [
      `coord guards this repository; here you are ${me === null ? name : showAgent(me)}.`,
      'The first edit of a file reserves it for you. An edit of what another agent holds is refused, and the refusal says who has it and what to do. Commit what you changed with git add and git commit; do not stash, reset or clean what is not yours.',
      ...(mine.length === 0
        ? []
        : [
            `You hold: ${mine.map((lease) => `${shorten(describe(lease), 120)} (${timeLeft(lease, c)})`).join(', ')}.`,
          ]),
      ...mine.flatMap((lease) =>
        lease.kind === 'claim' ? noteLines(at.state.beads.records.get(lease.bead)).slice(0, 4) : [],
      ),
      ...[...at.state.requests.values()]
        .filter(({ to }) => to.id === me?.id)
        .map(
          (request) =>
            `${showAgent(request.from)} asks you for ${shorten(describe(request.what), 120)}: ${shorten(request.reason, 120)} (coord answer ${request.id} accept|decline|defer)`,
        ),
      others.length === 0 ? 'Nobody else is here now.' : `Others here: ${others.length}.`,
      ...others.map(
        (agent) =>
          `- ${showAgent(agent)}, last active ${ago(agent.active.at, c)}${holding(agent.id) === '' ? '' : `, holds ${holding(agent.id)}`}`,
      ),
      ...waits
        .filter((wait) => mine.some((lease) => lease.kind === wait.kind))
        .map((wait) => `- ${showAgent(wait.agent)} waits for ${shorten(describe(wait), 120)}`),
      ...toldOf(lostHooks(world.repository)),
      ...more,
    ],
    limits.welcomeBytes,
  );
}
