/**
 * git speaks to a server in one of two ways: the older one tells all refs there are at once, the
 * newer one asks for them in a question of its own. Where there are few refs the older one saves a
 * way there and back each time, where there are very many it takes far longer. Which is better here
 * is found by trying.
 */
import { readLocal, writeLocal } from '../git/local.ts';

const file = 'remote/dialect';

/** As git numbers them. */
export type Dialect = 0 | 2;

interface Tried {
  readonly asked: number;
  readonly ms: Readonly<Record<Dialect, number>>;
}

/** The one that is worse is tried again so often, and seldom where it is much worse. */
const [often, seldom] = [64, 1_024];

function read(commonDir: string): Tried {
  const [asked = 0, older = 0, newer = 0] = (readLocal(commonDir, file) ?? '')
    .trim()
    .split(' ')
    .map((word) => Number(word) || 0);
  return { asked, ms: { 0: older, 2: newer } };
}

export function dialectFor(commonDir: string): Dialect {
  const { asked, ms } = read(commonDir);
  if (ms[0] === 0) return 0;
  if (ms[2] === 0) return 2;
  const better: Dialect = ms[0] <= ms[2] ? 0 : 2;
  const worse: Dialect = better === 0 ? 2 : 0;
  return asked % (ms[worse] > 2 * ms[better] ? seldom : often) === 0 ? worse : better;
}

/** An answer took so long in this one. */
export function noteDialect(commonDir: string, dialect: Dialect, tookMs: number): void {
  const { asked, ms } = read(commonDir);
  const now = { ...ms, [dialect]: ms[dialect] === 0 ? tookMs : ms[dialect] * 0.8 + tookMs * 0.2 };
  writeLocal(commonDir, file, `${asked + 1} ${now[0].toFixed(1)} ${now[2].toFixed(1)}\n`);
}
