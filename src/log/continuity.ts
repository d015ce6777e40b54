/**
 * The log only ever grows. This clone remembers the last tip it saw; a log that is gone, or that
 * does not stand on that tip, was erased or rewound by somebody, and nothing is decided on it until
 * a person has had it mended. The memory is a local file: without it there is nothing to notice.
 */
import { CoordError } from '../core/errors.ts';
import type { Oid } from '../core/ids.ts';
import { isAncestor } from '../git/commits.ts';
import { readLocal, writeLocal } from '../git/local.ts';
import type { Repository } from '../git/repository.ts';
import { readLink } from './history.ts';
import type { Observation } from './log-store.ts';

const memory = 'tip';

/** So many steps back are read here; beyond that git is asked. */
const nearby = 64;

export interface Remembered {
  readonly tip: Oid;
  readonly seq: number;
}

export function rememberedTip(repository: Repository): Remembered | null {
  const [, tip, seq] =
    /^([0-9a-f]{40,64}) (\d+)\n$/.exec(readLocal(repository.commonDir, memory) ?? '') ?? [];
  return tip === undefined ? null : { tip, seq: Number(seq) };
}

export function noteTip(repository: Repository, { tip, seq }: Observation): void {
  if (tip !== null) writeLocal(repository.commonDir, memory, `${tip} ${seq}\n`);
}

/**
 * `known` was remembered before the ref was read, so whatever the ref holds now has to stand on it.
 */
export function checkContinuity(
  repository: Repository,
  seen: Observation,
  known: Remembered | null,
  mend = 'coord doctor --fix',
): void {
  if (known === null || known.tip === seen.tip) return;
  const was = `it stood at operation ${known.seq} (${known.tip.slice(0, 12)})`;
  if (seen.tip === null) throw new CoordError('log_erased', `the log was erased: ${was}`, mend);
  if (seen.seq > known.seq && standsOn(repository, seen, seen.tip, known)) return;
  throw new CoordError(
    'log_rewound',
    `the log was rewound or replaced: ${was}, now it is at ${seen.seq} (${seen.tip.slice(0, 12)})`,
    mend,
  );
}

function standsOn(repository: Repository, seen: Observation, tip: Oid, known: Remembered): boolean {
  const { previous, rootSeq } = seen.state.meta;
  // A new root names the tip it was made from; what lies further back may be gone by now.
  if (known.seq < rootSeq)
    return previous === known.tip || (previous !== null && known.seq < rootSeq - 1);
  if (seen.seq - known.seq > nearby) return isAncestor(repository, known.tip, tip);
  for (let at: Oid | null = tip; at !== null; at = readLink(repository, at).parent)
    if (at === known.tip) return true;
  return false;
}
