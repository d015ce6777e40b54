/**
 * Operations of this machine that are written but not sent yet, one on top of the other: whoever has the
 * turn sends all of them in one push. A place is taken by making a file that must not be there, so that
 * no two processes stand on the same operation. Losing any of it only means deciding again.
 */
import { linkSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Oid } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import { wallAge } from './local.ts';
import { ownMark } from './local.ts';

export interface UnderWay {
  readonly oid: Oid;
  readonly parent: Oid | null;
  readonly file: string;
}

function folderOf(far: string): string {
  return join(far, 'under-way');
}

/** What stands on this tip, oldest first. */
export function underWay(far: string, tip: Oid | null): readonly UnderWay[] {
  const chain: UnderWay[] = [];
  let at = tip;
  for (const entry of entriesOf(far)) {
    if (entry.parent !== at || wallAge(statSync(entry.file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > limits.underWayMs) continue;
    chain.push(entry);
    at = entry.oid;
  }
  return chain;
}

function entriesOf(far: string): readonly UnderWay[] {
  const folder = folderOf(far);
  let names: readonly string[];
  try {
    names = readdirSync(folder).filter((name) => /^\d{12}$/.test(name)).sort();
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    try {
      const file = join(folder, name);
      const [, oid, parent] = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}|none)\n$/.exec(readFileSync(file, 'utf8')) ?? [];
      return oid === undefined || parent === undefined ? [] : [{ oid, parent: parent === 'none' ? null : parent, file }];
    } catch {
      return [];
    }
  });
}

/** False where another process has taken this place. */
export function append(far: string, seq: number, oid: Oid, parent: Oid | null): boolean {
  const folder = folderOf(far);
  const draft = join(folder, `${seq}.${ownMark}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(draft, `${oid} ${parent ?? 'none'}\n`);
  try {
    linkSync(draft, join(folder, String(seq).padStart(12, '0')));
    return true;
  } catch {
    return false;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Everything that does not stand on this tip any more. The caller has the turn. */
export function tidy(far: string, tip: Oid | null): void {
  const kept = new Set(underWay(far, tip).map(({ file }) => file));
  for (const { file } of entriesOf(far)) if (!kept.has(file)) rmSync(file, { force: true });
}

/** Takes back all of it: whoever it belongs to decides again. The caller has the turn. */
export function withdraw(far: string): void {
  rmSync(folderOf(far), { recursive: true, force: true });
}
