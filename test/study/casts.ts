/** Casts of agents for every interleaving, and the endings that there are. */
import { expect } from 'vitest';
import { MemoryLog, MemoryLogStore } from '../../src/log/memory-log-store.ts';
import { reserving } from '../../src/study/deeds.ts';
import {
  type Deed,
  type Played,
  play,
  type Role,
  type Scene,
  simulatedWorld,
} from '../../src/study/scene.ts';
import { type Explored, explore } from '../../src/study/schedule.ts';
import { standsOf } from '../../src/study/stands.ts';
import { HandClock, seededRandom } from '../support/world.ts';

export type Cast = Readonly<Record<string, readonly Deed[]>>;

export interface Before {
  /** Done in this order before the scene begins. */
  readonly done?: readonly (readonly [agent: string, deed: Deed])[];
  readonly passedMs?: number;
}

/** `bob@2` is a second process of bob, `bob in far` one in another work tree than all others. */
export function rolesOf(cast: Cast): readonly Role[] {
  return Object.entries(cast).map(([process, deeds]) => ({
    process,
    agent: process.split(/@| in /)[0] ?? process,
    workTree: process.endsWith(' in far') ? 'treefaraway' : 'treehere',
    deeds,
  }));
}

/** Uptimes are whole milliseconds; naps are not. */
export class WholeClock extends HandClock {
  override async sleep(ms: number): Promise<void> {
    this.pass(Math.ceil(ms));
  }
}

export async function sceneOf(
  cast: Cast,
  before: Before = {},
  more: Partial<Scene> = {},
): Promise<Scene> {
  const made = new MemoryLog();
  for (const [i, [agent, deed]] of (before.done ?? []).entries()) {
    await deed.act(
      simulatedWorld(agent, new MemoryLogStore(made), new WholeClock(), seededRandom(1_000 + i)),
    );
  }
  const log = (): MemoryLog => {
    const copy = new MemoryLog();
    copy.entries.push(...made.entries);
    return copy;
  };
  const clock = (): WholeClock => {
    const later = new WholeClock();
    later.pass(before.passedMs ?? 0);
    return later;
  };
  return { roles: rolesOf(cast), log, clock, random: (i) => seededRandom(i + 1), ...more };
}

export interface Endings extends Explored {
  readonly endings: readonly string[];
}

export async function endingsOf(
  scene: Scene,
  look: (played: Played) => void = () => {},
): Promise<Endings> {
  const endings = new Set<string>();
  const explored = await explore(async (choices) => {
    const played = await play(scene, choices);
    if (played.end === 'complete') {
      expect(played.problems, played.trace).toEqual([]);
      look(played);
      endings.add(
        [...played.results].map(([process, words]) => `${process} ${words.join(' ')}`).join(', '),
      );
    }
    return played.end;
  });
  return { ...explored, endings: [...endings].sort() };
}

export function standing({ log }: Played): readonly string[] {
  return [...(standsOf(log).at(-1)?.state.leases.values() ?? [])]
    .map(
      (lease) =>
        `${lease.agent.name} ${lease.kind === 'reservation' ? lease.patterns.join(' ') : ''}`,
    )
    .sort();
}

export const all = ['src/a.ts', 'src/*.ts', 'src/**', '**/a.ts'] as const;

export const names = ['ann', 'bob', 'cy', 'dee'] as const;

export function oneOf(count: number): string[] {
  return names
    .slice(0, count)
    .map((winner) =>
      names
        .slice(0, count)
        .map((name) => `${name} ${name === winner ? 'granted' : 'refused:held'}`)
        .join(', '),
    )
    .sort();
}

export const held = reserving(['src/a.ts']);
