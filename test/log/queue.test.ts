/** Whoever waits behind some that make no progress goes on, and waits once for all of them. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { takeTurn } from '../../src/log/queue.ts';

const patienceMs = 60_000;

/** Places whose processes neither leave nor end. */
async function stopped(folder: string, count: number): Promise<readonly Server[]> {
  mkdirSync(folder, { recursive: true });
  const places = Array.from({ length: count }, (_, i) => join(folder, `${i + 1}.stopped${i}`));
  return Promise.all(
    places.map(
      (file) =>
        new Promise<Server>((resolve) => {
          const server = createServer(() => {});
          server.listen(file, () => resolve(server));
        }),
    ),
  );
}

afterEach(() => vi.useRealTimers());

describe('the queue', () => {
  test.for([1, 5])('behind %i that have stopped one goes on after one wait', async (count) => {
    const folder = mkdtempSync(join(tmpdir(), 'coord-queue-'));
    const servers = await stopped(folder, count);
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    let turn: Awaited<ReturnType<typeof takeTurn>> = null;
    const taken = takeTurn(folder, patienceMs).then((mine) => {
      turn = mine;
    });
    // It stands in line, and waits for whoever is before it.
    await vi.waitUntil(() => vi.getTimerCount() === 1);
    vi.advanceTimersByTime(patienceMs);
    await taken;
    expect(turn).toMatchObject({ alone: false });
    for (const server of servers) server.close();
    rmSync(folder, { recursive: true, force: true });
  });
});
