/** What is noted is carried into the log once, whoever dies on the way. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { localTally, mayBeTaker } from '../../src/agent/tally.ts';
import type { Tally } from '../../src/loop/world.ts';
import { seeded } from '../support/world.ts';

test('who has set notes aside is no younger process of the same number', () => {
  const { pid } = process;
  const agesMs = 1_000 * process.uptime();
  expect(mayBeTaker(pid, 0)).toBe(true);
  expect(mayBeTaker(pid, agesMs / 2)).toBe(true);
  expect(mayBeTaker(pid, agesMs + 60_000)).toBe(false);
});

const runs = 1_000;

test(`${runs} writers, of which many die before or after their operation, carry each note once`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'coord-tally-'));
  const chance = seeded(7);
  // Nobody is alive, and nothing is waited for.
  const tally: Tally = localTally(folder, () => false, 0);
  const log = new Map<string, readonly string[]>();
  const noted: string[] = [];
  const settle = (): void => {
    for (const left of tally.abandoned()) (log.has(left.nonce) ? left.drop : left.putBack)();
  };
  const ann = { id: 'aaaaaaaa', name: 'ann' };
  for (let i = 0; i < runs; i += 1) {
    const nonce = i.toString(16).padStart(32, '0');
    const note = (): void => {
      const at = `2026-01-01T00:00:00.${String(noted.length).padStart(6, '0')}Z`;
      tally.note(chance() < 0.5 ? 'ann' : 'bob', { what: 'blocked', at, why: 'held' });
      noted.push(at);
    };
    if (chance() < 0.7) note();
    settle();
    const taken = tally.take([ann], nonce);
    if (chance() < 0.2) note();
    const fate = chance();
    // Died before its operation, lost the swap, or carried it and died before it said so.
    if (fate < 0.3) continue;
    if (fate < 0.5) {
      taken.putBack();
      continue;
    }
    log.set(
      nonce,
      taken.events.map(({ at }) => String(at)),
    );
    if (fate < 0.8) taken.drop();
  }
  settle();
  log.set(
    'last',
    tally.take([ann], 'f'.repeat(32)).events.map(({ at }) => String(at)),
  );
  expect([...log.values()].flat().sort()).toEqual(noted);
  rmSync(folder, { recursive: true });
});
