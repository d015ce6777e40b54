/**
 * Manners towards other machines. A bare compare-and-swap favours whoever has just won, because it knows
 * the log already: so after a win a machine lets those go first that moved the log lately, for about as
 * long as a push of each of them takes. For fairness alone; nothing rests on it.
 */
import type { Oid } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import { builtin } from './builtin.ts';
import { chain } from './history.ts';
import { readLocal, writeLocal } from './local.ts';
import { readObject } from './objects.ts';
import type { Repository } from './repository.ts';

const file = 'remote/pace';

interface Noted {
  readonly wonMs: number;
  readonly serviceMs: number;
  readonly rivals: Readonly<Record<string, number>>;
}

export interface PaceWorld {
  uptimeMs(): number;
  random(): number;
  sleep(ms: number): Promise<void>;
}

/** Tells this clone from others in what it sends: drawn once, and drawn anew where the note is lost. */
export function cloneId(commonDir: string): string {
  const known = readLocal(commonDir, 'remote/clone')?.trim() ?? '';
  if (/^[0-9a-f]{16}$/.test(known)) return known;
  const drawn = builtin.crypto.randomBytes(8).toString('hex');
  writeLocal(commonDir, 'remote/clone', `${drawn}\n`);
  return readLocal(commonDir, 'remote/clone')?.trim() ?? drawn;
}

export class Pace {
  readonly #commonDir: string;
  readonly #id: string;
  readonly #world: PaceWorld;

  constructor(commonDir: string, id: string, world: PaceWorld) {
    this.#commonDir = commonDir;
    this.#id = id;
    this.#world = world;
  }

  #read(): Noted {
    try {
      const noted = JSON.parse(readLocal(this.#commonDir, file) ?? '') as Partial<Noted>;
      if (typeof noted.wonMs === 'number' && typeof noted.serviceMs === 'number' && typeof noted.rivals === 'object') return { wonMs: noted.wonMs, serviceMs: noted.serviceMs, rivals: noted.rivals };
    } catch {
      // Nothing noted yet.
    }
    return { wonMs: 0, serviceMs: 0, rivals: {} };
  }

  #write(noted: Noted): void {
    writeLocal(this.#commonDir, file, JSON.stringify(noted));
  }

  won(startedMs: number): void {
    const before = this.#read();
    const now = this.#world.uptimeMs();
    const took = Math.min(limits.rivalMs, Math.max(10, now - startedMs));
    this.#write({ ...before, wonMs: now, serviceMs: before.serviceMs === 0 ? took : Math.round(before.serviceMs * 0.7 + took * 0.3) });
  }

  /** Which other clones have put something between these two. */
  sawOthers(copy: Repository, tip: Oid | null, floor: Oid): void {
    const now = this.#world.uptimeMs();
    const rivals = new Map(Object.entries(this.#read().rivals).filter(([, at]) => now - at < limits.rivalMs));
    let read = 0;
    for (const { oid } of chain(copy, tip, floor)) {
      const [, clone] = /^committer coord <([0-9a-f]{16})@clone\.coord\.invalid>/m.exec(readObject(copy, oid, 'commit').toString('utf8')) ?? [];
      if (clone !== undefined && clone !== this.#id) rivals.set(clone, now);
      if ((read += 1) >= limits.copyDepth) break;
    }
    this.#write({ ...this.#read(), rivals: Object.fromEntries(rivals) });
  }

  async giveWay(): Promise<void> {
    const { wonMs, serviceMs, rivals } = this.#read();
    const now = this.#world.uptimeMs();
    const count = Object.values(rivals).filter((at) => at <= now && now - at < limits.rivalMs).length;
    const untilMs = wonMs + Math.min(limits.rivalMs, count * serviceMs);
    if (count > 0 && wonMs <= now && untilMs > now) await this.#world.sleep((untilMs - now) * (0.9 + 0.2 * this.#world.random()));
  }
}
