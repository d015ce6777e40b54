/** One project for each tier of the tests; what a tier is stands in test/tiers.ts. */
import { defineConfig } from 'vitest/config';
import { Order } from './test/order.ts';
import { TierReport } from './test/tier-report.ts';
import { cannotRun, filesOf, tiers } from './test/tiers.ts';

const unrun = cannotRun(import.meta.dirname);

export default defineConfig({
  test: {
    globalSetup: 'test/run-folder.ts',
    slowTestThreshold: 10_000,
    reporters: ['default', new TierReport(unrun)],
    sequence: { sequencer: Order },
    // A worker keeps what it has loaded for its next file.
    isolate: false,
    // Without it one of two cores is left to itself.
    maxWorkers: '100%',
    testTimeout: 120_000,
    hookTimeout: 60_000,
    projects: tiers.map((name) => ({
      extends: true,
      test: { name, include: [filesOf(name)], exclude: unrun.map(({ file }) => file) },
    })),
  },
});
