/** One project for each tier of the tests; what a tier is stands in test/tiers.ts. */
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { Order } from './test/order.ts';
import { TierReport } from './test/tier-report.ts';
import { cannotRun, filesOf, type Tier, tiers } from './test/tiers.ts';

const unrun = cannotRun(import.meta.dirname);
// A container may have fewer than it sees.
const cores = Math.min(availableParallelism(), 8);

function isWaiting(tier: Tier): boolean {
  return tier === 'system' || tier === 'long';
}

export default defineConfig({
  test: {
    globalSetup: 'test/run-folder.ts',
    slowTestThreshold: 10_000,
    reporters: ['default', new TierReport(unrun)],
    sequence: { sequencer: Order },
    testTimeout: 120_000,
    hookTimeout: 60_000,
    projects: tiers.map((name) => ({
      extends: true,
      test: {
        name,
        include: [filesOf(name)],
        exclude: unrun.map(({ file }) => file),
        // A worker keeps what it has loaded for its next file, but where servers are counted.
        isolate: isWaiting(name),
        // Much of what the last two do is waiting for servers, for time and for the disk.
        maxWorkers: isWaiting(name) ? cores + 1 : cores,
        sequence: { groupOrder: isWaiting(name) ? 1 : 0 },
      },
    })),
  },
});
